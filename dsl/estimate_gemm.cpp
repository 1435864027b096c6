#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "dsl/constant.h"
#include "dsl/estimate.h"
#include "npu/chip.h"

namespace kg::dsl {
namespace {

namespace chip = npu::chip;

constexpr double kCopyBytes = chip::kCubeMoveBytesPerCycle, kOutBytes = chip::kMoveBytesPerCycle;
constexpr double kL2Bytes = static_cast<int>(chip::kL2BytesPerCycle);
constexpr std::int64_t kSide = chip::kMmadSide;

// Bytes of the lines that a row is in: L2 is busy with all of them.
std::int64_t in_lines(std::int64_t row_bytes) { return align_up(row_bytes, chip::kGmLineBytes); }

std::int64_t requested(std::int64_t row_bytes) {
  return row_bytes <= 128 ? 128 : row_bytes <= 256 ? 256 : in_lines(row_bytes);
}

// Cycles of a core for these sizes; none if they do not fit.
double cycles(const GemmLoop& loop, std::int64_t groups, const GemmSizes& sizes) {
  const auto& [m, n, k] = sizes;
  const double none = std::numeric_limits<double>::infinity();
  const std::int64_t rows = align_up(m, kSide), columns = align_up(n, kSide), depth = align_up(k, chip::kFractalSide);
  if (rows * columns * 4 > chip::kL0cBytes || 2 * (rows + columns) * depth * loop.bytes > chip::kL1Bytes) return none;
  const auto pieces = static_cast<double>(loop.outer * ceil_div(loop.m_total, m) * ceil_div(loop.n_total, n));
  const double turns = std::ceil(pieces / static_cast<double>(groups));
  const auto deep = static_cast<double>(loop.inner * ceil_div(loop.k_total, k));
  const auto bytes = static_cast<double>(m * requested(k * loop.bytes) + k * requested(n * loop.bytes));
  // Elements of four bytes come in panels of 16 rows, of one of the operands at least.
  const double starts = loop.bytes == 4 ? 1 + static_cast<double>(ceil_div(k, kSide)) : 2;
  const double copies = starts * chip::kMoveStart + bytes / kCopyBytes;
  const double loads = static_cast<double>(rows * depth * loop.bytes) / chip::kL0aBytesPerCycle +
                       static_cast<double>(columns * depth * loop.bytes) / chip::kL0bBytesPerCycle;
  const auto steps = static_cast<double>(rows / kSide * (columns / kSide) *
                                         ceil_div(k, loop.bytes == 4 ? chip::kMmadFloatDepth : chip::kMmadDepth));
  const double turn = deep * std::max({copies, loads, steps});
  const double out = chip::kFixpipeStart + static_cast<double>(m * requested(n * 4)) / kOutBytes;
  const bool overlaps = 2 * rows * columns * 4 <= chip::kL0cBytes;
  const double busy = turns * (overlaps ? std::max(turn, out) : turn + out) + copies + out;
  const auto lines = static_cast<double>(m * in_lines(k * loop.bytes) + k * in_lines(n * loop.bytes));
  return std::max(busy, pieces * deep * lines / kL2Bytes);
}

std::vector<std::int64_t> choices(bool open, std::int64_t total, std::int64_t size, std::vector<std::int64_t> sizes) {
  if (!open) return {size};
  std::vector<std::int64_t> kept;
  for (const std::int64_t each : sizes)
    if (kept.empty() || kept.back() < total) kept.push_back(each);
  return kept;
}

}  // namespace

bool choose_gemm_sizes(const Checked& checked, TileSizes& sizes) {
  bool any = false;
  sizes.gemm.assign(checked.gemm_loops.size(), {});
  for (std::size_t i = 0; i < checked.gemm_loops.size(); ++i) {
    const GemmLoop& loop = checked.gemm_loops[i];
    any |= loop.any();
    double best = std::numeric_limits<double>::infinity();
    for (const std::int64_t m : choices(loop.m, loop.m_total, loop.fixed.m, {16, 32, 48, 64, 96, 128, 192, 256}))
      for (const std::int64_t n : choices(loop.n, loop.n_total, loop.fixed.n, {16, 32, 48, 64, 96, 128, 192, 256}))
        for (const std::int64_t k : choices(loop.k, loop.k_total, loop.fixed.k, {32, 64, 128, 256, 512, 1024})) {
          const GemmSizes cut = {std::min(m, loop.m_total), std::min(n, loop.n_total), std::min(k, loop.k_total)};
          const double here = cycles(loop, checked.groups, cut);
          if (here >= best) continue;
          best = here;
          sizes.gemm[i] = {m, n, k};
        }
  }
  return any;
}

}  // namespace kg::dsl
