// High-level calls that rearrange data: Pad, UnPad, and Transpose (ConfusionTranspose) between the layouts of
// attention. An element's place in the result is computed from its place in the source.

#include <algorithm>
#include <array>
#include <vector>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"

namespace kg::npu {
namespace {

using kgnpu::Special;

// A part of a tensor with what is known about it, since source and destination may be the same.
struct Copied {
  Copied(const SpecialRun& run, const kgnpu::Local& from, std::int64_t bytes)
      : data(run.at(from, 0), run.at(from, bytes)),
        known(run.core.ub->defined() + from.address, run.core.ub->defined() + from.address + bytes) {}
  void give(SpecialRun& run, const kgnpu::Local& to, std::int64_t place, std::int64_t own, std::int64_t size) const {
    std::copy_n(data.begin() + own, size, run.at(to, place));
    run.define(to, place, size, known[static_cast<std::size_t>(own)] != 0);
  }

  std::vector<std::uint8_t> data, known;
};

// tensor: dst, src, temporary; number: rows, elements that a row takes, elements it has, padding left and right, its
// value.
std::uint64_t pad(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), there = run.number(2), left = run.number(3),
                     right = run.number(4), size = size_of(run.call.type);
  const std::int64_t width = left + there + right;
  if (there > step) {
    run.error(FaultClass::kArgument, "a row has ", there, " elements of its original shape, it takes ", step);
    return 0;
  }
  if (width * size % UnifiedBuffer::kUnit != 0)
    run.error(FaultClass::kArgument, "a padded row takes ", width * size,
              " bytes; leftPad and rightPad must fill it up to whole units of 32");
  if (rows <= 0 || there <= 0 || !run.fits({rows, step}) || !run.fits({rows, width})) return 0;
  run.reads(run.tensor(1), ((rows - 1) * step + there) * size, "the source tensor");
  run.writes(run.tensor(0), rows * width * size, "the destination tensor");
  run.scratch(run.call.tensor[2], rows * width * size);
  run.issue(library_cycles(static_cast<double>(rows * width), run.call.type, 3, 0));
  const Copied source(run, run.tensor(1), ((rows - 1) * step + there) * size);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < width; ++c)
      if (c < left || c >= left + there)
        run.put(run.tensor(0), run.call.type, r * width + c, static_cast<double>(run.call.number[5]), true);
      else
        source.give(run, run.tensor(0), (r * width + c) * size, (r * step + c - left) * size, size);
  return 0;
}

// tensor: dst, src, temporary; number: rows, elements of a row, those to leave out left and right.
std::uint64_t un_pad(SpecialRun& run) {
  const std::int64_t rows = run.number(0), step = run.number(1), left = run.number(2), right = run.number(3),
                     size = size_of(run.call.type);
  const std::int64_t width = step - left - right;
  if (step * size % UnifiedBuffer::kUnit != 0)
    run.error(FaultClass::kArgument, "a row of the source takes ", step * size,
              " bytes; UnPad takes whole units of 32");
  if (width < 0) {
    run.error(FaultClass::kArgument, "leftPad and rightPad are ", left, " and ", right, ", a row has ", step,
              " elements");
    return 0;
  }
  if (rows <= 0 || width == 0 || !run.fits({rows, step})) return 0;
  run.reads(run.tensor(1), rows * step * size, "the source tensor");
  run.writes(run.tensor(0), rows * width * size, "the destination tensor");
  run.scratch(run.call.tensor[2], rows * step * size);
  run.issue(library_cycles(static_cast<double>(rows * step), run.call.type, 3, 0));
  const Copied source(run, run.tensor(1), rows * step * size);
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < width; ++c)
      source.give(run, run.tensor(0), (r * width + c) * size, (r * step + left + c) * size, size);
  return 0;
}

// The axes of attention: batch, heads, sequence, and the part of the last axis that a head has.
struct Attention {
  std::int64_t b, n, s, h;
  std::int64_t count() const { return b * n * s * h; }
};
constexpr std::int64_t kFractal = 16;

std::int64_t nd(const std::array<std::int64_t, 4>& shape, const std::array<std::int64_t, 4>& at) {
  return ((at[0] * shape[1] + at[1]) * shape[2] + at[2]) * shape[3] + at[3];
}
// The last two axes in fractals of 16 x 16, one column of fractals after the other.
std::int64_t nz(const std::array<std::int64_t, 4>& shape, const std::array<std::int64_t, 4>& at) {
  const std::int64_t matrix = (at[0] * shape[1] + at[1]) * shape[2] * shape[3];
  return matrix +
         ((at[3] / kFractal * (shape[2] / kFractal) + at[2] / kFractal) * kFractal + at[2] % kFractal) * kFractal +
         at[3] % kFractal;
}

// The scenarios by their number in TransposeType.
enum Scenario : std::int64_t {
  kNzToNd0213 = 1,
  kNzToNz0213,
  kNzSplit,
  kNzToNdSplit,
  kNzToNdJoined,
  kNzJoined,
  kMatrix
};

std::int64_t place_in_result(std::int64_t scenario, const Attention& size, std::int64_t b, std::int64_t n,
                             std::int64_t s, std::int64_t h) {
  switch (scenario) {
    case kNzToNd0213:
    case kNzToNdJoined:
      return nd({size.b, size.s, size.n, size.h}, {b, s, n, h});
    case kNzToNz0213:
      return nz({size.b, size.s, size.n, size.h}, {b, s, n, h});
    case kNzToNdSplit:
      return nd({size.b, size.n, size.s, size.h}, {b, n, s, h});
    case kMatrix:
      return h * size.s + s;
    default:  // the last axis, as a whole or by heads, is stored in the same order
      return nz({size.b, size.n, size.s, size.h}, {b, n, s, h});
  }
}

// tensor: dst, src, temporary; number: scenario, then the four axes.
std::uint64_t transpose_layout(SpecialRun& run) {
  const std::int64_t scenario = run.number(0), size = size_of(run.call.type);
  const Attention shape{run.number(1), run.number(2), run.number(3), run.number(4)};
  if (scenario < kNzToNd0213 || scenario > kMatrix) {
    run.error(FaultClass::kArgument, "TransposeType ", scenario,
              " with a tiling; its scenarios are 1 (TRANSPOSE_NZ2ND_0213) to 7 (TRANSPOSE_ND2ND_ONLY)");
    return 0;
  }
  if (!run.fits({shape.b, shape.n, shape.s, shape.h}) || shape.count() <= 0) return 0;
  if (shape.s % kFractal != 0 || shape.h % kFractal != 0 || (scenario == kNzToNz0213 && shape.n % kFractal != 0)) {
    run.error(FaultClass::kArgument, "the axes are ", shape.b, ", ", shape.n, ", ", shape.s, ", ", shape.h,
              "; those in fractals must be multiples of 16");
    return 0;
  }
  run.reads(run.tensor(1), shape.count() * size, "the source tensor");
  run.writes(run.tensor(0), shape.count() * size, "the destination tensor");
  run.scratch(run.call.tensor[2], shape.count() * size);
  run.issue(library_cycles(static_cast<double>(shape.count()), run.call.type, 4, 0));
  const Copied source(run, run.tensor(1), shape.count() * size);
  for (std::int64_t b = 0; b < shape.b; ++b)
    for (std::int64_t n = 0; n < shape.n; ++n)
      for (std::int64_t s = 0; s < shape.s; ++s)
        for (std::int64_t h = 0; h < shape.h; ++h) {
          const std::array<std::int64_t, 4> sizes{shape.b, shape.n, shape.s, shape.h};
          const std::int64_t from = scenario == kMatrix ? s * shape.h + h : nz(sizes, {b, n, s, h});
          source.give(run, run.tensor(0), place_in_result(scenario, shape, b, n, s, h) * size, from * size, size);
        }
  return 0;
}

constexpr SpecialRow kTable[] = {
    {Special::kPad, pad}, {Special::kUnPad, un_pad}, {Special::kTransposeLayout, transpose_layout}};

}  // namespace

std::span<const SpecialRow> layout_table() { return kTable; }

}  // namespace kg::npu
