// Further elementwise calls of the high-level library. As in transcendental.cpp the chip's bits are not documented:
// computed in double and rounded once. Activations follow the documented formulas.

#include <algorithm>
#include <cmath>
#include <limits>

#include "npu/calls/lanes.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

double sigmoid(double x) { return 1.0 / (1.0 + std::exp(-x)); }
// The documented form: x / (1 + exp(-1.5957691216 (x + 0.044715 x^3))), by tanh.
double gelu(double x) { return x * sigmoid(1.5957691216057308 * (x + 0.044715 * x * x * x)); }

double digamma(double x) {
  if (x <= 0 && x == std::floor(x)) return std::numeric_limits<double>::quiet_NaN();
  constexpr double kPi = 3.14159265358979323846;
  double result = 0;
  if (x < 0) {  // reflection
    result = -kPi / std::tan(kPi * x);
    x = 1 - x;
  }
  for (; x < 16; x += 1) result -= 1 / x;
  const double inverse = 1 / (x * x);
  return result + std::log(x) - 0.5 / x -
         inverse * (1.0 / 12 - inverse * (1.0 / 120 - inverse * (1.0 / 252 - inverse * (1.0 / 240 - inverse / 132))));
}
double log_gamma(double x) {
  int sign = 0;
  return lgamma_r(x, &sign);
}

#define KG_LANE(name, expression)                     \
  struct name##Lane {                                 \
    static double at(double x) { return expression; } \
  }
KG_LANE(Acosh, std::acosh(x));
KG_LANE(Asinh, std::asinh(x));
KG_LANE(Atanh, std::atanh(x));
KG_LANE(Frac, x - std::trunc(x));
KG_LANE(Lgamma, log_gamma(x));
KG_LANE(Digamma, digamma(x));
KG_LANE(FasterGelu, x* sigmoid(1.702 * x));
#undef KG_LANE
// x (sign(x) (-0.1444 (min(|0.7071 x|, 1.769) - 1.769)^2 + 0.5) + 0.5)
struct FasterGeluV2Lane {
  static double at(double x) {
    const double clipped = std::min(std::fabs(0.7071 * x), 1.769) - 1.769;
    const double part = 0.1444 * clipped * clipped;
    return x * (x < 0 ? part : 1 - part);  // the halves cancel below zero
  }
};
struct FmodLane {
  static double at(double a, double b) { return std::fmod(a, b); }
};
struct HypotLane {
  static double at(double a, double b) { return std::hypot(a, b); }
};
struct GeGluLane {
  static double at(double a, double b) { return a * gelu(b); }
};
struct ReGluLane {
  static double at(double a, double b) { return a * (b > 0 || b != b ? b : 0.0); }
};
struct ClampMaxLane {
  static double at(double a, double most) { return a > most ? most : a; }
};
struct ClampMinLane {
  static double at(double a, double least) { return a < least ? least : a; }
};
struct PowerBaseLane {  // the scalar is the base
  static double at(double exponent, double base) { return std::pow(base, exponent); }
};

// a * b * sigmoid(beta * b)
struct SwiGlu {
  static double at(double a, double b, double beta) { return a * b * sigmoid(beta * b); }
};
void swiglu_float(const Run& run) {
  const auto* a = static_cast<const float*>(run.a);
  const auto* b = static_cast<const float*>(run.b);
  auto* dst = static_cast<float*>(run.dst);
  const float beta = scalar_of<float>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i) dst[i] = static_cast<float>(SwiGlu::at(a[i], b[i], beta));
}
void swiglu_half(const Run& run) {
  const auto* a = static_cast<const std::uint16_t*>(run.a);
  const auto* b = static_cast<const std::uint16_t*>(run.b);
  auto* dst = static_cast<std::uint16_t*>(run.dst);
  const float beta = scalar_of<float>(run.scalar);
  for (std::size_t i = 0; i < run.n; ++i)
    dst[i] = half_of_double(SwiGlu::at(half_scalar(a[i]), half_scalar(b[i]), beta));
}

template <typename T>
struct XorLane {
  static T at(T a, T b) { return static_cast<T>(a ^ b); }
};
template <typename T>
void power_integer(const Run& run) {
  const T* a = static_cast<const T*>(run.a);
  const T* b = static_cast<const T*>(run.b);
  T* dst = static_cast<T*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) {
    std::uint32_t result = 1, base = static_cast<std::uint32_t>(a[i]);
    if (b[i] < 0) result = a[i] == 1 ? 1u : a[i] == -1 ? (b[i] % 2 != 0 ? ~0u : 1u) : 0u;
    for (T left = b[i] < 0 ? 0 : b[i]; left > 0; left /= 2, base *= base)
      if (left % 2 != 0) result *= base;
    dst[i] = static_cast<T>(result);
  }
}

constexpr Type kF = Type::kFloat, kH = Type::kHalf;
#define KG_UNARY(name) \
  {Op::k##name, kF, kF, unary<float, name##Lane>}, { Op::k##name, kH, kH, unary_half<name##Lane> }
#define KG_BINARY(name) \
  {Op::k##name, kF, kF, binary<float, name##Lane>}, { Op::k##name, kH, kH, binary_half<name##Lane> }
#define KG_SCALAR(name) \
  {Op::k##name, kF, kF, with_scalar<float, name##Lane>}, { Op::k##name, kH, kH, with_scalar_half<name##Lane> }

constexpr Elementwise kTable[] = {
    KG_UNARY(Acosh),
    KG_UNARY(Asinh),
    KG_UNARY(Atanh),
    KG_UNARY(Frac),
    KG_UNARY(Lgamma),
    KG_UNARY(Digamma),
    KG_UNARY(FasterGelu),
    KG_UNARY(FasterGeluV2),
    KG_BINARY(Fmod),
    KG_BINARY(Hypot),
    KG_BINARY(GeGlu),
    KG_BINARY(ReGlu),
    KG_SCALAR(ClampMax),
    KG_SCALAR(ClampMin),
    KG_SCALAR(PowerBase),
    {Op::kSwiGlu, kF, kF, swiglu_float},
    {Op::kSwiGlu, kH, kH, swiglu_half},
    {Op::kXor, Type::kInt16, Type::kInt16, binary<std::int16_t, XorLane<std::int16_t>>},
    {Op::kXor, Type::kUint16, Type::kUint16, binary<std::uint16_t, XorLane<std::uint16_t>>},
    {Op::kPower, Type::kInt32, Type::kInt32, power_integer<std::int32_t>},
};

}  // namespace

std::span<const Elementwise> library_table() { return kTable; }

}  // namespace kg::npu
