// Elementwise calls in half over every pattern, and over a million random operands, against exact arithmetic.

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <vector>

#include "base/random.h"
#include "npu/calls/elementwise.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;
using Half = std::uint16_t;

constexpr std::size_t kMany = 1000000;
constexpr std::size_t kPatterns = 65536;

bool same(Half a, Half b) {
  const bool nan_a = (a & 0x7FFFu) > 0x7C00u, nan_b = (b & 0x7FFFu) > 0x7C00u;
  return nan_a || nan_b ? nan_a == nan_b : a == b;
}
long double value_of(Half bits) { return kgnpu::half_value(bits); }

// Rounded once to half, ties to even, by the unit of the last place.
Half rounded(long double exact) {
  if (exact != exact) return 0x7E00;
  if (exact == 0 || std::isinf(exact)) return kgnpu::half_bits(static_cast<float>(exact));
  const int unit = std::max(std::ilogb(exact) - 10, -24);
  const long double kept = std::nearbyint(std::ldexp(exact, -unit));
  const long double result = std::ldexp(kept, unit);
  if (std::fabs(result) > 65504) return std::signbit(exact) ? 0xFC00 : 0x7C00;
  return kgnpu::half_bits(static_cast<float>(std::copysign(result, exact)));
}

std::vector<Half> all_patterns() {
  std::vector<Half> x(kPatterns);
  for (std::size_t i = 0; i < kPatterns; ++i) x[i] = static_cast<Half>(i);
  return x;
}
std::vector<Half> random_halves(std::uint64_t stream) {
  Philox random(21, stream);
  std::vector<Half> values(kMany);
  for (Half& value : values) value = static_cast<Half>(random.next_u32());
  return values;
}

struct Unary {
  const char* name;
  Op op;
  long double (*exact)(long double);
  bool finite_only = false;  // the limit at infinity is not documented
};
long double sigmoid(long double x) { return 1 / (1 + std::exp(-x)); }

TEST(HalfPatterns, EveryUnaryFunctionIsRoundedOnce) {
  const Unary cases[] = {
      {"Abs", Op::kAbs, [](long double x) { return std::fabs(x); }},
      {"Relu", Op::kRelu, [](long double x) { return x > 0 || x != x ? x : 0.0L; }},
      {"Exp", Op::kExp, [](long double x) { return std::exp(x); }},
      {"Ln", Op::kLn, [](long double x) { return std::log(x); }},
      {"Log", Op::kLog, [](long double x) { return std::log(x); }},
      {"Log2", Op::kLog2, [](long double x) { return std::log2(x); }},
      {"Log10", Op::kLog10, [](long double x) { return std::log10(x); }},
      {"Sqrt", Op::kSqrt, [](long double x) { return std::sqrt(x); }},
      {"Rsqrt", Op::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }},
      {"Reciprocal", Op::kReciprocal, [](long double x) { return 1 / x; }},
      {"Sigmoid", Op::kSigmoid, sigmoid},
      {"Tanh", Op::kTanh, [](long double x) { return std::tanh(x); }},
      {"Sin", Op::kSin, [](long double x) { return std::sin(x); }},
      {"Cos", Op::kCos, [](long double x) { return std::cos(x); }},
      {"Tan", Op::kTan, [](long double x) { return std::tan(x); }},
      {"Sinh", Op::kSinh, [](long double x) { return std::sinh(x); }},
      {"Cosh", Op::kCosh, [](long double x) { return std::cosh(x); }},
      {"Asin", Op::kAsin, [](long double x) { return std::asin(x); }},
      {"Acos", Op::kAcos, [](long double x) { return std::acos(x); }},
      {"Atan", Op::kAtan, [](long double x) { return std::atan(x); }},
      {"Asinh", Op::kAsinh, [](long double x) { return std::asinh(x); }},
      {"Acosh", Op::kAcosh, [](long double x) { return std::acosh(x); }},
      {"Atanh", Op::kAtanh, [](long double x) { return std::atanh(x); }},
      {"Erf", Op::kErf, [](long double x) { return std::erf(x); }},
      {"Erfc", Op::kErfc, [](long double x) { return std::erfc(x); }},
      {"Floor", Op::kFloor, [](long double x) { return std::floor(x); }},
      {"Ceil", Op::kCeil, [](long double x) { return std::ceil(x); }},
      {"Trunc", Op::kTrunc, [](long double x) { return std::trunc(x); }},
      {"Round", Op::kRound, [](long double x) { return std::nearbyint(x); }},
      {"Frac", Op::kFrac, [](long double x) { return x - std::trunc(x); }, true},
      {"Sign", Op::kSign, [](long double x) { return x > 0   ? 1
                                                     : x < 0 ? -1
                                                             : x; }},
      {"Silu", Op::kSilu, [](long double x) { return x * sigmoid(x); }, true},
      {"FasterGelu", Op::kFasterGelu, [](long double x) { return x * sigmoid(1.702L * x); }, true},
      {"Lgamma", Op::kLgamma, [](long double x) { return std::lgamma(x); }, true},
  };
  const std::vector<Half> x = all_patterns();
  for (const Unary& c : cases) {
    std::vector<Half> y(kPatterns);
    find_elementwise(c.op, Type::kHalf, Type::kHalf)->run({y.data(), x.data(), nullptr, 0, kPatterns});
    int wrong = 0;
    for (std::size_t i = 0; i < kPatterns; ++i) {
      const long double v = value_of(x[i]);
      if (c.finite_only && std::isinf(v)) continue;
      const Half expected = rounded(c.exact(v));
      if (!same(y[i], expected) && ++wrong <= 3)
        ADD_FAILURE() << c.name << " of pattern " << i << " (" << static_cast<double>(v) << "): " << y[i] << " not "
                      << expected;
    }
    EXPECT_EQ(wrong, 0) << c.name;
  }
}

TEST(HalfPatterns, EveryPatternWithAScalar) {
  struct Case {
    const char* name;
    Op op;
    long double (*exact)(long double x, long double s);
  };
  const Case cases[] = {
      {"Adds", Op::kAdds, [](long double x, long double s) { return x + s; }},
      {"Muls", Op::kMuls, [](long double x, long double s) { return x * s; }},
      {"LeakyRelu", Op::kLeakyRelu, [](long double x, long double s) { return x >= 0 || x != x ? x : x * s; }},
      {"ClampMax", Op::kClampMax, [](long double x, long double s) { return x > s ? s : x; }},
      {"ClampMin", Op::kClampMin, [](long double x, long double s) { return x < s ? s : x; }},
  };
  const std::vector<Half> x = all_patterns();
  for (const Case& c : cases)
    for (const float scalar : {0.0f, 1.0f, -1.0f, 0.333f, 5.96e-8f, 1000.0f, 65504.0f}) {
      const Half bits = kgnpu::half_bits(scalar);
      std::vector<Half> y(kPatterns);
      find_elementwise(c.op, Type::kHalf, Type::kHalf)->run({y.data(), x.data(), nullptr, bits, kPatterns});
      for (std::size_t i = 0; i < kPatterns; ++i)
        ASSERT_TRUE(same(y[i], rounded(c.exact(value_of(x[i]), value_of(bits))))) << c.name << " of " << i;
    }
}

TEST(HalfPatterns, BinaryCallsAreRoundedOnceForAMillionPairs) {
  struct Case {
    const char* name;
    Op op;
    long double (*exact)(long double a, long double b);
  };
  const auto relu = [](long double x) { return x > 0 || x != x ? x : 0.0L; };
  static const auto kRelu = relu;
  const Case cases[] = {
      {"Add", Op::kAdd, [](long double a, long double b) { return a + b; }},
      {"Mul", Op::kMul, [](long double a, long double b) { return a * b; }},
      {"AddRelu", Op::kAddRelu, [](long double a, long double b) { return kRelu(a + b); }},
      {"SubRelu", Op::kSubRelu, [](long double a, long double b) { return kRelu(a - b); }},
      {"ReGlu", Op::kReGlu, [](long double a, long double b) { return a * kRelu(b); }},
      {"Fmod", Op::kFmod, [](long double a, long double b) { return std::fmod(a, b); }},
      {"Hypot", Op::kHypot, [](long double a, long double b) { return std::hypot(a, b); }},
  };
  const auto a = random_halves(1), b = random_halves(2);
  for (const Case& c : cases) {
    std::vector<Half> y(kMany);
    find_elementwise(c.op, Type::kHalf, Type::kHalf)->run({y.data(), a.data(), b.data(), 0, kMany});
    for (std::size_t i = 0; i < kMany; ++i)
      ASSERT_TRUE(same(y[i], rounded(c.exact(value_of(a[i]), value_of(b[i])))))
          << c.name << " of " << a[i] << " and " << b[i] << ": " << y[i];
  }
}

// a * b + c exactly, as an integer of units 2^-48, rounded once.
Half fused(Half a, Half b, Half c) {
  const long double x = value_of(a), y = value_of(b), z = value_of(c);
  const __int128 sum = static_cast<__int128>(std::ldexp(x, 24)) * static_cast<__int128>(std::ldexp(y, 24)) +
                       static_cast<__int128>(std::ldexp(z, 24)) * (static_cast<__int128>(1) << 24);
  if (sum == 0) return 0;
  const __int128 magnitude = sum < 0 ? -sum : sum;
  int top = 0;
  while (magnitude >> (top + 1) != 0) ++top;
  const int unit = std::max(top - 10, 24);
  const __int128 kept = magnitude >> unit, rest = magnitude - (kept << unit),
                 middle = static_cast<__int128>(1) << (unit - 1);
  const auto places = static_cast<long double>(kept + (rest > middle || (rest == middle && (kept & 1)) ? 1 : 0));
  const long double result = std::ldexp(places, unit - 48);
  const Half sign = sum < 0 ? 0x8000 : 0;
  return static_cast<Half>(sign | (result > 65504 ? 0x7C00 : kgnpu::half_bits(static_cast<float>(result))));
}

TEST(HalfPatterns, FusedCallsAreRoundedOnceForAMillionTriples) {
  const auto a = random_halves(3), b = random_halves(4), c = random_halves(5);
  const Half scalar = kgnpu::half_bits(-0.7501f);
  auto mul_add_dst = c, fused_mul_add = c, fused_relu = c, axpy = c;
  find_elementwise(Op::kMulAddDst, Type::kHalf, Type::kHalf)->run({mul_add_dst.data(), a.data(), b.data(), 0, kMany});
  find_elementwise(Op::kFusedMulAdd, Type::kHalf, Type::kHalf)
      ->run({fused_mul_add.data(), a.data(), b.data(), 0, kMany});
  find_elementwise(Op::kFusedMulAddRelu, Type::kHalf, Type::kHalf)
      ->run({fused_relu.data(), a.data(), b.data(), 0, kMany});
  find_elementwise(Op::kAxpy, Type::kHalf, Type::kHalf)->run({axpy.data(), a.data(), nullptr, scalar, kMany});
  const auto finite = [](Half h) { return (h & 0x7C00u) != 0x7C00u; };
  const auto zero_agrees = [](Half got, Half expected) {  // the sign of an exact zero is not computed above
    return same(got, expected) || ((got & 0x7FFFu) == 0 && expected == 0);
  };
  for (std::size_t i = 0; i < kMany; ++i) {
    if (!finite(a[i]) || !finite(b[i]) || !finite(c[i])) continue;
    ASSERT_TRUE(zero_agrees(mul_add_dst[i], fused(a[i], b[i], c[i]))) << a[i] << " " << b[i] << " " << c[i];
    const Half chained = fused(a[i], c[i], b[i]);
    ASSERT_TRUE(zero_agrees(fused_mul_add[i], chained)) << a[i] << " " << b[i] << " " << c[i];
    ASSERT_TRUE(zero_agrees(fused_relu[i], (chained & 0x8000u) ? Half{0} : chained)) << a[i] << " " << b[i];
    ASSERT_TRUE(zero_agrees(axpy[i], fused(scalar, a[i], c[i]))) << a[i] << " " << c[i];
  }
}

TEST(HalfPatterns, HalfProductsAccumulateInFloatWithOneRounding) {
  const auto a = random_halves(6), b = random_halves(7);
  Philox random(22, 0);
  std::vector<float> c(kMany);
  for (float& value : c)
    value = static_cast<float>(random.next_normal() * std::ldexp(1.0, static_cast<int>(random.next_u32() % 40) - 20));
  auto y = c;
  find_elementwise(Op::kMulAddDst, Type::kFloat, Type::kHalf)->run({y.data(), a.data(), b.data(), 0, kMany});
  for (std::size_t i = 0; i < kMany; ++i) {
    const long double x = value_of(a[i]), z = value_of(b[i]);
    if (!std::isfinite(x) || !std::isfinite(z)) continue;
    const auto exact = static_cast<__float128>(x) * static_cast<__float128>(z) + static_cast<__float128>(c[i]);
    ASSERT_EQ(y[i], static_cast<float>(exact)) << a[i] << " " << b[i] << " " << c[i];
  }
}

TEST(HalfPatterns, FusedCastsSaturateAndRoundOnceForAMillionPairs) {
  const auto a = random_halves(8), b = random_halves(9);
  std::vector<std::int8_t> sum(kMany);
  std::vector<std::uint8_t> product(kMany);
  find_elementwise(Op::kSubReluCast, Type::kInt8, Type::kHalf)->run({sum.data(), a.data(), b.data(), 0, kMany});
  find_elementwise(Op::kMulCast, Type::kUint8, Type::kHalf)->run({product.data(), a.data(), b.data(), 0, kMany});
  for (std::size_t i = 0; i < kMany; ++i) {
    const long double x = value_of(a[i]) - value_of(b[i]), p = value_of(a[i]) * value_of(b[i]);
    const auto clip = [](long double v, long double low, long double high) {
      return v != v ? 0 : static_cast<int>(std::min(std::max(std::nearbyint(v), low), high));
    };
    ASSERT_EQ(int{sum[i]}, clip(x, 0, 127)) << a[i] << " " << b[i];
    ASSERT_EQ(int{product[i]}, clip(p, 0, 255)) << a[i] << " " << b[i];
  }
}

}  // namespace
}  // namespace kg::npu
