// Quantising and dequantising of the high-level library, by a scalar or by a scale for each element of a row. The
// documentation of each call names its steps and their data types; each step rounds.

#include <algorithm>
#include <cmath>

#include "npu/calls/non_elementwise.h"
#include "npu/calls/rate_table.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Special;
using kgnpu::Type;

// The scale or offset of element i: from its tensor, which repeats every `count` elements, or the scalar.
double factor(const SpecialRun& run, int tensor, Type type, std::int64_t i, std::int64_t count, double scalar) {
  return run.has(tensor) ? run.get(run.tensor(tensor), type, i % count) : scalar;
}
bool factor_known(const SpecialRun& run, int tensor, Type type, std::int64_t i, std::int64_t count) {
  return !run.has(tensor) || run.defined(run.tensor(tensor), i % count * size_of(type), size_of(type));
}

double to_half(double value) { return kgnpu::half_value(kgnpu::half_bits(static_cast<float>(value))); }
double to_float(double value) { return static_cast<double>(static_cast<float>(value)); }

// tensor: dst (int8_t), src, scales or null, offsets or null, temporary; number: count, bits of scale and offset
// (float), how many scales. Everything is cast to half, multiplied, added, and cast to int8_t.
std::uint64_t quant(SpecialRun& run) {
  const std::int64_t count = run.number(0), scales = std::max<std::int64_t>(run.number(3), 1);
  const Type type = run.call.type;
  if (count <= 0) return 0;
  run.reads(run.tensor(1), count * size_of(type), "the source tensor");
  for (const int k : {2, 3})
    if (run.has(k)) run.reads(run.tensor(k), scales * size_of(type), k == 2 ? "the scale tensor" : "the offset tensor");
  run.writes(run.tensor(0), count, "the destination tensor");
  run.scratch(run.call.tensor[4], count * 2);
  run.issue(library_cycles(static_cast<double>(count), type, 4, 0));
  for (std::int64_t i = 0; i < count; ++i) {
    const double scaled = to_half(to_half(run.get(run.tensor(1), type, i)) *
                                  to_half(factor(run, 2, type, i, scales, run.scalar(1, Type::kFloat))));
    const double value = to_half(scaled + to_half(factor(run, 3, type, i, scales, run.scalar(2, Type::kFloat))));
    run.put(run.tensor(0), Type::kInt8, i, value,
            run.defined(run.tensor(1), i * size_of(type), size_of(type)) && factor_known(run, 2, type, i, scales) &&
                factor_known(run, 3, type, i, scales));
  }
  return 0;
}

// tensor: dst, src (int32_t), scales or null, temporary; number: rows, elements of a row of dst, of src, valid ones,
// bits of the scale (float). type: of dst, type2: of the scales (uint64_t: a float in the low half). Both factors are
// cast to float, multiplied, and cast to the type of dst.
std::uint64_t dequant(SpecialRun& run) {
  const std::int64_t rows = run.number(0), to_step = run.number(1), from_step = run.number(2), valid = run.number(3);
  if (rows <= 0 || valid <= 0 || !run.fits({rows, to_step}) || !run.fits({rows, from_step})) return 0;
  if (!run.fits({rows, valid})) return 0;
  const Type type = run.call.type, scale_type = run.call.type2;
  run.reads(run.tensor(1), ((rows - 1) * from_step + valid) * 4, "the source tensor");
  if (run.has(2)) run.reads(run.tensor(2), valid * size_of(scale_type), "the scale tensor");
  run.writes(run.tensor(0), ((rows - 1) * to_step + valid) * size_of(type), "the destination tensor");
  run.scratch(run.call.tensor[3], rows * from_step * 4);
  run.issue(library_cycles(static_cast<double>(rows * valid), Type::kFloat, 3, 0));
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t i = 0; i < valid; ++i) {
      double scale = run.scalar(4, Type::kFloat);
      bool known = run.defined(run.tensor(1), (r * from_step + i) * 4, 4);
      if (run.has(2)) {
        const std::uint8_t* at = run.at(run.tensor(2), i * size_of(scale_type));
        scale = element_at(at, scale_type == Type::kUint64 ? Type::kFloat : scale_type);
        known = known && run.defined(run.tensor(2), i * size_of(scale_type), size_of(scale_type));
      }
      run.put(run.tensor(0), type, r * to_step + i,
              to_float(to_float(run.get(run.tensor(1), Type::kInt32, r * from_step + i)) * scale), known);
    }
  return 0;
}

// tensor: dst, src (int8_t), scales or null, offsets or null, temporary; number: rows, elements of a row, bits of scale
// and offset (float), how many rows of scales there are. dst = (src + offset) * scale, each step in half, or in float
// for bfloat16_t, which is rounded at the end.
std::uint64_t anti_quant(SpecialRun& run) {
  const std::int64_t rows = run.number(0), columns = run.number(1), groups = std::max<std::int64_t>(run.number(4), 1);
  const Type type = run.call.type;
  if (rows <= 0 || columns <= 0 || !run.fits({rows, columns})) return 0;
  if (rows % groups != 0) {
    run.error(FaultClass::kArgument, "the ", rows, " rows are not a multiple of the ", groups, " rows of scales");
    return 0;
  }
  run.reads(run.tensor(1), rows * columns, "the source tensor");
  for (const int k : {2, 3})
    if (run.has(k))
      run.reads(run.tensor(k), groups * columns * size_of(type), k == 2 ? "the scale tensor" : "the offset tensor");
  run.writes(run.tensor(0), rows * columns * size_of(type), "the destination tensor");
  run.scratch(run.call.tensor[4], rows * columns * 4);
  run.issue(library_cycles(static_cast<double>(rows * columns), Type::kFloat, 4, 0));
  const auto step = [&](double value) { return type == Type::kHalf ? to_half(value) : to_float(value); };
  const std::int64_t all = groups * columns, in_group = rows / groups;
  for (std::int64_t i = 0; i < rows * columns; ++i) {
    const std::int64_t k = i / columns / in_group * columns + i % columns;
    const double moved =
        step(run.get(run.tensor(1), Type::kInt8, i) + factor(run, 3, type, k, all, run.scalar(3, Type::kFloat)));
    run.put(
        run.tensor(0), type, i, step(moved * factor(run, 2, type, k, all, run.scalar(2, Type::kFloat))),
        run.defined(run.tensor(1), i, 1) && factor_known(run, 2, type, k, all) && factor_known(run, 3, type, k, all));
  }
  return 0;
}

constexpr SpecialRow kTable[] = {
    {Special::kQuant, quant}, {Special::kDequant, dequant}, {Special::kAntiQuant, anti_quant}};

}  // namespace

std::span<const SpecialRow> quant_table() { return kTable; }

}  // namespace kg::npu
