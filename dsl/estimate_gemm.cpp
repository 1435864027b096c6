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
double cycles(const OpenGemm& open, std::int64_t groups, std::int64_t m, std::int64_t n, std::int64_t k) {
  const double none = std::numeric_limits<double>::infinity();
  const std::int64_t rows = align_up(m, kSide), columns = align_up(n, kSide), depth = align_up(k, chip::kFractalSide);
  if (open.loops * rows * columns * 4 > chip::kL0cBytes ||
      open.loops * 2 * (rows + columns) * depth * open.bytes > chip::kL1Bytes)
    return none;
  const auto pieces = static_cast<double>(ceil_div(open.m_total, m) * ceil_div(open.n_total, n));
  const double turns = std::ceil(pieces / static_cast<double>(groups));
  const auto deep = static_cast<double>(ceil_div(open.k_total, k));
  const auto bytes = static_cast<double>(m * requested(k * open.bytes) + k * requested(n * open.bytes));
  const double copies = 2 * chip::kMoveStart + bytes / kCopyBytes;
  const double loads = static_cast<double>(rows * depth * open.bytes) / chip::kL0aBytesPerCycle +
                       static_cast<double>(columns * depth * open.bytes) / chip::kL0bBytesPerCycle;
  const auto steps = static_cast<double>(rows / kSide * (columns / kSide) *
                                         ceil_div(k, open.bytes == 4 ? chip::kMmadFloatDepth : chip::kMmadDepth));
  const double turn = deep * std::max({copies, loads, steps});
  const double out = chip::kFixpipeStart + static_cast<double>(m * requested(n * 4)) / kOutBytes;
  const bool overlaps = 2 * rows * columns * 4 <= chip::kL0cBytes;
  const double busy = turns * (overlaps ? std::max(turn, out) : turn + out) + copies + out;
  const auto lines = static_cast<double>(m * in_lines(k * open.bytes) + k * in_lines(n * open.bytes));
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

void choose_gemm_sizes(const Checked& checked, TileSizes& sizes) {
  const OpenGemm& open = checked.open_gemm;
  double best = std::numeric_limits<double>::infinity();
  for (const std::int64_t m : choices(open.m, open.m_total, open.m_size, {16, 32, 48, 64, 96, 128, 192, 256}))
    for (const std::int64_t n : choices(open.n, open.n_total, open.n_size, {16, 32, 48, 64, 96, 128, 192, 256}))
      for (const std::int64_t k : choices(open.k, open.k_total, open.k_size, {32, 64, 128, 256, 512, 1024})) {
        const double here = cycles(open, checked.groups, std::min(m, open.m_total), std::min(n, open.n_total),
                                   std::min(k, open.k_total));
        if (here >= best) continue;
        best = here;
        sizes.m = m;
        sizes.n = n;
        sizes.k = k;
      }
}

}  // namespace kg::dsl
