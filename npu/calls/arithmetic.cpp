// Elementwise arithmetic in float and half.

#include <cmath>

#include "npu/calls/lanes.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

struct AddLane {
  static float at(float a, float b) { return a + b; }
};
struct SubLane {
  static float at(float a, float b) { return a - b; }
};
struct MulLane {
  static float at(float a, float b) { return a * b; }
};
struct DivLane {
  static float at(float a, float b) { return a / b; }
};
// NaN in gives NaN out.
struct MaxLane {
  static float at(float a, float b) { return a > b || a != a ? a : b; }
};
struct MinLane {
  static float at(float a, float b) { return a < b || a != a ? a : b; }
};
struct ReluLane {
  static float at(float a) { return a > 0.0f || a != a ? a : 0.0f; }
};
struct AddReluLane {
  static float at(float a, float b) { return ReluLane::at(a + b); }
};
struct SubReluLane {
  static float at(float a, float b) { return ReluLane::at(a - b); }
};
struct AbsLane {
  static float at(float a) { return std::bit_cast<float>(std::bit_cast<std::uint32_t>(a) & 0x7FFFFFFFu); }
};
struct SqrtLane {
  static float at(float a) { return std::sqrt(a); }
};
// In double, then rounded once more: correctly rounded.
struct RsqrtLane {
  static double at(double a) { return 1.0 / std::sqrt(a); }
};
struct ReciprocalLane {
  static float at(float a) { return 1.0f / a; }
};
struct LeakyReluLane {
  static float at(float a, float slope) { return a >= 0.0f || a != a ? a : a * slope; }
};

// a * b + c with one rounding.
float fused(float a, float b, float c) { return std::fma(a, b, c); }
// The product of two halves is exact in double. The sum is rounded to odd there, so that the rounding to half still
// sees it.
std::uint16_t fused_half(float a, float b, float c) {
  const double product = static_cast<double>(a) * static_cast<double>(b), addend = c;
  double sum = product + addend;
  const double part = sum - product;
  const double rest = (product - (sum - part)) + (addend - part);
  if (rest != 0.0 && rest == rest && std::isfinite(sum)) {
    auto bits = std::bit_cast<std::uint64_t>(sum);
    if ((bits & 1u) == 0) bits += (rest > 0) == (sum > 0) ? 1 : std::uint64_t(-1);
    sum = std::bit_cast<double>(bits);
  }
  return half_of_double(sum);
}

// (a, b, old dst) -> dst: MulAddDst a*b+dst, FusedMulAdd a*dst+b.
template <bool dst_is_addend, bool relu>
void multiply_add(const Run& run) {
  const float* a = static_cast<const float*>(run.a);
  const float* b = static_cast<const float*>(run.b);
  float* dst = static_cast<float*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) {
    const float value = dst_is_addend ? fused(a[i], b[i], dst[i]) : fused(a[i], dst[i], b[i]);
    dst[i] = relu ? ReluLane::at(value) : value;
  }
}
template <bool dst_is_addend, bool relu>
void multiply_add_half(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  const auto* b = static_cast<const std::uint16_t*>(run.b);
  auto* dst = static_cast<std::uint16_t*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) {
    const float x = half_scalar(a[i]), y = half_scalar(b[i]), z = half_scalar(dst[i]);
    std::uint16_t value = dst_is_addend ? fused_half(x, y, z) : fused_half(x, z, y);
    if (relu && (value & 0x8000u) && (value & 0x7FFFu) <= 0x7C00u) value = 0;
    dst[i] = value;
  }
}
void multiply_add_half_to_float(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  const auto* b = static_cast<const std::uint16_t*>(run.b);
  float* dst = static_cast<float*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = fused(half_scalar(a[i]), half_scalar(b[i]), dst[i]);
}

void axpy(const Run& run) {
  const float* a = static_cast<const float*>(run.a);
  float* dst = static_cast<float*>(run.dst);
  const float scalar = scalar_of<float>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = fused(scalar, a[i], dst[i]);
}
void axpy_half(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  auto* dst = static_cast<std::uint16_t*>(run.dst);
  const float scalar = half_scalar(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = fused_half(scalar, half_scalar(a[i]), half_scalar(dst[i]));
}
void axpy_half_to_float(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  float* dst = static_cast<float*>(run.dst);
  const float scalar = half_scalar(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = fused(scalar, half_scalar(a[i]), dst[i]);
}

template <typename T>
void duplicate(const Run& run) {
  T* dst = static_cast<T*>(run.dst);
  std::fill(dst, dst + run.n, scalar_of<T>(run.scalar));
}

constexpr Type kF = Type::kFloat, kH = Type::kHalf;
#define KG_BINARY(name) \
  {Op::k##name, kF, kF, binary<float, name##Lane>}, { Op::k##name, kH, kH, binary_half<name##Lane> }
#define KG_UNARY(name) \
  {Op::k##name, kF, kF, unary<float, name##Lane>}, { Op::k##name, kH, kH, unary_half<name##Lane> }
#define KG_SCALAR(name, lane) \
  {Op::k##name, kF, kF, with_scalar<float, lane>}, { Op::k##name, kH, kH, with_scalar_half<lane> }

constexpr Elementwise kTable[] = {
    KG_BINARY(Add),
    KG_BINARY(Sub),
    KG_BINARY(Mul),
    KG_BINARY(Div),
    KG_BINARY(Max),
    KG_BINARY(Min),
    KG_BINARY(AddRelu),
    KG_BINARY(SubRelu),
    KG_UNARY(Relu),
    KG_UNARY(Abs),
    KG_UNARY(Sqrt),
    KG_UNARY(Rsqrt),
    KG_UNARY(Reciprocal),
    KG_SCALAR(Adds, AddLane),
    KG_SCALAR(Muls, MulLane),
    KG_SCALAR(Maxs, MaxLane),
    KG_SCALAR(Mins, MinLane),
    KG_SCALAR(LeakyRelu, LeakyReluLane),
    {Op::kMulAddDst, kF, kF, multiply_add<true, false>, true},
    {Op::kMulAddDst, kH, kH, multiply_add_half<true, false>, true},
    {Op::kMulAddDst, kF, kH, multiply_add_half_to_float, true},
    {Op::kFusedMulAdd, kF, kF, multiply_add<false, false>, true},
    {Op::kFusedMulAdd, kH, kH, multiply_add_half<false, false>, true},
    {Op::kFusedMulAddRelu, kF, kF, multiply_add<false, true>, true},
    {Op::kFusedMulAddRelu, kH, kH, multiply_add_half<false, true>, true},
    {Op::kAxpy, kF, kF, axpy, true},
    {Op::kAxpy, kH, kH, axpy_half, true},
    {Op::kAxpy, kF, kH, axpy_half_to_float, true},
    {Op::kDuplicate, kF, kF, duplicate<std::uint32_t>},
    {Op::kDuplicate, kH, kH, duplicate<std::uint16_t>},
    {Op::kDuplicate, Type::kBfloat16, Type::kBfloat16, duplicate<std::uint16_t>},
    {Op::kDuplicate, Type::kInt16, Type::kInt16, duplicate<std::uint16_t>},
    {Op::kDuplicate, Type::kUint16, Type::kUint16, duplicate<std::uint16_t>},
    {Op::kDuplicate, Type::kInt32, Type::kInt32, duplicate<std::uint32_t>},
    {Op::kDuplicate, Type::kUint32, Type::kUint32, duplicate<std::uint32_t>},
};

}  // namespace

std::span<const Elementwise> arithmetic_table() { return kTable; }

}  // namespace kg::npu
