#include "npu/calls/temporary_space.h"

#include <algorithm>

#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {

std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space, std::int64_t least,
                             const std::string& how) {
  if (space != nullptr) check_local(core, call, "the temporary buffer", *space, 0);
  std::int64_t there = kind_of(Memory::kUb).usable - core.used[static_cast<std::size_t>(Memory::kUb)];
  if (space != nullptr) {  // SetSize and ReinterpretCast make no room
    const Buffer& buffer = core.buffers[space->buffer];
    there = std::min<std::int64_t>(space->bytes, std::int64_t{buffer.address} + buffer.bytes - space->address);
  }
  there = std::max<std::int64_t>(there, 0);
  if (there >= least) return there;
  const std::string name = call, needs = std::to_string(least) + " bytes; " + how;
  core.error(FaultClass::kArgument,
             space != nullptr ? name + ": the temporary buffer has " + std::to_string(there) +
                                    " bytes, but the call needs at least " + needs
                              : name + " without a temporary buffer takes it from the " + std::to_string(there) +
                                    " bytes of UB that InitBuffer has left over, but needs at least " + needs);
  return there;
}

std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space) {
  const kgnpu::TemporarySize* const size = kgnpu::temporary_size(call);
  if (size == nullptr || !size->is_needed) return check_temporary(core, call, space, 0, "");
  const std::string function = size->function != nullptr ? size->function : "Get" + std::string(call) + "MaxMinTmpSize";
  return check_temporary(core, call, space, kgnpu::least_temporary(*size),
                         function + " on the host side gives the least and the largest size");
}

void lose_temporary(Core& core, const kgnpu::Local* space, std::int64_t bytes, std::span<const Extent> operands) {
  if (space == nullptr) {
    const std::int64_t used = core.used[static_cast<std::size_t>(Memory::kUb)];
    if (core.leaves_buffers) core.ub->set_defined(used, core.ub->bytes() - used, false);
    return;
  }
  for (std::int64_t i = 0; i < bytes; i += UnifiedBuffer::kUnit) {
    const std::int64_t address = space->address + i;
    const bool shared = std::ranges::any_of(operands, [&](const Extent& operand) {
      return address < operand.address + operand.bytes && operand.address < address + UnifiedBuffer::kUnit;
    });
    if (!shared) core.ub->set_defined(address, std::min(UnifiedBuffer::kUnit, bytes - i), false);
  }
}

}  // namespace kg::npu
