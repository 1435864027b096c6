#include "npu/calls/matmul_time.h"

#include <algorithm>

#include "npu/calls/matrix_operand.h"
#include "npu/calls/rate_table.h"
#include "npu/chip.h"

namespace kg::npu {
namespace {

using kgnpu::MatmulCall;
using kgnpu::MatrixPlace;

// A base block and the pipes that work on it.
struct Block {
  std::int64_t row, rows, column, columns;
  double copies, out, cycles;  // until the next block can begin
};

Block block_at(const MatmulCall& call, std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns) {
  const auto in_size = static_cast<std::int64_t>(type_bytes(call.a.type));
  const auto out_size = static_cast<std::int64_t>(type_bytes(call.c.type));
  const std::int64_t k_step = in_size == 1   ? chip::kMmadByteDepth
                              : in_size == 4 ? chip::kMmadFloatDepth
                                             : chip::kMmadDepth;
  const auto side = [](std::int64_t n) { return ceil_div(n, chip::kMmadSide); };
  const double steps = static_cast<double>(side(rows) * side(columns) * ceil_div(call.k, k_step));
  const double a_bytes = static_cast<double>(rows * call.k * in_size),
               b_bytes = static_cast<double>(columns * call.k * in_size);
  const double loads = a_bytes / chip::kL0aBytesPerCycle + b_bytes / chip::kL0bBytesPerCycle;
  Block block{row,
              rows,
              column,
              columns,
              (a_bytes + b_bytes) / chip::kCubeMoveBytesPerCycle,
              static_cast<double>(rows * columns * out_size) / chip::kMoveBytesPerCycle,
              0};
  block.cycles = std::max({steps, block.copies, loads, block.out});
  return block;
}

// An operand as its copies ask GM for it; in local memory it asks for nothing.
struct InGm {
  InGm(Core& core, const MatrixPlace& x) : core(core), x(x) {
    if (x.gm != 0)
      allocation = core.device->memory.find(x.gm);  // null: it starts outside, the part that is used does not
  }
  // The copy of a part of it between two moments.
  void ask(std::int64_t row, std::int64_t rows, std::int64_t column, std::int64_t columns, bool writes, double begin,
           double end) const {
    if (allocation == nullptr) return;
    core.device->traffic.access(blocks_in_gm(*allocation, x, row, rows, column, columns, writes), core.number, begin,
                                end);
  }

  Core& core;
  const MatrixPlace& x;
  GlobalMemory::Allocation* allocation = nullptr;
};

}  // namespace

double spend_matmul(Core& core, const MatmulCall& call, double start) {
  const std::int64_t base_m = std::min<std::int64_t>(call.m, std::max(call.base_m, 16));
  const std::int64_t base_n = std::min<std::int64_t>(call.n, std::max(call.base_n, 16));
  const InGm a(core, call.a), b(core, call.b), c(core, call.c);
  double time = start + chip::kMoveInLatency + chip::kMmadLatency, out = 0;
  for (std::int64_t column = 0; column < call.n; column += base_n)
    for (std::int64_t row = 0; row < call.m; row += base_m) {
      const Block block =
          block_at(call, row, std::min(base_m, call.m - row), column, std::min(base_n, call.n - column));
      const double copied = time + block.copies, end = time + block.cycles;
      core.limit_time(end);
      a.ask(row, block.rows, 0, call.k, /*writes=*/false, time, copied);
      b.ask(0, call.k, column, block.columns, /*writes=*/false, time, copied);
      c.ask(row, block.rows, column, block.columns, /*writes=*/true, end, end + block.out);
      time = end;
      out = block.out;
    }
  const auto in_size = static_cast<std::int64_t>(type_bytes(call.a.type));
  const auto out_size = static_cast<std::int64_t>(type_bytes(call.c.type));
  core.device->bytes_read += static_cast<std::uint64_t>((call.m + call.n) * call.k * in_size);
  core.device->bytes_written += static_cast<std::uint64_t>(call.m * call.n * out_size);
  return time + out;
}

}  // namespace kg::npu
