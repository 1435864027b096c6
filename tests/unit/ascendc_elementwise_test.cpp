#include <gtest/gtest.h>

#include <Eigen/Core>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "npu/calls/elementwise.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

constexpr std::size_t kMany = 1000000;

template <typename T>
std::vector<T> random_bits(std::uint64_t stream, std::size_t n) {
  Philox random(11, stream);
  std::vector<T> values(n);
  for (T& value : values)
    value = std::bit_cast<T>(
        static_cast<std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint32_t>>(random.next_u32()));
  return values;
}

Eigen::half half_of(std::uint16_t bits) { return Eigen::half_impl::raw_uint16_to_half(bits); }
bool same_half(std::uint16_t a, std::uint16_t b) {
  const bool nan_a = (a & 0x7FFFu) > 0x7C00u, nan_b = (b & 0x7FFFu) > 0x7C00u;
  return nan_a || nan_b ? nan_a == nan_b : a == b;
}
bool same_float(float a, float b) {
  return (a != a && b != b) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

template <typename T>
std::vector<T> run(Op op, Type type, const std::vector<T>& a, const std::vector<T>& b, std::vector<T> dst) {
  find_elementwise(op, type, type)->run({dst.data(), a.data(), b.data(), 0, a.size()});
  return dst;
}

// Correctly rounded half results: long double holds the exact sum or product of two halves and nearly the exact
// quotient.
std::uint16_t nearest_half(long double exact) {
  if (exact != exact) return 0x7E00;
  const auto start = static_cast<float>(exact);
  const Eigen::half guess(start);
  Eigen::half best = guess;
  for (int step = -1; step <= 1; ++step) {
    const auto bits = static_cast<std::uint16_t>(guess.x + step);
    const auto candidate = half_of(bits);
    if (!std::isfinite(static_cast<float>(candidate)) || !std::isfinite(static_cast<float>(best))) continue;
    const long double d = std::fabs(static_cast<long double>(static_cast<float>(candidate)) - exact);
    const long double old = std::fabs(static_cast<long double>(static_cast<float>(best)) - exact);
    if (d < old || (d == old && (bits & 1u) == 0)) best = candidate;
  }
  return best.x;
}

TEST(Elementwise, HalfArithmeticIsRoundedOnceForAMillionPairs) {
  const auto a = random_bits<std::uint16_t>(1, kMany), b = random_bits<std::uint16_t>(2, kMany);
  struct Case {
    Op op;
    long double (*exact)(long double, long double);
  };
  const Case cases[] = {{Op::kAdd, [](long double x, long double y) { return x + y; }},
                        {Op::kSub, [](long double x, long double y) { return x - y; }},
                        {Op::kMul, [](long double x, long double y) { return x * y; }},
                        {Op::kDiv, [](long double x, long double y) { return x / y; }}};
  for (const Case& c : cases) {
    const auto result = run(c.op, Type::kHalf, a, b, std::vector<std::uint16_t>(kMany));
    for (std::size_t i = 0; i < kMany; ++i) {
      const std::uint16_t expected =
          nearest_half(c.exact(static_cast<float>(half_of(a[i])), static_cast<float>(half_of(b[i]))));
      ASSERT_TRUE(same_half(result[i], expected))
          << static_cast<int>(c.op) << " of " << a[i] << " " << b[i] << ": " << result[i];
    }
  }
}

TEST(Elementwise, HalfMultiplyAddIsRoundedOnce) {
  const auto a = random_bits<std::uint16_t>(3, kMany), b = random_bits<std::uint16_t>(4, kMany),
             c = random_bits<std::uint16_t>(5, kMany);
  const auto result = run(Op::kMulAddDst, Type::kHalf, a, b, c);
  for (std::size_t i = 0; i < kMany; ++i) {
    // Exact as an integer multiple of 2^-48 in 128 bits.
    const float x = static_cast<float>(half_of(a[i])), y = static_cast<float>(half_of(b[i])),
                z = static_cast<float>(half_of(c[i]));
    if (!std::isfinite(x) || !std::isfinite(y) || !std::isfinite(z)) continue;
    const __int128 sum = static_cast<__int128>(x * 0x1p24) * static_cast<__int128>(y * 0x1p24) +
                         static_cast<__int128>(z * 0x1p24) * (static_cast<__int128>(1) << 24);
    if (sum == 0) continue;
    const __int128 magnitude = sum < 0 ? -sum : sum;
    int exponent = 0;  // of the leading bit, in units of 2^-48
    while (magnitude >> (exponent + 1) != 0) ++exponent;
    const int unit = std::max(exponent - 10, 24);  // the last place kept: subnormals stop at 2^-24
    const __int128 kept = magnitude >> unit, rest = magnitude & ((static_cast<__int128>(1) << unit) - 1);
    const __int128 middle = static_cast<__int128>(1) << (unit - 1);
    const __int128 rounded = kept + (rest > middle || (rest == middle && (kept & 1)) ? 1 : 0);
    const auto expected =
        static_cast<float>(std::ldexp(static_cast<double>(rounded), unit - 48)) * (sum < 0 ? -1.0f : 1.0f);
    const Eigen::half half(expected);
    ASSERT_TRUE(same_half(result[i], half.x)) << x << " * " << y << " + " << z;
  }
}

TEST(Elementwise, FloatArithmeticAgreesWithEigen) {
  const auto a = random_bits<float>(6, kMany), b = random_bits<float>(7, kMany);
  using Array = Eigen::Map<const Eigen::ArrayXf>;
  const Array x(a.data(), kMany), y(b.data(), kMany);
  const Eigen::ArrayXf expected[] = {x + y, x - y, x * y, x / y};
  const Op ops[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv};
  for (int k = 0; k < 4; ++k) {
    const auto result = run(ops[k], Type::kFloat, a, b, std::vector<float>(kMany));
    for (std::size_t i = 0; i < kMany; ++i)
      ASSERT_TRUE(same_float(result[i], expected[k][static_cast<Eigen::Index>(i)])) << k << " " << i;
  }
}

// Within half a unit in the last place of the exact value, by long double: correctly rounded but for ties no test can
// meet.
TEST(Elementwise, FloatFunctionsAreCorrectlyRounded) {
  struct Case {
    Op op;
    long double (*exact)(long double);
  };
  const Case cases[] = {{Op::kExp, [](long double x) { return std::exp(x); }},
                        {Op::kLn, [](long double x) { return std::log(x); }},
                        {Op::kSqrt, [](long double x) { return std::sqrt(x); }},
                        {Op::kRsqrt, [](long double x) { return 1 / std::sqrt(x); }},
                        {Op::kReciprocal, [](long double x) { return 1 / x; }},
                        {Op::kTanh, [](long double x) { return std::tanh(x); }},
                        {Op::kSigmoid, [](long double x) { return 1 / (1 + std::exp(-x)); }}};
  std::vector<float> x = random_bits<float>(8, 300000);
  Philox random(12, 0);
  for (int i = 0; i < 300000; ++i) x.push_back(static_cast<float>(random.next_normal() * 8));
  for (const float special :
       {0.0f, -0.0f, 1.0f, -1.0f, INFINITY, -INFINITY, NAN, 88.7f, 88.8f, -103.9f, -104.1f, 1e-45f, 3.4e38f, 5e-3f})
    x.push_back(special);
  for (const Case& c : cases) {
    const auto result = run(c.op, Type::kFloat, x, x, std::vector<float>(x.size()));
    for (std::size_t i = 0; i < x.size(); ++i) {
      const long double exact = c.exact(x[i]);
      const auto expected = static_cast<float>(exact);
      if (same_float(result[i], expected)) continue;
      const long double error = std::fabs(static_cast<long double>(result[i]) - exact),
                        best = std::fabs(static_cast<long double>(expected) - exact);
      ASSERT_LT(error, best * (1 + 1e-6L))
          << "operation " << static_cast<int>(c.op) << " of " << x[i] << ": " << result[i] << " not " << expected;
    }
  }
}

TEST(Elementwise, EveryHalfPatternThroughTheFunctions) {
  std::vector<std::uint16_t> x(65536), y(65536);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<std::uint16_t>(i);
  struct Case {
    Op op;
    double (*exact)(double);
  };
  const Case cases[] = {{Op::kExp, [](double v) { return std::exp(v); }},
                        {Op::kLn, [](double v) { return std::log(v); }},
                        {Op::kSqrt, [](double v) { return std::sqrt(v); }},
                        {Op::kAbs, [](double v) { return std::fabs(v); }},
                        {Op::kRelu, [](double v) { return v > 0 || v != v ? v : 0.0; }}};
  for (const Case& c : cases) {
    find_elementwise(c.op, Type::kHalf, Type::kHalf)->run({y.data(), x.data(), nullptr, 0, x.size()});
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double exact = c.exact(static_cast<float>(half_of(x[i])));
      ASSERT_TRUE(same_half(y[i], nearest_half(exact)))
          << static_cast<int>(c.op) << " of pattern " << i << ": " << y[i];
    }
  }
}

TEST(Elementwise, IntegersWrapAndShiftsOfTheWidthLeaveTheSign) {
  const std::vector<std::int16_t> a = {32767, -32768, 300, -5}, b = {1, -1, 300, 3};
  EXPECT_EQ(run(Op::kAdd, Type::kInt16, a, b, std::vector<std::int16_t>(4)),
            (std::vector<std::int16_t>{-32768, 32767, 600, -2}));
  EXPECT_EQ(run(Op::kMul, Type::kInt16, a, b, std::vector<std::int16_t>(4)),
            (std::vector<std::int16_t>{32767, -32768, 24464, -15}));
  std::vector<std::int16_t> shifted(4);
  find_elementwise(Op::kShiftRight, Type::kInt16, Type::kInt16)->run({shifted.data(), a.data(), nullptr, 4, 4});
  EXPECT_EQ(shifted, (std::vector<std::int16_t>{2047, -2048, 18, -1}));
  const Elementwise* left = find_elementwise(Op::kShiftLeft, Type::kInt16, Type::kInt16);
  left->run({shifted.data(), a.data(), nullptr, 16, 4});
  EXPECT_EQ(shifted, (std::vector<std::int16_t>{0, -32768, 0, -32768}));
  // The examples of the call's page.
  const std::vector<std::int16_t> pattern(4, static_cast<std::int16_t>(0b1010101010101010));
  left->run({shifted.data(), pattern.data(), nullptr, 1, 4});
  EXPECT_EQ(shifted, std::vector<std::int16_t>(4, static_cast<std::int16_t>(0b1101010101010100)));
  left->run({shifted.data(), pattern.data(), nullptr, 3, 4});
  EXPECT_EQ(shifted, std::vector<std::int16_t>(4, static_cast<std::int16_t>(0b1101010101010000)));
}

TEST(Elementwise, MaxAndMinPassNaNOn) {
  const std::vector<float> a = {NAN, 1.0f, 2.0f}, b = {1.0f, NAN, 3.0f};
  const auto max = run(Op::kMax, Type::kFloat, a, b, std::vector<float>(3)),
             min = run(Op::kMin, Type::kFloat, a, b, std::vector<float>(3));
  EXPECT_TRUE(max[0] != max[0] && max[1] != max[1] && min[0] != min[0] && min[1] != min[1]);
  EXPECT_EQ(max[2], 3.0f);
  EXPECT_EQ(min[2], 2.0f);
}

}  // namespace
}  // namespace kg::npu
