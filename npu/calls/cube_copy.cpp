// Copies that only a cube core has: row-major GM to fractals in L1, L1 to the bias table and to the fixpipe's
// parameters, filling with a constant.

#include <algorithm>
#include <cstring>
#include <vector>

#include "npu/calls/convert.h"
#include "npu/calls/lie_apart.h"
#include "npu/chip.h"
#include "npu/machine/cube.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {

bool begin_cube_call(Core& core, int line) {
  core.line = line;
  return core.kind == CoreKind::kCube;
}

Memory memory_among(Core& core, const char* call, const char* operand, const kgnpu::Local& tensor,
                    std::initializer_list<Memory> allowed) {
  if (tensor.buffer == 0 || tensor.buffer >= core.buffers.size())
    check_local(core, call, operand, tensor, 0);  // reports that it has no memory
  const Memory memory = core.buffers[tensor.buffer].memory;
  std::string names;
  for (const Memory one : allowed) {
    if (one == memory) return memory;
    names += (names.empty() ? "" : " or ") + std::string(kind_of(one).name);
  }
  core.fail(FaultClass::kUb, call, ": ", operand, " is in ", kind_of(memory).name, ", but the call needs it in ", names,
            "; check the TPosition of its queue or buffer");
}

GlobalMemory::Allocation& check_global_range(Core& core, const char* call, std::uint64_t address, std::uint64_t bytes,
                                             bool writes) {
  GlobalMemory::Allocation* allocation = core.device->memory.find(address);
  const std::string does = writes ? " writes" : " reads";
  if (allocation == nullptr || address + bytes > allocation->start() + allocation->rounded) {
    if (allocation == nullptr) allocation = core.device->memory.nearest(address);
    std::string where = "outside global memory";
    if (allocation != nullptr)
      where = "bytes " + std::to_string(static_cast<std::int64_t>(address - allocation->start())) + " to " +
              std::to_string(static_cast<std::int64_t>(address + bytes - allocation->start())) + " of " +
              allocation->name + ", which has " + std::to_string(allocation->bytes);
    core.fail(FaultClass::kGm, call, does, " out of bounds: ", where,
              "; check the block's offset and the length of the last tile");
  }
  if (address + bytes > allocation->start() + allocation->bytes)
    core.warning(FaultClass::kGm, call, does, " up to ", address + bytes - allocation->start() - allocation->bytes,
                 " bytes beyond the end of ", allocation->name, ", within the slack of its allocation");
  return *allocation;
}

namespace {

// Half-precision values of L1 as the floats that the bias table holds.
void widen_to_table(LocalMemory& from, std::int64_t source, LocalMemory& to, std::int64_t target, std::int64_t values) {
  for (std::int64_t i = 0; i < values; ++i) {
    std::uint16_t bits;
    std::memcpy(&bits, from.data() + source + 2 * i, 2);
    float value;
    widen_half(&bits, &value, 1);
    std::memcpy(to.data() + target + 4 * i, &value, 4);
    to.set_defined(target + 4 * i, 4, from.all_defined(source + 2 * i, 2));
  }
}

// Bytes from the start of the destination to unit `unit` of row `row` of a matrix.
std::int64_t unit_place(const kgnpu::NdToNzCall& call, std::int64_t matrix, std::int64_t unit, std::int64_t row) {
  return matrix * call.dst_matrix_stride + unit * call.dst_c0_stride + row * call.dst_row_stride;
}

// Two units of the source have one place in the destination.
bool overwrites(const kgnpu::NdToNzCall& call, std::int64_t units) {
  if (surely_lie_apart(
          LocalMemory::kUnit,
          {{call.matrices, call.dst_matrix_stride}, {units, call.dst_c0_stride}, {call.rows, call.dst_row_stride}}))
    return false;
  const std::int64_t last = unit_place(call, call.matrices - 1, units - 1, call.rows - 1);
  std::vector<bool> taken(static_cast<std::size_t>(last / LocalMemory::kUnit + 1));
  for (std::int64_t i = 0; i < call.matrices; ++i)
    for (std::int64_t u = 0; u < units; ++u)
      for (std::int64_t r = 0; r < call.rows; ++r) {
        auto place = taken[static_cast<std::size_t>(unit_place(call, i, u, r) / LocalMemory::kUnit)];
        if (place) return true;
        place = true;
      }
  return false;
}

void check_strides(Core& core, const kgnpu::NdToNzCall& call, std::int64_t units) {
  if (call.matrices > 4095) core.error(FaultClass::kArgument, call.name, ": ndNum ", call.matrices, " is above 4095");
  if (call.rows > 1 && call.src_row_stride == 0)
    core.error(FaultClass::kArgument, call.name, ": srcDValue is 0; it is at least 1");
  if (call.matrices > 1 && call.dst_matrix_stride % LocalMemory::kUnit != 0)
    core.error(FaultClass::kArgument, call.name, ": dstNzMatrixStride is ", call.dst_matrix_stride,
               " bytes, no multiple of 32, so a matrix starts inside a unit of L1");
  if (!overwrites(call, units)) return;
  const auto in_units = [](std::int64_t bytes) { return std::to_string(bytes / LocalMemory::kUnit); };
  core.error(FaultClass::kArgument, call.name, ": with dstNzC0Stride ", in_units(call.dst_c0_stride), ", dstNzNStride ",
             in_units(call.dst_row_stride), ", dstNzMatrixStride ", in_units(call.dst_matrix_stride),
             " x 32 bytes and nValue ", call.rows, " parts of the source overwrite each other");
}

}  // namespace
}  // namespace kg::npu

using namespace kg::npu;

extern "C" {

void kgnpu_copy_nd_to_nz(const kgnpu::NdToNzCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  const char* const name = call->name;
  if (call->matrices <= 0 || call->rows <= 0 || call->row_bytes <= 0) return;
  const std::int64_t units = ceil_div(call->row_bytes, LocalMemory::kUnit);
  if (call->matrices * call->rows * units * LocalMemory::kUnit > kind_of(Memory::kL1).bytes)
    self.fail(FaultClass::kUb, name, ": ", call->matrices, " x ", call->rows, " rows of ", units,
              " units of 32 bytes are more than L1 holds");
  check_strides(self, *call, units);
  const std::int64_t reach = unit_place(*call, call->matrices - 1, units - 1, call->rows - 1) + LocalMemory::kUnit;
  memory_among(self, name, "the destination tensor", *call->local, {Memory::kL1});
  check_local(self, name, "the destination tensor", *call->local, reach, {.memory = Memory::kL1});
  GlobalMemory::Allocation& from =
      check_global_range(self, name, call->gm,
                         static_cast<std::uint64_t>((call->matrices - 1) * call->src_matrix_stride +
                                                    (call->rows - 1) * call->src_row_stride + call->row_bytes),
                         /*writes=*/false);
  Instruction instruction;
  for (std::int64_t i = 0; i < call->matrices; ++i)
    instruction =
        issue_move(self, kMte2, name,
                   {.allocation = &from,
                    .offset = call->gm - from.start() + static_cast<std::uint64_t>(i * call->src_matrix_stride),
                    .blocks = call->rows,
                    .bytes = call->row_bytes,
                    .stride = call->src_row_stride});
  LocalMemory& l1 = self.memory(Memory::kL1);
  for (std::int64_t i = 0; i < call->matrices; ++i) {
    for (std::int64_t u = 0; u < units; ++u) {
      const std::int64_t base = call->local->address + unit_place(*call, i, u, 0);
      if (call->dst_row_stride == LocalMemory::kUnit)
        touch_local(self, name, instruction, base, call->rows * LocalMemory::kUnit, /*writes=*/true, Memory::kL1);
      const std::int64_t bytes = std::min(LocalMemory::kUnit, call->row_bytes - u * LocalMemory::kUnit);
      for (std::int64_t r = 0; r < call->rows; ++r) {
        const std::int64_t to = base + r * call->dst_row_stride;
        if (call->dst_row_stride != LocalMemory::kUnit)
          touch_local(self, name, instruction, to, LocalMemory::kUnit, /*writes=*/true, Memory::kL1);
        const std::uint64_t offset =
            call->gm - from.start() +
            static_cast<std::uint64_t>(i * call->src_matrix_stride + r * call->src_row_stride + u * LocalMemory::kUnit);
        load_global(self, name, instruction, from, offset, l1.data() + to, l1.defined() + to, bytes);
        // The rest of the last unit of a row is zero.
        std::memset(l1.data() + to + bytes, 0, static_cast<std::size_t>(LocalMemory::kUnit - bytes));
        std::memset(l1.defined() + to + bytes, 1, static_cast<std::size_t>(LocalMemory::kUnit - bytes));
      }
    }
  }
}

void kgnpu_copy_to_table(const kgnpu::TableCopyCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  const char* const name = call->name;
  if (call->blocks <= 0 || call->block_units <= 0) return;
  const Memory memory =
      memory_among(self, name, "the destination tensor", *call->dst, {Memory::kBias, Memory::kFixpipe});
  memory_among(self, name, "the source tensor", *call->src, {Memory::kL1});
  const std::int64_t unit = memory == Memory::kBias ? 64 : 128;
  const std::int64_t block = call->block_units * unit, step = block + call->dst_gap * unit;
  const bool widens = call->src_type != call->dst_type;
  const std::int64_t src_block = widens ? block / 2 : block, src_step = src_block + call->src_gap * LocalMemory::kUnit;
  check_local(self, name, "the destination tensor", *call->dst, (call->blocks - 1) * step + block, {.memory = memory});
  check_local(self, name, "the source tensor", *call->src, (call->blocks - 1) * src_step + src_block,
              {.memory = Memory::kL1});
  const double cycles = static_cast<double>(call->blocks * block) / chip::kBiasBytesPerCycle;
  const Instruction instruction =
      self.issue(memory == Memory::kBias ? kMte1 : kFix, chip::kCubeMoveStart + cycles, chip::kCubeMoveLatency, name,
                 static_cast<std::uint64_t>(call->blocks * block));
  LocalMemory& from = self.memory(Memory::kL1);
  LocalMemory& to = self.memory(memory);
  for (std::int64_t b = 0; b < call->blocks; ++b) {
    const std::int64_t source = call->src->address + b * src_step, target = call->dst->address + b * step;
    touch_local(self, name, instruction, source, src_block, /*writes=*/false, Memory::kL1);
    touch_local(self, name, instruction, target, block, /*writes=*/true, memory);
    if (widens) {
      widen_to_table(from, source, to, target, src_block / 2);
    } else {
      std::memcpy(to.data() + target, from.data() + source, static_cast<std::size_t>(block));
      std::memcpy(to.defined() + target, from.defined() + source, static_cast<std::size_t>(block));
    }
  }
}

void kgnpu_fill_matrix(const kgnpu::FillCall* call) {
  Core& self = core();
  if (!begin_cube_call(self, call->line)) return;
  constexpr const char* kName = "InitConstValue";
  if (call->repeat <= 0 || call->blocks <= 0) return;
  const Memory memory =
      memory_among(self, kName, "the destination tensor", *call->dst, {Memory::kL1, Memory::kL0a, Memory::kL0b});
  const std::int64_t unit = memory == Memory::kL1 ? LocalMemory::kUnit : kFractalBytes;
  const std::int64_t block = call->blocks * unit, step = block + call->gap * unit;
  check_local(self, kName, "the destination tensor", *call->dst, (call->repeat - 1) * step + block, {.memory = memory});
  const double cycles = static_cast<double>(call->repeat * block) / chip::kL0aBytesPerCycle;
  const Instruction instruction =
      self.issue(memory == Memory::kL1 ? kMte2 : kMte1, chip::kCubeMoveStart + cycles, chip::kCubeMoveLatency, kName,
                 static_cast<std::uint64_t>(call->repeat * block));
  LocalMemory& to = self.memory(memory);
  for (int r = 0; r < call->repeat; ++r) {
    const std::int64_t target = call->dst->address + r * step;
    touch_local(self, kName, instruction, target, block, /*writes=*/true, memory);
    for (std::int64_t i = 0; i < block; i += call->element_bytes)
      std::memcpy(to.data() + target + i, &call->value, static_cast<std::size_t>(call->element_bytes));
    to.set_defined(target, block, true);
  }
}

}  // extern "C"
