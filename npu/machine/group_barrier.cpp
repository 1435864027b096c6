// GroupBarrier: vector cores of one group wait for all cores of another, by messages in GM.

#include <cstring>
#include <string>

#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/scheduler.h"

namespace kg::npu {
namespace {

constexpr std::uint64_t kMessage = 512;  // bytes of a waiting core; also the alignment

// The messages must be zero before the first core arrives; the kernel or the host side clears them.
void check_messages(Core& core, const std::string& call, std::uint64_t workspace, std::uint32_t waiting) {
  if (workspace % kMessage != 0)
    core.error(FaultClass::kArgument, call, ": the workspace of a GroupBarrier is not aligned to 512 bytes; align it");
  const std::uint64_t bytes = kMessage * waiting;
  const GlobalMemory::Allocation* at = core.device->memory.find(workspace);
  if (at == nullptr || workspace + bytes > at->start() + at->rounded)
    core.fail(FaultClass::kGm, call, ": the workspace of a GroupBarrier is outside global memory; it needs ", bytes,
              " bytes, 512 for each waiting core");
  const std::uint64_t offset = workspace - at->start();
  for (std::uint64_t i = 0; i < bytes; ++i)
    if (!at->defined(offset + i) || at->data[offset + i] != 0) {
      core.error(FaultClass::kMemory, call, ": byte ", i, " of the workspace of a GroupBarrier is not zero; clear its ",
                 bytes, " bytes before any core arrives");
      return;
    }
}

void check_unified_buffer(Core& core, const std::string& call) {
  const std::int64_t used = core.used[static_cast<std::size_t>(Memory::kUb)];
  if (used > chip::kUbBytes - chip::kGroupBarrierUb)
    core.error(FaultClass::kUb, call, " uses the last ", chip::kGroupBarrierUb,
               " bytes of UB, which InitBuffer has given out; leave them free");
}

void check_index(Core& core, const std::string& call, std::uint32_t index, std::uint32_t own) {
  if (index < own) return;
  core.fail(FaultClass::kArgument, call, "(", index, "): its group has ", own, " cores, 0 to ",
            static_cast<std::int64_t>(own) - 1);
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_group_arrive(uint64_t workspace, uint32_t index, uint32_t own, uint32_t others, int line) {
  Core& self = core_at(line);
  if (self.kind == CoreKind::kCube) return;  // the other half of a mixed kernel
  check_index(self, "GroupBarrier::Arrive", index, own);
  check_messages(self, "GroupBarrier::Arrive", workspace, others);
  check_unified_buffer(self, "GroupBarrier::Arrive");
  for (std::uint32_t waiting = 0; waiting < others; ++waiting)
    kgnpu_core_signal(workspace, static_cast<int>(waiting), kgnpu::kGroupArrival + static_cast<int>(index), line);
}

void kgnpu_group_wait(uint64_t workspace, uint32_t index, uint32_t own, uint32_t others, int line) {
  Core& self = core_at(line);
  if (self.kind == CoreKind::kCube) return;
  check_index(self, "GroupBarrier::Wait", index, own);
  check_messages(self, "GroupBarrier::Wait", workspace, own);
  check_unified_buffer(self, "GroupBarrier::Wait");
  for (std::uint32_t arriving = 0; arriving < others; ++arriving)
    kgnpu_core_await(workspace, static_cast<int>(index), kgnpu::kGroupArrival + static_cast<int>(arriving), line);
}

}  // extern "C"
