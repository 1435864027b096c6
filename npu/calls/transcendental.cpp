// exp, ln and functions built from them. The chip's bits are not documented; these are computed in double and rounded
// once, which is the correctly rounded value except for ties within 1e-16. Written without calls, so that the compiler
// vectorises them and every host gives the same bits.

#include <cmath>
#include <limits>

#include "npu/calls/lanes.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

// e^x for |x| <= 400 (clamped), relative error below 1e-15: 2^n times a Taylor polynomial on |r| <= ln(2)/2.
inline double exp_of(double x) {
  constexpr double kLog2e = 1.4426950408889634074, kLn2High = 6.93147180369123816490e-01,
                   kLn2Low = 1.90821492927058770002e-10;
  constexpr double kShift = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  const double clamped = x > 400.0 ? 400.0 : x < -400.0 ? -400.0 : x;
  const double shifted = clamped * kLog2e + kShift;
  const double n = shifted - kShift;
  const double r = (clamped - n * kLn2High) - n * kLn2Low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  // The low bits of the shifted value hold n; move them into the exponent.
  const auto power = std::bit_cast<double>((std::bit_cast<std::uint64_t>(shifted) << 52) + (std::uint64_t{1023} << 52));
  const double value = p * power;
  return x != x ? x : value;
}

// ln x of a positive normal double: x = 2^e m with m in [sqrt(1/2), sqrt(2)), ln m = 2 artanh((m - 1) / (m + 1)).
inline double log_of(double x) {
  const auto bits = std::bit_cast<std::uint64_t>(x);
  constexpr std::uint64_t kSqrtHalf = 0x3FE6A09E667F3BCDULL;
  const std::uint64_t rebased = bits - kSqrtHalf;
  const auto e = static_cast<std::int64_t>(rebased) >> 52;
  const auto m = std::bit_cast<double>(bits - (static_cast<std::uint64_t>(e) << 52));
  const double f = (m - 1.0) / (m + 1.0), s = f * f;
  double p = 1.0 / 23.0;
  p = p * s + 1.0 / 21.0;
  p = p * s + 1.0 / 19.0;
  p = p * s + 1.0 / 17.0;
  p = p * s + 1.0 / 15.0;
  p = p * s + 1.0 / 13.0;
  p = p * s + 1.0 / 11.0;
  p = p * s + 1.0 / 9.0;
  p = p * s + 1.0 / 7.0;
  p = p * s + 1.0 / 5.0;
  p = p * s + 1.0 / 3.0;
  p = p * s + 1.0;
  constexpr double kLn2High = 6.93147180369123816490e-01, kLn2Low = 1.90821492927058770002e-10;
  const auto exponent = static_cast<double>(static_cast<std::int32_t>(e));
  const double value = exponent * kLn2High + (exponent * kLn2Low + 2.0 * f * p);
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double result = x < 0.0 || x != x ? std::numeric_limits<double>::quiet_NaN() : value;
  result = x == 0.0 ? -kInf : result;
  return x == kInf ? kInf : result;
}

inline double tanh_of(double x) {
  const double small = x * (1.0 - x * x * (1.0 / 3.0 - x * x * (2.0 / 15.0)));
  const double large = 1.0 - 2.0 / (exp_of(2.0 * x) + 1.0);
  return x < 5e-3 && x > -5e-3 ? small : large;
}

struct ExpLane {
  static double at(double a) { return exp_of(a); }
};
struct LnLane {
  static double at(double a) { return log_of(a); }
};
struct Log2Lane {
  static double at(double a) { return log_of(a) * 1.4426950408889634074; }
};
struct Log10Lane {
  static double at(double a) { return log_of(a) * 0.43429448190325182765; }
};
struct SigmoidLane {
  static double at(double a) { return 1.0 / (1.0 + exp_of(-a)); }
};
struct TanhLane {
  static double at(double a) { return tanh_of(a); }
};
struct SiluLane {
  static double at(double a) { return a / (1.0 + exp_of(-a)); }
};
struct GeluLane {  // the documented form by tanh, x / (1 + exp(-sqrt(8 / pi) (x + 0.044715 x^3)))
  static double at(double a) { return a / (1.0 + exp_of(-1.5957691216057308 * (a + 0.044715 * a * a * a))); }
};
struct SignLane {
  static double at(double a) { return a > 0.0 ? 1.0 : a < 0.0 ? -1.0 : a; }
};
#define KG_LIBM(name, function)                        \
  struct name##Lane {                                  \
    static double at(double a) { return function(a); } \
  }
KG_LIBM(Sin, std::sin);
KG_LIBM(Cos, std::cos);
KG_LIBM(Tan, std::tan);
KG_LIBM(Sinh, std::sinh);
KG_LIBM(Cosh, std::cosh);
KG_LIBM(Asin, std::asin);
KG_LIBM(Acos, std::acos);
KG_LIBM(Atan, std::atan);
KG_LIBM(Erf, std::erf);
KG_LIBM(Erfc, std::erfc);
KG_LIBM(Floor, std::floor);
KG_LIBM(Ceil, std::ceil);
KG_LIBM(Trunc, std::trunc);
KG_LIBM(Round, std::nearbyint);
#undef KG_LIBM
struct PowerLane {
  static double at(double a, double b) { return std::pow(a, b); }
};
struct SwishLane {  // x * sigmoid(beta x)
  static double at(double a, double beta) { return a / (1.0 + exp_of(-beta * a)); }
};

constexpr Type kF = Type::kFloat, kH = Type::kHalf;
#define KG_UNARY(name) \
  {Op::k##name, kF, kF, unary<float, name##Lane>}, { Op::k##name, kH, kH, unary_half<name##Lane> }

constexpr Elementwise kTable[] = {
    KG_UNARY(Exp),
    KG_UNARY(Ln),
    KG_UNARY(Log2),
    KG_UNARY(Log10),
    KG_UNARY(Sigmoid),
    KG_UNARY(Tanh),
    KG_UNARY(Silu),
    KG_UNARY(Gelu),
    KG_UNARY(Sign),
    KG_UNARY(Sin),
    KG_UNARY(Cos),
    KG_UNARY(Tan),
    KG_UNARY(Sinh),
    KG_UNARY(Cosh),
    KG_UNARY(Asin),
    KG_UNARY(Acos),
    KG_UNARY(Atan),
    KG_UNARY(Erf),
    KG_UNARY(Erfc),
    KG_UNARY(Floor),
    KG_UNARY(Ceil),
    KG_UNARY(Trunc),
    KG_UNARY(Round),
    {Op::kLog, kF, kF, unary<float, LnLane>},
    {Op::kLog, kH, kH, unary_half<LnLane>},
    {Op::kPower, kF, kF, binary<float, PowerLane>},
    {Op::kPower, kH, kH, binary_half<PowerLane>},
    {Op::kPowerScalar, kF, kF, with_scalar<float, PowerLane>},
    {Op::kPowerScalar, kH, kH, with_scalar_half<PowerLane>},
    {Op::kSwish, kF, kF, with_scalar<float, SwishLane>},
    {Op::kSwish, kH, kH, with_scalar_half<SwishLane>},
};

}  // namespace

std::span<const Elementwise> transcendental_table() { return kTable; }

}  // namespace kg::npu
