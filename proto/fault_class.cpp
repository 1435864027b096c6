#include "proto/fault_class.h"

#include <algorithm>
#include <array>

#include "proto/message_json.h"

namespace kg::proto {
namespace {

constexpr std::array<FaultClassRow, 15> kRows{{
    {FaultClass::kUb, "ub", "emulated device", "error or warning",
     "A call accesses on-chip memory (UB, L1, L0A, L0B, L0C) wrongly: outside its buffer, misaligned, overlapping "
     "another operand or in the wrong memory. Or the buffers together need more memory than the chip has."},
    {FaultClass::kQueue, "queue", "emulated device", "error or warning",
     "A queue or one of its tensors is used out of turn: AllocTensor without a free buffer, EnQue twice, DeQue from an "
     "empty queue, FreeTensor twice, use of a freed tensor, or a tensor that is never freed."},
    {FaultClass::kSynchronisation, "synchronisation", "emulated device", "error or warning",
     "Two pipes or two cores access the same memory in an undefined order, or a flag is set or waited for wrongly, for "
     "example in a wait that never ends."},
    {FaultClass::kMemory, "memory", "emulated device", "error or warning",
     "The kernel uses memory with undefined content or changes memory that it must not change: an output stays "
     "undefined, an input is changed, a tensor has no memory, or the result depends on a value that was read before it "
     "was written."},
    {FaultClass::kGm, "gm", "emulated device", "error or warning",
     "An access to global memory is outside its tensor, or two cores store to the same place in an undefined order."},
    {FaultClass::kCache, "cache", "emulated device", "error or warning",
     "A scalar access uses a stale copy in the data cache, because the cache was not written back or invalidated. Or "
     "the kernel ends before the cache is written back."},
    {FaultClass::kArgument, "argument", "emulated device", "error or warning",
     "A call or a launch has a parameter that the hardware does not accept, for example more than 4095 blocks in one "
     "copy, or a kernel signature that differs from the task's."},
    {FaultClass::kScalar, "scalar", "emulated device", "warning",
     "The scalar unit stored at least half of the outputs one by one, and the vector and cube units computed fewer "
     "elements than the outputs have."},
    {FaultClass::kAssert, "assert", "emulated device", "error", "An ASSERT in the kernel fails."},
    {FaultClass::kTrap, "trap", "emulated device or sandbox", "error",
     "The kernel ended in a trap: Trap(), a crash, a stray pointer, a forbidden system call, or a process that ended "
     "without a readable result."},
    {FaultClass::kLimit, "limit", "emulated device or sandbox", "error",
     "The program exceeded a limit on cycles, time, memory, launches or the size of its result."},
    {FaultClass::kHost, "host", "sandbox", "error or warning",
     "The host side of an operator project fails: the operator's definition, its tiling function or its shape "
     "inference does not fit the task."},
    {FaultClass::kModule, "module", "sandbox", "error",
     "A PyTorch module fails, breaks the benchmark's rules, launches no operator, or computes with PyTorch's own "
     "operators."},
    {FaultClass::kNumbers, "numbers", "judge", "error", "An output is missing or its elements are out of tolerance."},
    {FaultClass::kSecondLook, "second look", "judge", "error",
     "Outputs that were right on the task's inputs are wrong, or do not change, when the kernel runs again on other "
     "inputs and with the cores in another order."},
}};

// When a fault that may also be a warning is an error, and the public page that says so. Pages are
// atlasascendc_api_07_NNNN.html of the Ascend C API reference on hiascend.com.
struct SeverityRule {
  FaultClass fault_class;
  const char* error;
  const char* warning;
  const char* source;
};

constexpr SeverityRule kRules[] = {
    {FaultClass::kUb,
     "the bytes beyond the tensor are in another buffer from InitBuffer and matter, or are outside the memory; an "
     "address is not aligned; operands of one call overlap and the order of its blocks changes the result",
     "the bytes beyond the tensor belong to its own buffer or to no buffer, or to another where they do not matter; "
     "operands overlap and every order gives the same result",
     "0004 (alignment, overlapping addresses)"},
    {FaultClass::kQueue,
     "the tensor's buffer has been allocated again, or the protocol of the queue is broken (EnQue twice, FreeTensor "
     "twice, a wait that never ends)",
     "a tensor is used after FreeTensor and its buffer has not been allocated since; it is freed by another queue "
     "between the same pipes; or it is never freed. If a later tensor's access to the buffer is not ordered after that "
     "use, this is a separate `synchronisation` fault",
     "0138, 0149 (AllocTensor)"},
    {FaultClass::kSynchronisation,
     "swapping the two accesses changes what the kernel computes; a wait never ends; a flag is set twice",
     "swapping the two accesses changes nothing; a flag is never waited for; a Matmul object reads what MTE3 may still "
     "write",
     "0181, 0270 (SetFlag, WaitFlag)"},
    {FaultClass::kMemory,
     "undefined bytes are in an output at the end or decide what the kernel does; an input is changed",
     "part of an output is not written", "0149 (the content of a new tensor is random)"},
    {FaultClass::kGm,
     "the access is outside the allocation; swapping the accesses of two cores changes what the kernel computes",
     "the access is in the slack of the allocation; swapping the accesses changes nothing",
     "0270 (accesses that depend on each other need an order)"},
    {FaultClass::kCache,
     "a load gets an older value; a line that is written back undoes what another core or a copy wrote",
     "what SetValue wrote is still in the data cache when the kernel ends",
     "00028 (GlobalTensor.SetValue), 0177 (DataCacheCleanAndInvalid)"},
    {FaultClass::kArgument,
     "the hardware or the documentation does not allow the parameter; a temporary buffer is smaller than the least "
     "size "
     "that the call's function on the host side gives",
     "MrgSort has one list, which it copies; a number does not fit the parameter it is given for, such as a "
     "repeatTime of 256, which becomes 0; a copy leaves out the end of a count that is no multiple of 32 bytes",
     "the call's own page"},
};

constexpr bool is_in_order() {
  for (std::size_t i = 0; i < kRows.size(); ++i)
    if (static_cast<std::size_t>(kRows[i].fault_class) != i) return false;
  return kRows.back().fault_class == FaultClass::kSecondLook;
}
static_assert(is_in_order());

}  // namespace

std::span<const FaultClassRow> fault_classes() { return kRows; }

const char* name_of(FaultClass fault_class) { return kRows.at(static_cast<std::size_t>(fault_class)).name; }

bool is_fault_class(std::string_view name) {
  return std::any_of(kRows.begin(), kRows.end(), [&](const FaultClassRow& row) { return name == row.name; });
}

bool has_class(const Fault& fault, FaultClass fault_class) { return fault.fault_class() == name_of(fault_class); }

constexpr const char* kOrders =
    "## Which orders are checked\n\n"
    "The rules are those of the page Automatic Synchronization (atlas_bisheng_10_0008): the compiler's option "
    "`--cce-auto-sync` is\n"
    "on by default, and inserts some of the flags. \"Free\" means that no flag is needed, so a missing one is no "
    "fault.\n\n"
    "| order of accesses to the same bytes, one of them a write | on a vector core |\n"
    "|---|---|\n"
    "| vector, then vector | free: the compiler inserts PipeBarrier<PIPE_V> |\n"
    "| vector, MTE2 or MTE3, then scalar (GetValue, SetValue, pointers) | free: the compiler inserts V_S, MTE2_S "
    "or MTE3_S. The scalar unit waits here, which takes time |\n"
    "| scalar, then vector, MTE2 or MTE3 | free: the compiler inserts S_V, S_MTE2 or S_MTE3. In global memory "
    "the data cache has rules of its own (class `cache`) |\n"
    "| MTE2 and vector, vector and MTE3, MTE2 and MTE3, in both directions | checked: a queue, or SetFlag and "
    "WaitFlag, must order them |\n"
    "| MTE2 then MTE2, MTE3 then MTE3 | checked: PipeBarrier<PIPE_MTE2> or PipeBarrier<PIPE_MTE3> must be "
    "between |\n"
    "| accesses of two cores to global memory | checked: SyncAll, CrossCoreSetFlag or another signal must order "
    "them |\n\n"
    "The compiler inserts a flag only if it sees that two tensors are the same memory. According to that page it "
    "does not see this through\n"
    "a queue's EnQue and DeQue, SetAddrWithOffset, or a function that is not inlined. There the chip needs a "
    "flag, and the emulator does not\n"
    "report that it is missing. A flag that the compiler would have inserted is never a fault.\n\n"
    "On a cube core the compiler inserts nothing, and all pairs of pipes are checked, except that the scalar "
    "unit waits for the data\n"
    "that it meets, as on a vector core. On the chip that needs a flag, too.\n";

std::string faults_page() {
  std::string page =
      "# Faults\n\n"
      "This page is generated from `proto/fault_class.cpp` and `proto/message_json.cpp`.\n\n"
      "## Where a verdict ends\n\n"
      "A verdict has one stage: the step at which judging ended. A program that is rejected or does not compile "
      "has no\nfaults; the reason, with line numbers, is in `compiler_output`. The same holds if the DSL's "
      "compiler refuses the program.\n\n"
      "| stage | meaning |\n|---|---|\n";
  for (int stage = REJECTED; stage <= CORRECT; ++stage)
    page += "| `" + stage_name(static_cast<Stage>(stage)) + "` | " + stage_sentence(static_cast<Stage>(stage)) + " |\n";
  page +=
      "\n## Fault classes\n\n"
      "A fault is the program's, never the sandbox's: if the sandbox itself fails, `sandbox_error` says so and the "
      "verdict has no\nreward. A fault of severity `error` keeps a kernel with right numbers from being correct (stage "
      "`check`). A `warning` changes\nneither stage nor reward.\n\n"
      "| class | found by | severity | meaning |\n|---|---|---|---|\n";
  for (const FaultClassRow& row : kRows)
    page +=
        std::string("| `") + row.name + "` | " + row.found_by + " | " + row.severity + " | " + row.sentence + " |\n";
  page +=
      "\n## Error or warning\n\n"
      "A fault is an error if data can come out wrong on the chip. Otherwise it is a warning with the same text.\n\n"
      "| class | error if | warning if | public page |\n|---|---|---|---|\n";
  for (const SeverityRule& rule : kRules)
    page += std::string("| `") + name_of(rule.fault_class) + "` | " + rule.error + " | " + rule.warning + " | " +
            rule.source + " |\n";
  page +=
      "\nPages are atlasascendc_api_07_NNNN.html of the Ascend C API reference on hiascend.com.\n\n"
      "To find out whether bytes of another buffer matter, the launch runs once more (`npu/machine/foreign_bytes.h`). "
      "In that run they hold\nsomething else while the call that touches them works, and what it writes there is lost. "
      "The fault stays an error if any output or the\nkernel's course changes, or if part of an output was never "
      "written. Bytes that the same call uses as another operand are not replaced.\n\n"
      "To find out whether the order of two accesses matters, the launch runs once more with every such pair swapped\n"
      "(`npu/machine/races.h`). A pair that cannot be swapped stays an error: accesses of the scalar unit to global "
      "memory, operands of\nthe Matmul object, and all pairs of a launch with more than 65,536. A pair also stays an "
      "error if the kernel does not finish.\n\n";
  return page + kOrders;
}

}  // namespace kg::proto
