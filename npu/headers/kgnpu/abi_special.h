#pragma once

#include "abi.h"

// Instructions of the vector unit that are not elementwise (gather, sort, transpose, ...) and the high-level library:
// one structure for all, since they share only tensors and numbers. The meaning of each entry of `tensor` and `number`
// is documented at the call's function in the runtime.

namespace kgnpu {

enum class Special : uint16_t {
  // data
  kGather,
  kGatherb,
  kGatherMask,
  kBrcb,
  kTranspose16,
  kTransposeShape,
  kVnchwconv,
  kCreateIndex,
  kSetCompareMask,
  kGetCompareMask,
  kSetDeqScale,
  // sort
  kSort32,
  kRpSort16,
  kMergeSort,
  kProposalConcat,
  kProposalExtract,
  kSort,
  kExtract,
  kTopK,
  // high-level library
  kBroadcast,
  kRowReduce,
  kAxisReduce,
  kSelectBytes,
  kSoftmax,
  kSoftmaxFlash,
  kSimpleSoftmax,
  kSoftmaxGrad,
  kAdjustSoftmax,
  kLayerNorm,
  kLayerNormGrad,
  kLayerNormGradBeta,
  kRmsNorm,
  kBatchNorm,
  kDeepNorm,
  kGroupNorm,
  kNormalize,
  kWelfordUpdate,
  kWelfordFinalize,
  kCumsum,
  kDropOut,
  kQuant,
  kDequant,
  kAntiQuant,
  kPad,
  kUnPad,
  kTransposeLayout,
  kCount
};

struct SpecialCall {
  const char* name = "";
  Special op = Special::kCount;
  Type type = Type::kNone;   // usually the type of the elements
  Type type2 = Type::kNone;  // type of the other operand or result
  Masking masking = Masking::kFirst;
  int32_t line = 0;
  const Local* tensor[10] = {};
  int64_t number[12] = {};
  uint64_t mask[2] = {};
};

}  // namespace kgnpu

extern "C" {
// Returns the number that the call puts into a register (elements kept, ...), 0 for most calls.
uint64_t kgnpu_special(const kgnpu::SpecialCall* call);
// The tensor for a raw UB pointer, or for the number made from one: up to the end of its buffer.
void kgnpu_local_at(uint64_t pointer, kgnpu::Local* out, const char* name, int line);
// The same for a raw pointer into the memory of a TPosition.
void kgnpu_matrix_at(int position, uint64_t pointer, kgnpu::Local* out, const char* name, int line);
// A tensor at an address of a TPosition's memory, for a kernel that allocates memory itself.
void kgnpu_memory_at(int position, uint32_t address, uint32_t bytes, kgnpu::Local* out, int line);
// The part that InitBuffer has not given out (PopStackBuffer).
void kgnpu_stack_buffer(kgnpu::Local* out, int line);
// Fills GM with one element: InitOutput, Fill.
void kgnpu_fill_global(const char* name, uint64_t address, uint64_t count, int bytes, uint64_t bits, int line);
// State that some calls keep in registers.
uint64_t kgnpu_merged_lengths(int list);
uint64_t kgnpu_gathered();
void kgnpu_set_addresses(int reg, const uint64_t* addresses);  // VA0 to VA7, eight each
uint64_t kgnpu_address(int reg, int i);
void kgnpu_set_pad_value(uint64_t bits);
uint64_t kgnpu_pad_value();
void kgnpu_dump(const kgnpu::Local* tensor, uint64_t address, int type, uint32_t label, uint32_t count,
                const uint32_t* shape, int dimensions, int line);
void kgnpu_trap(int line);
}
