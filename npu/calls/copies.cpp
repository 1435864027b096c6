// DataCopy and DataCopyPad between GM and UB and inside UB: one strided copy with fill.

#include <algorithm>
#include <cstring>

#include "npu/chip.h"
#include "npu/machine/core.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

constexpr std::int64_t kUnit = UnifiedBuffer::kUnit;

std::int64_t round_up(std::int64_t bytes) { return ceil_div(bytes, kUnit) * kUnit; }
std::uint64_t span(const kgnpu::CopyCall& call) {
  return static_cast<std::uint64_t>(call.blocks * call.block_bytes + (call.blocks - 1) * call.gm_gap);
}

bool check_counts(Core& core, const kgnpu::CopyCall& call) {
  if (call.dropped_bytes > 0)
    core.warning(FaultClass::kArgument, call.name, " of ", call.block_bytes + call.dropped_bytes,
                 " bytes, no multiple of 32: the chip copies ", call.block_bytes, " and leaves out the last ",
                 call.dropped_bytes, " without an error; round the count up, or copy the exact bytes with DataCopyPad");
  if (call.blocks > 4095) core.error(FaultClass::kArgument, call.name, ": blockCount ", call.blocks, " is above 4095");
  if (call.pad && call.block_bytes > 2097151)
    core.error(FaultClass::kArgument, call.name, ": blockLen ", call.block_bytes, " is above 2097151 bytes");
  if (call.left_bytes > 32 || call.right_bytes > 32)
    core.error(FaultClass::kArgument, call.name, ": at most 32 bytes of padding on each side");
  if (call.explicit_pad && call.element_bytes == 8 && call.pad_value != 0 && call.left_bytes + call.right_bytes > 0)
    core.error(FaultClass::kArgument, call.name, ": paddingValue is 0 for 64-bit types");
  return call.blocks > 0 && call.block_bytes > 0;
}

GmBlocks blocks_of(const kgnpu::CopyCall& call, GlobalMemory::Allocation& allocation, bool writes) {
  return {.allocation = &allocation,
          .offset = call.gm - allocation.start(),
          .blocks = call.blocks,
          .bytes = call.block_bytes,
          .stride = call.block_bytes + call.gm_gap,
          .writes = writes};
}

// The memory that a copy from or to GM uses: UB or L1.
Memory end_of(Core& core, const kgnpu::CopyCall& call, const char* operand, const kgnpu::Local& tensor) {
  if (call.pad) return memory_among(core, call.name, operand, tensor, {Memory::kUb});
  return memory_among(core, call.name, operand, tensor, {Memory::kUb, Memory::kL1});
}

// UB is a vector core's, L1 a cube core's; a mixed kernel's calls for the other kind do nothing.
bool has_memory(const Core& core, Memory memory) { return (memory == Memory::kUb) == (core.kind == CoreKind::kVector); }

void note_dropped(const kgnpu::CopyCall& call, Device::Shortened& first) {
  if (call.dropped_bytes != 0 && first.asked == 0)
    first = {call.block_bytes, call.block_bytes + call.dropped_bytes, call.line};
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_copy_in(const kgnpu::CopyCall* call) {
  Core& self = core();
  self.line = call->line;
  note_dropped(*call, self.device->shortened_in);
  if (!check_counts(self, *call)) return;
  const Memory memory = end_of(self, *call, "the destination tensor", *call->local);
  if (!has_memory(self, memory)) return;
  const std::int64_t unit_bytes =
      call->pad ? round_up(call->left_bytes + call->block_bytes + call->right_bytes) : call->block_bytes;
  const std::int64_t step = unit_bytes + call->local_gap;
  check_local(self, call->name, "the destination tensor", *call->local, (call->blocks - 1) * step + unit_bytes,
              {.memory = memory});
  GlobalMemory::Allocation& from = check_global_range(self, call->name, call->gm, span(*call), /*writes=*/false);
  const Instruction instruction = issue_move(self, kMte2, call->name, blocks_of(*call, from, /*writes=*/false));
  for (std::int64_t b = 0; b < call->blocks; ++b) {
    const std::int64_t address = call->local->address + b * step;
    const std::uint64_t offset =
        call->gm + static_cast<std::uint64_t>(b * (call->block_bytes + call->gm_gap)) - from.start();
    touch_local(self, call->name, instruction, address, unit_bytes, /*writes=*/true, memory);
    std::uint8_t* data = self.memory(memory).data() + address;
    std::uint8_t* defined = self.memory(memory).defined() + address;
    load_global(self, call->name, instruction, from, offset, data + call->left_bytes, defined + call->left_bytes,
                call->block_bytes);
    if (!call->pad) continue;
    const auto fill = [&](std::int64_t begin, std::int64_t end, const void* element, bool is_defined) {
      for (std::int64_t i = begin; i + call->element_bytes <= end; i += call->element_bytes)
        std::memcpy(data + i, element, call->element_bytes);
      std::memset(defined + begin, is_defined, static_cast<std::size_t>(end - begin));
    };
    const std::int64_t data_end = call->left_bytes + call->block_bytes;
    if (call->left_bytes != 0 || call->right_bytes != 0) {
      const std::uint64_t value = call->explicit_pad ? call->pad_value : self.special.pad_value;
      const bool is_known = call->explicit_pad || self.special.has_pad_value;
      fill(0, call->left_bytes, &value, is_known);
      fill(data_end, unit_bytes, &value, is_known);
    } else {
      std::uint64_t first = 0;
      std::memcpy(&first, data, call->element_bytes);
      fill(data_end, unit_bytes, &first, true);
    }
  }
}

void kgnpu_copy_out(const kgnpu::CopyCall* call) {
  Core& self = core();
  self.line = call->line;
  note_dropped(*call, self.device->shortened_out);
  if (!check_counts(self, *call)) return;
  const Memory memory = end_of(self, *call, "the source tensor", *call->local);
  if (!has_memory(self, memory)) return;
  const std::int64_t step = (call->pad ? round_up(call->block_bytes) : call->block_bytes) + call->local_gap;
  check_local(self, call->name, "the source tensor", *call->local, (call->blocks - 1) * step + call->block_bytes,
              {.memory = memory});
  GlobalMemory::Allocation& to = check_global_range(self, call->name, call->gm, span(*call), /*writes=*/true);
  const Instruction instruction = issue_move(self, kMte3, call->name, blocks_of(*call, to, /*writes=*/true));
  for (std::int64_t b = 0; b < call->blocks; ++b) {
    const std::int64_t address = call->local->address + b * step;
    const std::uint64_t offset =
        call->gm + static_cast<std::uint64_t>(b * (call->block_bytes + call->gm_gap)) - to.start();
    touch_local(self, call->name, instruction, address, call->block_bytes, /*writes=*/false, memory);
    store_global(self, call->name, instruction, to, offset, self.memory(memory).data() + address,
                 self.memory(memory).defined() + address, call->block_bytes);
  }
}

void kgnpu_copy_local(const kgnpu::CopyCall* call) {
  Core& self = core();
  self.line = call->line;
  note_dropped(*call, self.device->shortened_in);
  if (!check_counts(self, *call) || !has_memory(self, Memory::kUb)) return;
  const std::int64_t step = call->block_bytes + call->local_gap, from_step = call->block_bytes + call->from_gap;
  check_local(self, call->name, "the destination tensor", *call->local, (call->blocks - 1) * step + call->block_bytes);
  check_local(self, call->name, "the source tensor", *call->local_from,
              (call->blocks - 1) * from_step + call->block_bytes);
  const double cycles = static_cast<double>(call->blocks * call->block_bytes) / chip::kLocalCopyBytesPerCycle;
  const Instruction instruction = self.issue(kV, chip::kLocalCopyStart + cycles, 0, call->name);
  for (std::int64_t b = 0; b < call->blocks; ++b) {
    const std::int64_t address = call->local->address + b * step, source = call->local_from->address + b * from_step;
    const auto size = static_cast<std::size_t>(call->block_bytes);
    touch_local(self, call->name, instruction, source, call->block_bytes, /*writes=*/false);
    touch_local(self, call->name, instruction, address, call->block_bytes, /*writes=*/true);
    std::memmove(self.ub->data() + address, self.ub->data() + source, size);
    std::memmove(self.ub->defined() + address, self.ub->defined() + source, size);
  }
}

}  // extern "C"
