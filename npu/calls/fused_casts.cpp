// Elementwise calls that only move, or whose result is of another type than the sources: Copy, the fused casts, the
// scaled cast.

#include <cmath>
#include <cstring>
#include <limits>

#include "npu/calls/lanes.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

template <typename T>
void copy(const Run& run) {
  std::memmove(run.dst, run.a, run.n * sizeof(T));
}

float widened(std::uint16_t bits) { return half_scalar(bits); }
float widened(float value) { return value; }
float widened(std::int16_t value) { return value; }

// Sums and products of halves are exact in double, so that there is one rounding.
template <typename To>
To narrowed(double value) {
  if (value != value) return 0;
  const double nearest = std::nearbyint(value);
  constexpr double kLow = std::numeric_limits<To>::min(), kHigh = std::numeric_limits<To>::max();
  return static_cast<To>(nearest < kLow ? kLow : nearest > kHigh ? kHigh : nearest);
}
struct HalfBits {
  std::uint16_t bits;
};
template <>
HalfBits narrowed<HalfBits>(double value) {
  return {half_of_double(value)};
}

double relu(double value) { return value > 0 || value != value ? value : 0.0; }

// dst = cast(relu(a + sign * b))
template <typename To, typename From, int kSign>
void sum_relu_cast(const Run& run) {
  const From* a = static_cast<const From*>(run.a);
  const From* b = static_cast<const From*>(run.b);
  To* dst = static_cast<To*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i)
    dst[i] = narrowed<To>(relu(static_cast<double>(widened(a[i])) + kSign * static_cast<double>(widened(b[i]))));
}
template <typename To>
void mul_cast(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  const auto* b = static_cast<const std::uint16_t*>(run.b);
  To* dst = static_cast<To*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i)
    dst[i] = narrowed<To>(static_cast<double>(widened(a[i])) * static_cast<double>(widened(b[i])));
}
void add_deq_relu(const Run& run) {
  const auto* a = static_cast<const std::int32_t*>(run.a);
  const auto* b = static_cast<const std::int32_t*>(run.b);
  auto* dst = static_cast<std::uint16_t*>(run.dst);
  const double scale = scalar_of<float>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) {
    const auto sum = static_cast<std::int32_t>(static_cast<std::uint32_t>(a[i]) + static_cast<std::uint32_t>(b[i]));
    dst[i] = half_of_double(relu(sum * scale));
  }
}
void cast_scaled(const Run& run) {
  const auto* a = static_cast<const std::int32_t*>(run.a);
  auto* dst = static_cast<std::uint16_t*>(run.dst);
  const double scale = scalar_of<float>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = half_of_double(a[i] * scale);
}

constexpr Type kF = Type::kFloat, kH = Type::kHalf;
using Half = std::uint16_t;
#define KG_COPY(type, T) {Op::kCopy, type, type, copy<T>}

constexpr Elementwise kTable[] = {
    KG_COPY(kF, float),
    KG_COPY(kH, std::uint16_t),
    KG_COPY(Type::kBfloat16, std::uint16_t),
    KG_COPY(Type::kInt8, std::uint8_t),
    KG_COPY(Type::kUint8, std::uint8_t),
    KG_COPY(Type::kInt16, std::uint16_t),
    KG_COPY(Type::kUint16, std::uint16_t),
    KG_COPY(Type::kInt32, std::uint32_t),
    KG_COPY(Type::kUint32, std::uint32_t),
    {Op::kAddReluCast, kH, kF, sum_relu_cast<HalfBits, float, 1>},
    {Op::kAddReluCast, Type::kInt8, kH, sum_relu_cast<std::int8_t, Half, 1>},
    {Op::kAddReluCast, Type::kInt8, Type::kInt16, sum_relu_cast<std::int8_t, std::int16_t, 1>},
    {Op::kSubReluCast, kH, kF, sum_relu_cast<HalfBits, float, -1>},
    {Op::kSubReluCast, Type::kInt8, kH, sum_relu_cast<std::int8_t, Half, -1>},
    {Op::kSubReluCast, Type::kInt8, Type::kInt16, sum_relu_cast<std::int8_t, std::int16_t, -1>},
    {Op::kMulCast, Type::kInt8, kH, mul_cast<std::int8_t>},
    {Op::kMulCast, Type::kUint8, kH, mul_cast<std::uint8_t>},
    {Op::kAddDeqRelu, kH, Type::kInt32, add_deq_relu},
    {Op::kCastScaled, kH, Type::kInt32, cast_scaled},
    {Op::kCastDeq, kH, Type::kInt32, cast_scaled},
    {Op::kCastDequant, kH, Type::kInt32, cast_scaled},
};

}  // namespace

std::span<const Elementwise> mixed_table() { return kTable; }

}  // namespace kg::npu
