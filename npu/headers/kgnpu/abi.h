#pragma once

#include <stdint.h>

// The border between a compiled kernel and the runtime. Kernels (clang, C++17) and the runtime (C++20) both include it,
// and nothing else; a kernel's shared object resolves the kgnpu_* functions from the program that loads it.
// Everything is plain data: a tensor is passed by the address of its `Local`, a scalar as the bits of its type.

namespace kgnpu {

enum class Type : uint8_t {
  kFloat,
  kHalf,
  kBfloat16,
  kInt8,
  kUint8,
  kInt16,
  kUint16,
  kInt32,
  kUint32,
  kInt64,
  kUint64,
  kBool,
  kInt4,
  kNone
};

// A tensor in UB: its start, its extent, and the buffer and allocation it came from.
struct Local {
  int32_t address = 0;     // bytes from the start of UB
  int32_t bytes = 0;       // up to the end of the tensor
  uint16_t buffer = 0;     // index of the core's buffer table, 0: none (never initialised)
  uint8_t generation = 0;  // counts the buffer's allocations; distinguishes a freed tensor from a live one
  uint8_t position = 0;    // TPosition
};

enum class Op : uint16_t {
  // two sources
  kAdd,
  kSub,
  kMul,
  kDiv,
  kMax,
  kMin,
  kAnd,
  kOr,
  kMulAddDst,
  kFusedMulAdd,
  kFusedMulAddRelu,
  kAddRelu,
  kSubRelu,
  // one source
  kAbs,
  kExp,
  kLn,
  kSqrt,
  kRsqrt,
  kReciprocal,
  kRelu,
  kNot,
  // one source and a scalar
  kAdds,
  kMuls,
  kMaxs,
  kMins,
  kLeakyRelu,
  kAxpy,
  kShiftLeft,
  kShiftRight,
  // different types in and out
  kCopy,
  kCastScaled,
  kAddReluCast,
  kSubReluCast,
  kMulCast,
  kAddDeqRelu,
  kCastDeq,
  kCastDequant,
  // special shapes
  kDuplicate,
  kCast,
  kCompare,
  kCompareScalar,
  kSelect,
  kSelectScalar,
  kReduceSum,
  kReduceMax,
  kReduceMin,
  kWholeReduceSum,
  kWholeReduceMax,
  kWholeReduceMin,
  kBlockReduceSum,
  kBlockReduceMax,
  kBlockReduceMin,
  kPairReduceSum,
  kRowSum,
  // high-level library, one source
  kSigmoid,
  kTanh,
  kLog,
  kLog2,
  kLog10,
  kSin,
  kCos,
  kTan,
  kSinh,
  kCosh,
  kAsin,
  kAcos,
  kAtan,
  kErf,
  kErfc,
  kSign,
  kFloor,
  kCeil,
  kTrunc,
  kRound,
  kSilu,
  kGelu,
  kSwish,
  kPower,
  kPowerScalar,
  kPowerBase,
  kAcosh,
  kAsinh,
  kAtanh,
  kFrac,
  kFmod,
  kXor,
  kHypot,
  kLgamma,
  kDigamma,
  kClampMax,
  kClampMin,
  kFasterGelu,
  kFasterGeluV2,
  kSwiGlu,
  kGeGlu,
  kReGlu,
  kCount
};

// The values of TPosition that the runtime must know.
namespace position {
constexpr uint8_t kGm = 0, kA1 = 1, kA2 = 2, kB1 = 3, kB2 = 4, kC1 = 5, kC2 = 6, kCo1 = 7, kCo2 = 8, kVecIn = 9,
                  kVecOut = 10, kVecCalc = 11, kTscm = 13, kC2Pipe2Gm = 14;
}

enum class Masking : uint8_t { kFirst, kMaskCount, kMaskBits, kMaskRegister };

struct Stride {
  uint16_t block = 1;   // distance between the 32-byte blocks of one repeat, in blocks
  uint16_t repeat = 8;  // distance between repeats, in blocks
};

// One vector instruction. `First` calls use `count`; the others use the mask, `repeat` and the strides.
struct VectorCall {
  Op op = Op::kAdd;
  Type dst_type = Type::kNone;
  Type src_type = Type::kNone;
  Masking masking = Masking::kFirst;
  uint8_t sources = 0;
  uint8_t mode = 0;   // RoundMode, CMPMODE, SELMODE, ReduceOrder
  uint8_t flag = 0;   // reductions: the index is requested
  int32_t count = 0;  // elements
  int32_t repeat = 1;
  const Local* dst = nullptr;
  const Local* src[3] = {nullptr, nullptr, nullptr};
  uint64_t scalar = 0;
  uint64_t mask[2] = {0, 0};  // bits, or the number of elements in mask[0]
  Stride dst_stride;
  Stride src_stride[3];
  int32_t line = 0;
};

// A copy between GM and UB, or inside UB. Units are bytes throughout; the headers convert.
struct CopyCall {
  const char* name = "DataCopy";
  uint64_t gm = 0;  // address in GM; unused inside UB
  const Local* local = nullptr;
  const Local* local_from = nullptr;  // inside UB: the source
  int64_t blocks = 1;
  int64_t block_bytes = 0;
  int64_t gm_gap = 0;     // between the end of one block and the start of the next
  int64_t local_gap = 0;  // the same in UB (each block takes whole 32-byte units there)
  int64_t from_gap = 0;
  uint8_t pad = 0;           // DataCopyPad: bytes left and right are filled
  uint8_t explicit_pad = 0;  // isPad: with pad_value, otherwise with the value of SetPadValue
  uint8_t element_bytes = 1;
  uint8_t type = 0;
  int32_t left_bytes = 0;
  int32_t right_bytes = 0;
  uint64_t pad_value = 0;
  int32_t dropped_bytes = 0;  // a count's bytes beyond its whole units of 32
  int32_t line = 0;
};

struct Handle {  // a queue or buffer; 0: InitBuffer was not called
  uint16_t id = 0;
};

struct QueueSpec {
  uint8_t from;       // TPosition the data comes from
  uint8_t to;         // TPosition it goes to
  uint8_t position;   // TPosition of the queue itself
  uint8_t is_buffer;  // TBuf
  int32_t depth;
};

// Bytes of workspace before the user's part, used by the system.
constexpr uint64_t kSystemWorkspace = 16ULL << 20;

// The kernel types of the documentation, in its order.
enum KernelType {
  kAivOnly,
  kAicOnly,
  kMixAiv10,
  kMixAic10,
  kMixAic11,
  kMixAic12,
  kAicore,
  kVectorCore,
  kMixAicore,
  kMixVectorCore
};
constexpr int32_t kGroupArrival = 1 << 20;  // + index in the arriving group: the event of GroupBarrier
constexpr int32_t kTurn = -1;               // the event of WaitPreBlock and NotifyNextBlock

constexpr int32_t kOfTemplate = 2;
struct TaskType {  // KERNEL_TASK_TYPE: for one tiling key, or for all
  int64_t key;
  int32_t has_key;  // kOfTemplate: of the template's selection
  int32_t type;
};

// Exported by the epilogue of a kernel's source under the name kgnpu_entry.
struct Entry {
  uint32_t parameters;
  void (*call)(const uint64_t* arguments);
  // Begin and end of the tiling keys (uint64_t) that the source names; equal: none. Symbols of the linker,
  // declared as functions because the device dialect treats a declared variable as a definition.
  void (*keys_begin)();
  void (*keys_end)();
  // The same for KERNEL_TASK_TYPE (TaskType).
  void (*task_types_begin)();
  void (*task_types_end)();
  int32_t has_cube_half;  // a second shared object holds the code of the cube cores
};

struct Where {                                        // the line of the call in the kernel's source
  explicit constexpr Where(int line) : line(line) {}  // not from {}, which may stand for a parameter before it
  static constexpr Where here(int line = __builtin_LINE()) { return Where(line); }
  static constexpr Where unknown() { return Where(0); }
  int line;
};

}  // namespace kgnpu

extern "C" {
// framework
int64_t kgnpu_block_index();
int64_t kgnpu_block_count();
int64_t kgnpu_sub_block_index();
int64_t kgnpu_sub_block_count();
int64_t kgnpu_task_ratio();
int64_t kgnpu_system_cycle();
// The last `padding` bytes may be missing.
void kgnpu_read_tiling(void* to, uint64_t bytes, uint64_t from, const char* type, int line, uint32_t padding);
// A structure that stands for all tiling data.
void kgnpu_whole_tiling(uint64_t bytes, uint64_t from, const char* type, int line);
void kgnpu_set_system_workspace(uint64_t address);
uint64_t kgnpu_system_workspace();
void kgnpu_pipe_open();
void kgnpu_pipe_close();
void kgnpu_pipe_reset();
void kgnpu_init_buffer(kgnpu::Handle* handle, const kgnpu::QueueSpec* spec, uint32_t number, uint32_t bytes, int line);
void kgnpu_buffer_get(const kgnpu::Handle* handle, kgnpu::Local* out, int64_t offset, int64_t bytes, int line);
void kgnpu_queue_alloc(const kgnpu::Handle* queue, kgnpu::Local* out, int line);
void kgnpu_queue_free(const kgnpu::Handle* queue, const kgnpu::Local* tensor, int line);
void kgnpu_queue_enqueue(const kgnpu::Handle* queue, const kgnpu::Local* tensor, int line);
void kgnpu_queue_dequeue(const kgnpu::Handle* queue, kgnpu::Local* out, int line);
int32_t kgnpu_queue_waiting(const kgnpu::Handle* queue);
int32_t kgnpu_queue_idle(const kgnpu::Handle* queue);
// order
void kgnpu_set_flag(int from, int to, int id, int line);
void kgnpu_wait_flag(int from, int to, int id, int line);
void kgnpu_barrier(int pipe, int line);
int32_t kgnpu_event_fetch(int from, int to);
int32_t kgnpu_event_alloc(int from, int to, int line);
void kgnpu_event_release(int from, int to, int id, int line);
void kgnpu_sync_cores(int vector_only, int used, int line);
void kgnpu_cross_core_set(int mode, int pipe, int flag, int line);
void kgnpu_cross_core_wait(int flag, int line);
// Signals between cores through a workspace in GM, for each block and event.
void kgnpu_core_signal(uint64_t workspace, int block, int event, int line);
void kgnpu_core_await(uint64_t workspace, int block, int event, int line);
// GroupBarrier: a core of one group, which has `own` cores, against the other group.
void kgnpu_group_arrive(uint64_t workspace, uint32_t index, uint32_t own, uint32_t others, int line);
void kgnpu_group_wait(uint64_t workspace, uint32_t index, uint32_t own, uint32_t others, int line);
void kgnpu_atomic(int mode, int type);  // 0 none, 1 add, 2 max, 3 min
int kgnpu_atomic_mode();
int kgnpu_atomic_type();
// vector unit
void kgnpu_vector(const kgnpu::VectorCall* call);
void kgnpu_vector_first(uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                        uint64_t scalar, int32_t count, int line);
// The same for a call of the library; temporary: null if the caller gives none.
void kgnpu_library(uint32_t op_and_type, const kgnpu::Local* dst, const kgnpu::Local* a, const kgnpu::Local* b,
                   const kgnpu::Local* temporary, uint64_t scalar, int32_t count, int line);
void kgnpu_set_mask(uint64_t high, uint64_t low);
void kgnpu_set_mask_mode(int counter);
uint64_t kgnpu_reduce_result(int index);
// copies
void kgnpu_copy_in(const kgnpu::CopyCall* call);
void kgnpu_copy_out(const kgnpu::CopyCall* call);
void kgnpu_copy_local(const kgnpu::CopyCall* call);
// The SPM buffer in GM: where a part of it begins.
void kgnpu_spill_init(uint64_t gm, int64_t bytes, int line);
uint64_t kgnpu_spill_at(const char* call, int64_t offset, int64_t bytes, int line);
// scalar unit
uint64_t kgnpu_local_load(const kgnpu::Local* tensor, int64_t offset, int bytes, int line);
void kgnpu_local_store(const kgnpu::Local* tensor, int64_t offset, int bytes, uint64_t bits, int line);
uint64_t kgnpu_global_load(uint64_t address, int bytes, int line);
void kgnpu_global_store(uint64_t address, int bytes, uint64_t bits, int line);
void kgnpu_clean_cache(uint64_t address, int entire, int line);
uint64_t kgnpu_local_pointer(const kgnpu::Local* tensor);
// A call gets only the low `bits` of an argument. Inserted by passes/narrowed_arguments.
void kgnpu_narrowed(const char* call, int64_t value, int bits, int line);
// Ends the kernel: an access at `offset` of a variable of `bytes`. Inserted by passes/address_spaces.
void kgnpu_beyond_variable(uint64_t offset, uint64_t bytes, int line);
// debugging
void kgnpu_assert_failed(const char* expression, int line);
int kgnpu_print(const char* format, ...) __attribute__((format(printf, 1, 2)));
}
