#include "npu/calls/matmul_time.h"

#include <algorithm>

#include "npu/calls/matrix_operand.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

using kgnpu::MatmulCall;
using kgnpu::MatrixFormat;
using kgnpu::MatrixPlace;

// A base block and the pipes that work on it.
struct Block {
  std::int64_t row, rows, column, columns;
  double copies, out, cycles;  // until the next block can begin
};

// `has_a`, `has_b`: the panel of A, of B is in L1 already.
Block block_at(const MatmulCall& call, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns,
               bool has_a, bool has_b) {
  const auto out_size = size_of(call.c.type);
  const double a_bytes = static_cast<double>(rows * bytes_of(call.a.type, call.k)),
               b_bytes = static_cast<double>(columns * bytes_of(call.a.type, call.k));
  Block block{row,
              rows,
              column,
              columns,
              ((has_a ? 0 : a_bytes) + (has_b ? 0 : b_bytes)) / chip::kCubeMoveBytesPerCycle,
              static_cast<double>(rows * columns * out_size) / chip::kCubeMoveBytesPerCycle,
              0};
  block.cycles = std::max({unit_cycles(call.a.type, rows, columns, call.k), block.copies, block.out});
  return block;
}

// An operand as its copies ask GM for it; in local memory it asks for nothing.
struct InGm {
  // `piece`: elements of a row that one copy takes, if it does not take the whole part of the row; 0 otherwise.
  InGm(Core& core, const MatrixPlace& x, std::int64_t piece) : core(core), x(x) {
    if (x.gm != 0)
      allocation = core.device->memory.find(x.gm);  // null: it starts outside, the part that is used does not
    if (piece > 0 && (x.format == MatrixFormat::kNd || x.format == MatrixFormat::kNdAlign))
      piece_bytes = std::max(bytes_of(x.type, piece), LocalMemory::kUnit);
  }
  // The copies of a part of it between two moments.
  void ask(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, bool writes, double begin,
           double end) const {
    if (allocation == nullptr) return;
    GmBlocks blocks = blocks_in_gm(*allocation, x, row, rows, column, columns, writes);
    blocks.piece = piece_bytes;
    core.device->traffic.access(blocks, core.number, begin, end);
  }

  Core& core;
  const MatrixPlace& x;
  GlobalMemory::Allocation* allocation = nullptr;
  std::int64_t piece_bytes = 0;
};

}  // namespace

double unit_cycles(kgnpu::Type type, std::int64_t m, std::int64_t n, std::int64_t k) {
  const auto size = size_of(type);
  // A fractal of int4b_t has twice the depth of one of int8_t.
  const std::int64_t depth = type == kgnpu::Type::kInt4 ? 2 * chip::kMmadByteDepth
                             : size == 1                ? chip::kMmadByteDepth
                             : size == 4                ? chip::kMmadFloatDepth
                                                        : chip::kMmadDepth;
  const double steps =
      static_cast<double>(ceil_div(m, chip::kMmadSide) * ceil_div(n, chip::kMmadSide) * ceil_div(k, depth));
  return std::max(steps, static_cast<double>(m * bytes_of(type, k)) / chip::kL0aBytesPerCycle +
                             static_cast<double>(n * bytes_of(type, k)) / chip::kL0bBytesPerCycle);
}

double spend_matmul(Core& core, const MatmulCall& call, double start) {
  const std::int64_t base_m = std::min<std::int64_t>(call.m, std::max(call.base_m, 16));
  const std::int64_t base_n = std::min<std::int64_t>(call.n, std::max(call.base_n, 16));
  const std::int64_t row_blocks = ceil_div(call.m, std::max<std::int64_t>(base_m, 1));
  // A is stored in rows along K, B in columns, unless they are transposed.
  const InGm a(core, call.a, call.a.transposed ? 0 : call.copied_ka),
      b(core, call.b, call.b.transposed ? call.copied_kb : 0), c(core, call.c, 0);
  // Iterate computes a block, and GetTensorC writes it.
  const bool computes = call.stage != kgnpu::MatmulStage::kResult, writes = call.stage != kgnpu::MatmulStage::kProduct;
  double time = start + (computes ? chip::kMoveInLatency + chip::kMmadLatency : 0), out = 0;
  for (std::int64_t column = 0; column < call.n; column += base_n)
    for (std::int64_t row = 0; row < call.m; row += base_m) {
      // Down M first, so a panel of B serves all rows, and those of A come again with each column of blocks.
      const bool has_a = column > 0 && call.kept_a >= row_blocks, has_b = row > 0 && call.kept_b > 0;
      const Block block =
          block_at(call, row, std::min(base_m, call.m - row), column, std::min(base_n, call.n - column), has_a, has_b);
      const double copied = time + block.copies, end = time + (computes ? block.cycles : 0);
      core.limit_time(end);
      if (computes && !has_a) a.ask(row, block.rows, 0, call.k, /*writes=*/false, time, copied);
      if (computes && !has_b) b.ask(0, call.k, column, block.columns, /*writes=*/false, time, copied);
      if (writes) c.ask(row, block.rows, column, block.columns, /*writes=*/true, end, end + block.out);
      time = end;
      out = writes ? block.out : 0;
    }
  const auto out_size = size_of(call.c.type);
  if (computes)
    core.device->bytes_read += static_cast<std::uint64_t>((call.m + call.n) * bytes_of(call.a.type, call.k));
  if (writes) core.device->bytes_written += static_cast<std::uint64_t>(call.m * call.n * out_size);
  return time + out;
}

}  // namespace kg::npu
