// The softmax family over rows: computed in double and rounded once for each result. Rows of sums and maxima fill a
// block of 32 bytes each.

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <numeric>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/headers/kgnpu/temporary_sizes.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

constexpr std::int64_t kBlock = UnifiedBuffer::kUnit;

// number: rows, elements a row takes, valid rows, valid elements of a row.
struct Rows {
  explicit Rows(const SpecialRun& run)
      : rows(run.number(0)), step(run.number(1)), valid_rows(run.number(2)), valid(run.number(3)) {}
  std::int64_t rows, step, valid_rows, valid;
  std::int64_t bytes(Type type) const { return rows * step * size_of(type); }
  double elements() const { return static_cast<double>(rows * step); }
};

bool sensible(SpecialRun& run, const Rows& rows) {
  if (rows.rows > 0 && rows.step > 0 && rows.valid > 0 && rows.valid <= rows.step && rows.valid_rows <= rows.rows)
    return run.fits({rows.rows, rows.step});
  run.error(FaultClass::kArgument, "a shape of ", rows.rows, " x ", rows.step, ", valid ", rows.valid_rows, " x ",
            rows.valid, "; give SoftMaxShapeInfo {srcM, srcK, oriSrcM, oriSrcK} or a tiling made for the shape");
  return false;
}

// Number 11: rows that the tiling works on at a time, if it was made for this shape; else 0.
void scratch(SpecialRun& run, int tensor, const Rows& rows, std::int64_t kept, const std::string& function) {
  const std::int64_t one = kept * kgnpu::softmax_row_bytes(rows.step);
  const std::int64_t at_once = std::clamp<std::int64_t>(run.number(11), 1, rows.rows);
  run.scratch(run.call.tensor[tensor], rows.bytes(run.call.type), at_once * one,
              at_once == 1 ? "Get" + function + (function.ends_with("V3") ? "Max" : "") +
                                 "MinTmpSize on the host side gives the least size"
                           : "its tiling works on " + std::to_string(at_once) + " rows of " + std::to_string(one) +
                                 " bytes at a time; give " + function +
                                 "TilingFunc the size of the buffer as localWorkSpaceSize");
}

struct Row {
  std::vector<double> x;
  bool known;
};
Row row_of(const SpecialRun& run, const kgnpu::Local& tensor, const Rows& rows, std::int64_t r) {
  Row row;
  row.x.resize(static_cast<std::size_t>(rows.valid));
  for (std::int64_t i = 0; i < rows.valid; ++i)
    row.x[static_cast<std::size_t>(i)] = run.get(tensor, run.call.type, r * rows.step + i);
  row.known = run.defined(tensor, r * rows.step * size_of(run.call.type), rows.valid * size_of(run.call.type));
  return row;
}
void put_row(SpecialRun& run, const kgnpu::Local& tensor, const Rows& rows, std::int64_t r,
             const std::vector<double>& values, bool known) {
  for (std::int64_t i = 0; i < rows.valid; ++i)
    run.put(tensor, run.call.type, r * rows.step + i, values[static_cast<std::size_t>(i)], known);
  // The padding of a row is unspecified; it holds no result.
  const std::int64_t size = size_of(run.call.type);
  run.define(tensor, (r * rows.step + rows.valid) * size, (rows.step - rows.valid) * size, false);
}
// The data type of sums and maxima.
Type statistics_of(const SpecialRun& run) {
  if (run.call.type2 != Type::kHalf && run.call.type2 != Type::kFloat)
    run.refuse("sums and maxima in ", type_name(run.call.type2), "; they are half or float");
  return run.call.type2;
}
// One value a row, in every element of its block.
double block_value(const SpecialRun& run, int k, Type type, std::int64_t r) {
  return run.get(run.tensor(k), type, r * (kBlock / size_of(type)));
}
bool block_known(const SpecialRun& run, int k, Type type, std::int64_t r) {
  return run.defined(run.tensor(k), r * kBlock, size_of(type));
}
void put_block(SpecialRun& run, int k, Type type, std::int64_t r, double value, bool known) {
  const std::int64_t n = kBlock / size_of(type);
  for (std::int64_t i = 0; i < n; ++i) run.put(run.tensor(k), type, r * n + i, value, known);
}

double largest(const std::vector<double>& x, double start) {
  for (const double value : x)
    if (value != value || value > start) start = value;
  return start;
}
// exp(x - max), and the sum.
double exponentials(std::vector<double>& x, double max) {
  double sum = 0;
  for (double& value : x) sum += value = std::exp(value - max);
  return sum;
}
// tensor: dst, src, sum or null, max or null, temporary; number 4: whether the logarithm (base 10) is requested; type2:
// type of sum and max.
std::uint64_t softmax(SpecialRun& run) {
  const Rows rows(run);
  if (!sensible(run, rows)) return 0;
  run.reads(run.tensor(1), rows.bytes(run.call.type), "the source tensor");
  run.writes(run.tensor(0), rows.bytes(run.call.type), "the destination tensor");
  for (const int k : {2, 3})
    if (run.has(k)) run.writes(run.tensor(k), rows.rows * kBlock, k == 2 ? "the sum tensor" : "the maximum tensor");
  scratch(run, 4, rows, kgnpu::kSoftmaxRows, run.number(4) ? "LogSoftMax" : "SoftMax");
  run.issue(library_cycles(rows.elements(), run.call.type, 4, 2) + static_cast<double>(rows.rows) * 14);
  for (std::int64_t r = 0; r < rows.valid_rows; ++r) {
    Row row = row_of(run, run.tensor(1), rows, r);
    const double max = largest(row.x, -HUGE_VAL);
    const double sum = exponentials(row.x, max);
    for (double& value : row.x) value = run.number(4) ? std::log10(value / sum) : value / sum;
    put_row(run, run.tensor(0), rows, r, row.x, row.known);
    if (run.has(2)) put_block(run, 2, statistics_of(run), r, sum, row.known);
    if (run.has(3)) put_block(run, 3, statistics_of(run), r, max, row.known);
  }
  return 0;
}

// SoftmaxFlashV3 moves each of a row's eight parts by how far its mean is from the row's. Returns the row's mean.
double level(std::vector<double>& x, double strength) {
  const auto mean_of = [&](std::size_t at, std::size_t n) {
    return std::accumulate(&x[at], &x[at] + n, 0.0) / static_cast<double>(n);
  };
  const double mean = mean_of(0, x.size());
  for (std::size_t at = 0, n = x.size() / 8; at < x.size(); at += n) {
    const double by = (mean - mean_of(at, n)) * strength;
    for (std::size_t i = at; i < at + n; ++i) x[i] -= by;
  }
  return mean;
}
bool sensible_means(SpecialRun& run, const Rows& rows, float alpha) {
  if (run.number(7) == 8 && (run.number(4) == 0 || run.number(6) > 0) && alpha < 1 && rows.step >= 512 &&
      rows.step % 64 == 0 && rows.rows % 8 == 0 && rows.valid == rows.step && rows.valid_rows == rows.rows)
    return true;
  run.error(FaultClass::kArgument,
            "srcM is a multiple of 8, srcK one of 64 and at least 512, oriSrcM and oriSrcK are "
            "the same, splitMeanCnt is 8, loopCnt at least 1 and alpha below 1");
  return false;
}

// tensor: dst, src, sum, max, factor, earlier sum, earlier max, temporary; number 4: whether it updates, 5: whether dst
// is divided by the sum (the first version). type2: of sums and maxima. Of V3: tensor 8, 9: mean, earlier mean; number
// 6: pieces of the row up to this one, 7: parts, 8: bits of alpha.
std::uint64_t flash(SpecialRun& run) {
  const Rows rows(run);
  if (!sensible(run, rows)) return 0;
  const Type wide = statistics_of(run);
  const bool updates = run.number(4) != 0, divides = run.number(5) != 0, levels = run.has(8);
  const auto alpha = std::bit_cast<float>(static_cast<std::uint32_t>(run.call.number[8]));
  if (levels && !sensible_means(run, rows, alpha)) return 0;
  run.reads(run.tensor(1), rows.bytes(run.call.type), "the source tensor");
  if (updates) {
    run.reads(run.tensor(5), rows.rows * kBlock, "the earlier sum");
    run.reads(run.tensor(6), rows.rows * kBlock, "the earlier maximum");
    if (levels) run.reads(run.tensor(9), rows.rows * kBlock, "the earlier mean");
    run.writes(run.tensor(4), rows.rows * kBlock, "the factor tensor");
  }
  run.writes(run.tensor(0), rows.bytes(run.call.type), "the destination tensor");
  run.writes(run.tensor(2), rows.rows * kBlock, "the sum tensor");
  run.writes(run.tensor(3), rows.rows * kBlock, "the maximum tensor");
  if (levels) run.writes(run.tensor(8), rows.rows * kBlock, "the mean tensor");
  scratch(run, 7, rows, kgnpu::kSoftmaxFlashRows, "SoftMax" + std::string(run.call.name + 7));
  run.issue(library_cycles(rows.elements(), run.call.type, 3, 1) + static_cast<double>(rows.rows) * 16);
  for (std::int64_t r = 0; r < rows.valid_rows; ++r) {
    Row row = row_of(run, run.tensor(1), rows, r);
    double earlier_max = -HUGE_VAL, earlier_sum = 0;
    if (updates) {
      earlier_sum = block_value(run, 5, wide, r);
      earlier_max = block_value(run, 6, wide, r);
      row.known = row.known && block_known(run, 5, wide, r) && block_known(run, 6, wide, r);
    }
    double moved = 0;  // the maxima of V3 are those of rows moved by this
    if (levels) {
      const double strength = alpha / (1.0 - alpha), own = level(row.x, strength);
      const auto pieces = static_cast<double>(run.number(6));
      const double earlier = updates ? block_value(run, 9, wide, r) : 0;
      const double mean = updates ? (own + earlier * (pieces - 1)) / pieces : own;
      if (updates) row.known = row.known && block_known(run, 9, wide, r);
      moved = (own - mean) * strength;
      earlier_max += (earlier - mean) * strength - moved;
      put_block(run, 8, wide, r, mean, row.known);
    }
    const double max = largest(row.x, earlier_max);
    const double factor = updates ? std::exp(earlier_max - max) : 0;
    const double sum = exponentials(row.x, max) + (updates ? factor * earlier_sum : 0);
    if (divides)
      for (double& value : row.x) value /= sum;
    put_row(run, run.tensor(0), rows, r, row.x, row.known);
    put_block(run, 2, wide, r, sum, row.known);
    put_block(run, 3, wide, r, max + moved, row.known);
    // The factor for the earlier result is in the type of dst.
    if (updates) put_block(run, 4, run.call.type, r, divides ? factor * earlier_sum / sum : factor, row.known);
  }
  return 0;
}

// tensor: dst, src, sum, max, temporary.
std::uint64_t simple_softmax(SpecialRun& run) {
  const Rows rows(run);
  if (!sensible(run, rows)) return 0;
  const Type wide = statistics_of(run);
  run.reads(run.tensor(1), rows.bytes(run.call.type), "the source tensor");
  run.reads(run.tensor(2), rows.rows * kBlock, "the sum tensor");
  run.reads(run.tensor(3), rows.rows * kBlock, "the maximum tensor");
  run.writes(run.tensor(0), rows.bytes(run.call.type), "the destination tensor");
  scratch(run, 4, rows, kgnpu::kSoftmaxRows, "SoftMax");
  run.issue(library_cycles(rows.elements(), run.call.type, 2, 2));
  for (std::int64_t r = 0; r < rows.valid_rows; ++r) {
    Row row = row_of(run, run.tensor(1), rows, r);
    const double sum = block_value(run, 2, wide, r), max = block_value(run, 3, wide, r);
    for (double& value : row.x) value = std::exp(value - max) / sum;
    put_row(run, run.tensor(0), rows, r, row.x,
            row.known && block_known(run, 2, wide, r) && block_known(run, 3, wide, r));
  }
  return 0;
}

// tensor: dst, gradient, src, temporary; number 4: only the sums (front).
std::uint64_t softmax_grad(SpecialRun& run) {
  const Rows rows(run);
  if (!sensible(run, rows)) return 0;
  const bool front = run.number(4) != 0;
  run.reads(run.tensor(1), rows.bytes(run.call.type), "the gradient tensor");
  run.reads(run.tensor(2), rows.bytes(run.call.type), "the source tensor");
  run.writes(run.tensor(0), front ? rows.rows * kBlock : rows.bytes(run.call.type), "the destination tensor");
  scratch(run, 3, rows, kgnpu::kSoftmaxGradRows, "SoftMaxGrad");
  run.issue(library_cycles(rows.elements(), run.call.type, front ? 2 : 4, 0) + static_cast<double>(rows.rows) * 7);
  for (std::int64_t r = 0; r < rows.valid_rows; ++r) {
    Row gradient = row_of(run, run.tensor(1), rows, r);
    const Row row = row_of(run, run.tensor(2), rows, r);
    double sum = 0;
    for (std::size_t i = 0; i < row.x.size(); ++i) sum += gradient.x[i] * row.x[i];
    const bool known = gradient.known && row.known;
    if (front) {
      put_block(run, 0, run.call.type, r, sum, known);
      continue;
    }
    for (std::size_t i = 0; i < row.x.size(); ++i) gradient.x[i] = (gradient.x[i] - sum) * row.x[i];
    put_row(run, run.tensor(0), rows, r, gradient.x, known);
  }
  return 0;
}

// tensor: result, max; number 4: bits of the maximum to look for, 5: bits of what such rows are set to. Returns whether
// a row was.
std::uint64_t adjust_softmax(SpecialRun& run) {
  const Rows rows(run);
  if (!sensible(run, rows)) return 0;
  run.reads(run.tensor(1), rows.rows * kBlock, "the maximum tensor");
  run.writes(run.tensor(0), rows.bytes(run.call.type), "the result tensor");
  run.issue(static_cast<double>(rows.rows));
  std::uint64_t found = 0;
  const auto bytes = static_cast<std::size_t>(size_of(statistics_of(run)));
  const double value = run.scalar(5, run.call.type);
  for (std::int64_t r = 0; r < rows.valid_rows; ++r) {
    std::uint32_t bits = 0;
    std::memcpy(&bits, run.at(run.tensor(1), r * kBlock), bytes);
    if (bits != static_cast<std::uint32_t>(run.call.number[4])) continue;
    found = 1;
    for (std::int64_t i = 0; i < rows.step; ++i) run.put(run.tensor(0), run.call.type, r * rows.step + i, value, true);
  }
  return found;
}

constexpr SpecialRow kTable[] = {{Special::kSoftmax, softmax},
                                 {Special::kSoftmaxFlash, flash},
                                 {Special::kSimpleSoftmax, simple_softmax},
                                 {Special::kSoftmaxGrad, softmax_grad},
                                 {Special::kAdjustSoftmax, adjust_softmax}};

}  // namespace

std::span<const SpecialRow> softmax_table() { return kTable; }

}  // namespace kg::npu
