#include "npu/calls/temporary_space.h"

#include <algorithm>

#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {

namespace {

std::int64_t room_of(Core& core, const char* call, const kgnpu::Local* space) {
  if (space == nullptr)
    return std::max<std::int64_t>(kind_of(Memory::kUb).usable - core.used[static_cast<std::size_t>(Memory::kUb)], 0);
  check_local(core, call, "the temporary buffer", *space, 0);
  const Buffer& buffer = core.buffers[space->buffer];  // SetSize and ReinterpretCast make no room
  return std::max<std::int64_t>(
      std::min<std::int64_t>(space->bytes, std::int64_t{buffer.address} + buffer.bytes - space->address), 0);
}

void report(Core& core, const std::string& call, const kgnpu::Local* space, std::int64_t room, std::int64_t least,
            const std::string& how) {
  const std::string there = std::to_string(room), needs = std::to_string(least) + " bytes; " + how;
  core.error(FaultClass::kArgument,
             space != nullptr
                 ? call + ": the temporary buffer has " + there + " bytes, but the call needs at least " + needs
                 : call + " without a temporary buffer takes it from the " + there +
                       " bytes of UB that InitBuffer has left over, but needs at least " + needs);
}

}  // namespace

std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space, std::int64_t least,
                             const std::string& how) {
  const std::int64_t room = room_of(core, call, space);
  if (room < least) report(core, call, space, room, least, how);
  return room;
}

std::int64_t check_temporary(Core& core, const char* call, const kgnpu::Local* space) {
  const std::int64_t room = room_of(core, call, space);
  const kgnpu::TemporarySize* const size = kgnpu::temporary_size(call);
  if (size == nullptr || !size->is_needed || room >= kgnpu::least_temporary(*size)) return room;
  const std::string function = size->function != nullptr ? size->function : "Get" + std::string(call) + "MaxMinTmpSize";
  report(core, call, space, room, kgnpu::least_temporary(*size),
         function + " on the host side gives the least and the largest size");
  return room;
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
