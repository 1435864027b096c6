#include "npu/calls/matrix_operand.h"

#include <algorithm>
#include <cstring>
#include <string>

#include "npu/calls/rate_table.h"
#include "npu/machine/gm_store.h"

namespace kg::npu {
namespace {

using kgnpu::MatrixFormat;
using kgnpu::MatrixPlace;

constexpr const char* kName = "Matmul";

// Elements of the 32 bytes that a row of a fractal has.
std::int64_t unit_elements(kgnpu::Type type) {
  return type == kgnpu::Type::kInt4 ? 2 * LocalMemory::kUnit : LocalMemory::kUnit / size_of(type);
}

}  // namespace

std::int64_t element_place(const MatrixPlace& x, std::int64_t row, std::int64_t column) {
  row += x.row;
  column += x.column;
  if (x.transposed) std::swap(row, column);
  const std::int64_t unit = unit_elements(x.type);
  switch (x.format) {
    case MatrixFormat::kNz: {
      const std::int64_t rows = ceil_div(x.rows, 16) * 16;
      return column / unit * rows * unit + row * unit + column % unit;
    }
    case MatrixFormat::kNdAlign:
      return row * ceil_div(x.columns, unit) * unit + column;
    case MatrixFormat::kVector:
      return column;
    case MatrixFormat::kScalar:
      return 0;
    case MatrixFormat::kInL0c:
      return (column / 16 * ceil_div(x.rows, 16) * 16 + row) * 16 + column % 16;
    default:
      return row * x.columns + column;
  }
}

namespace {

// The last element of a part is furthest from the start in every format, if the fractals' columns are as high as the
// part.
void check_formed(Core& core, const char* name, const MatrixPlace& x, std::int64_t rows, std::int64_t columns) {
  if (x.type == kgnpu::Type::kInt4 && x.format == MatrixFormat::kNd && x.columns % 2 != 0)
    core.fail(FaultClass::kArgument, "Matmul: ", name, " of int4b_t has rows of ", x.columns,
              " elements; a byte holds two, so a row has an even number of them");
  if (x.format != MatrixFormat::kNz) return;
  const std::int64_t needed = x.transposed ? x.column + columns : x.row + rows;
  if (needed <= ceil_div(x.rows, 16) * 16) return;
  core.fail(FaultClass::kArgument, "Matmul: ", name, " in NZ has ", x.rows, " rows, the product takes ", needed,
            "; check the tiling's original shape");
}

}  // namespace

MatrixOperand::MatrixOperand(Core& core, const char* name, const MatrixPlace& x, std::int64_t rows,
                             std::int64_t columns, bool writes)
    : size_(size_of(x.type)), place_(x) {
  if (x.format == MatrixFormat::kScalar) return;
  if (x.format != MatrixFormat::kNd && x.format != MatrixFormat::kNz && x.format != MatrixFormat::kNdAlign &&
      x.format != MatrixFormat::kVector && x.format != MatrixFormat::kInL0c)
    core.fail(FaultClass::kArgument, "Matmul: ", name, " is ND, NZ, ND_ALIGN or VECTOR on this device");
  check_formed(core, name, x, rows, columns);
  const std::int64_t low = element_place(x, 0, 0), high = element_place(x, rows - 1, columns - 1);
  if (x.gm != 0) {
    const std::int64_t begin = byte_of(x.type, low), end = bytes_of(x.type, high + 1);
    allocation_ = &check_global_range(core, kName, x.gm + static_cast<std::uint64_t>(begin),
                                      static_cast<std::uint64_t>(end - begin), writes);
    base_ = static_cast<std::int64_t>(x.gm - allocation_->start());
    instruction_ = core.issue(writes ? kMte3 : kMte2, 0, 0);
    if (writes) core.cube.matmul_stores.insert(instruction_.number);
    if (!writes) read(core, rows, columns);
    return;
  }
  if (x.local == nullptr || x.local->buffer == 0)
    core.fail(FaultClass::kMemory, "Matmul: ", name, " is not set; call SetTensor", (name[0] == 'A' ? "A" : "B"),
              " before Iterate");
  memory_ = x.format == MatrixFormat::kInL0c ? memory_among(core, kName, name, *x.local, {Memory::kL0c})
                                             : memory_among(core, kName, name, *x.local, {Memory::kUb, Memory::kL1});
  check_local(core, kName, name, *x.local, bytes_of(x.type, high + 1), {.memory = memory_});
  base_ = x.local->address;
  local_ = &core.memory(memory_);
  // The framework moves it through the vector core's copy unit; a cube core has it where its unit reads it.
  const Instruction instruction = core.issue(core.kind == CoreKind::kCube ? kM : writes ? kMte2 : kMte3, 0, 0);
  touch_local(core, kName, instruction, base_, bytes_of(x.type, high + 1), writes, memory_);
}

std::int64_t MatrixOperand::offset(std::int64_t row, std::int64_t column) const {
  return base_ + byte_of(place_.type, element_place(place_, row, column));
}

bool MatrixOperand::defined(std::int64_t offset) const {
  if (place_.format == MatrixFormat::kScalar) return true;
  if (local_ != nullptr) return local_->all_defined(offset, size_);
  if (allocation_->state.empty()) return true;
  for (std::int64_t i = 0; i < size_; ++i)
    if (allocation_->state.data()[offset + i] != static_cast<std::uint8_t>(GlobalMemory::State::kDefined)) return false;
  return true;
}
void MatrixOperand::store(Core& core, std::int64_t offset, const std::uint8_t* data, const std::uint8_t* defined,
                          std::int64_t bytes) const {
  if (allocation_ != nullptr) {
    store_global(core, kName, instruction_, *allocation_, static_cast<std::uint64_t>(offset), data, defined, bytes);
    return;
  }
  std::memcpy(local_->data() + offset, data, static_cast<std::size_t>(bytes));
  std::memcpy(local_->defined() + offset, defined, static_cast<std::size_t>(bytes));
}
// Records the reads: along the rows as stored.
void MatrixOperand::read(Core& core, std::int64_t rows, std::int64_t columns) const {
  if (place_.transposed) std::swap(rows, columns);
  const bool by_rows = place_.format != MatrixFormat::kNz;
  for (std::int64_t row = 0; row < (by_rows ? rows : 1); ++row) {
    const std::int64_t first = place_.transposed ? offset(0, row) : offset(row, 0);
    const std::int64_t last =
        !by_rows            ? offset((place_.transposed ? columns : rows) - 1, (place_.transposed ? rows : columns) - 1)
        : place_.transposed ? offset(columns - 1, row)
                            : offset(row, columns - 1);
    read_global(core, kName, instruction_, *allocation_, static_cast<std::uint64_t>(first), last - first + size_);
  }
}

GmBlocks blocks_in_gm(GlobalMemory::Allocation& allocation, const kgnpu::MatrixPlace& x, std::int64_t row,
                      std::int64_t rows, std::int64_t column, std::int64_t columns, bool writes) {
  GmBlocks blocks{.allocation = &allocation, .writes = writes};
  blocks.offset =
      x.gm - allocation.start() + static_cast<std::uint64_t>(byte_of(x.type, element_place(x, row, column)));
  if (x.transposed) std::swap(rows, columns);
  if (x.format == MatrixFormat::kNz) {  // columns of fractals
    const std::int64_t width = unit_elements(x.type);
    blocks.blocks = ceil_div(columns, width);
    blocks.bytes = (rows - 1) * LocalMemory::kUnit + bytes_of(x.type, std::min(columns, width));
    blocks.stride = ceil_div(x.rows, 16) * 16 * LocalMemory::kUnit;
  } else {
    blocks.blocks = x.format == MatrixFormat::kVector ? 1 : rows;
    blocks.bytes = bytes_of(x.type, columns);
    blocks.stride = bytes_of(x.type, x.columns);
    if (x.format == MatrixFormat::kNdAlign)
      blocks.stride = ceil_div(blocks.stride, LocalMemory::kUnit) * LocalMemory::kUnit;
  }
  return blocks;
}

}  // namespace kg::npu
