#include <gtest/gtest.h>

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <vector>

#include "base/random.h"
#include "npu/calls/cast.h"
#include "npu/calls/convert.h"
#include "npu/calls/elementwise.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

template <typename D, typename S>
std::vector<D> cast(Type dst, Type src, RoundMode mode, const std::vector<S>& from) {
  std::vector<D> to(from.size());
  find_elementwise(Op::kCast, dst, src)
      ->run({to.data(), from.data(), nullptr, static_cast<std::uint64_t>(mode), from.size()});
  return to;
}

std::vector<std::uint16_t> all_patterns() {
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  return all;
}

float half_by_eigen(std::uint16_t bits) {
  return static_cast<float>(Eigen::half(Eigen::half_impl::raw_uint16_to_half(bits)));
}
float bfloat_by_eigen(std::uint16_t bits) {
  return static_cast<float>(Eigen::bfloat16(Eigen::bfloat16_impl::raw_uint16_to_bfloat16(bits)));
}

bool same(float a, float b) {
  return (a != a && b != b) || std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

// Rounding by search: the finite values of the short type in order, and which neighbour a mode picks. Shares nothing
// with the bit arithmetic under test.
class Rounding {
 public:
  explicit Rounding(float (*widen)(std::uint16_t)) : widen_(widen) {
    for (std::uint32_t bits = 0; bits < 0x8000u; ++bits)
      if (std::isfinite(widen(static_cast<std::uint16_t>(bits)))) largest_ = bits;
  }
  float round(float x, RoundMode mode) const {
    if (x != x || std::isinf(x) || x == 0) return x;
    const double magnitude = std::fabs(static_cast<double>(x));
    std::uint32_t low = 0, high = largest_ + 1;  // value(low) <= magnitude < value(high); the last stands for overflow
    while (high - low > 1) {
      const std::uint32_t middle = (low + high) / 2;
      (value(middle) <= magnitude ? low : high) = middle;
    }
    const bool negative = x < 0;
    bool up = false;
    if (value(low) != magnitude) {
      const double below = magnitude - value(low), above = value(high) - magnitude;
      switch (mode) {
        case RoundMode::kNone:
        case RoundMode::kRint:
          up = above < below || (above == below && low % 2 == 1);
          break;
        case RoundMode::kFloor:
          up = negative;
          break;
        case RoundMode::kCeil:
          up = !negative;
          break;
        case RoundMode::kRound:
          up = above <= below;
          break;
        case RoundMode::kTrunc:
          up = false;
          break;
        case RoundMode::kOdd:
          up = low % 2 == 0;
          break;
      }
    }
    const std::uint32_t chosen = low + up;
    const float result =
        chosen > largest_ ? std::numeric_limits<float>::infinity() : widen_(static_cast<std::uint16_t>(chosen));
    return negative ? -result : result;
  }

 private:
  double value(std::uint32_t bits) const {
    if (bits <= largest_) return widen_(static_cast<std::uint16_t>(bits));
    // One step beyond the largest, as if the exponent went on.
    return 2.0 * widen_(static_cast<std::uint16_t>(largest_)) - widen_(static_cast<std::uint16_t>(largest_ - 1));
  }
  float (*widen_)(std::uint16_t);
  std::uint32_t largest_ = 0;
};

// Every value of the short type, its neighbours in float, the points half-way to the next value and their neighbours.
std::vector<float> hard_floats(float (*widen)(std::uint16_t)) {
  std::vector<float> hard = {0.0f,
                             -0.0f,
                             1e-45f,
                             -1e-45f,
                             std::numeric_limits<float>::max(),
                             std::numeric_limits<float>::lowest(),
                             std::numeric_limits<float>::infinity(),
                             -std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN(),
                             65519.996f,
                             65520.0f,
                             65536.0f};
  for (std::uint32_t bits = 0; bits < 65535; ++bits) {
    const float a = widen(static_cast<std::uint16_t>(bits)), b = widen(static_cast<std::uint16_t>(bits + 1));
    if (!std::isfinite(a) || !std::isfinite(b)) continue;
    const auto middle = static_cast<float>((static_cast<double>(a) + b) / 2);
    for (const float x : {a, middle})
      for (const float y : {std::nextafter(x, -INFINITY), x, std::nextafter(x, INFINITY)}) hard.push_back(y);
  }
  Philox random(7, 0);
  for (int i = 0; i < 1000000; ++i) hard.push_back(std::bit_cast<float>(random.next_u32()));
  return hard;
}

TEST(Cast, AllHalfPatternsToFloatAndBack) {
  const auto patterns = all_patterns();
  const auto floats = cast<float>(Type::kFloat, Type::kHalf, RoundMode::kNone, patterns);
  const auto back = cast<std::uint16_t>(Type::kHalf, Type::kFloat, RoundMode::kNone, floats);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_TRUE(same(floats[i], half_by_eigen(patterns[i]))) << i;
    ASSERT_TRUE(same(kgnpu::half_value(patterns[i]), floats[i])) << i;
    if (floats[i] == floats[i]) {
      ASSERT_EQ(back[i], patterns[i]);
    }
  }
}

TEST(Cast, AllBfloat16PatternsToFloatAndBack) {
  const auto patterns = all_patterns();
  const auto floats = cast<float>(Type::kFloat, Type::kBfloat16, RoundMode::kNone, patterns);
  const auto back = cast<std::uint16_t>(Type::kBfloat16, Type::kFloat, RoundMode::kRint, floats);
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    ASSERT_TRUE(same(floats[i], bfloat_by_eigen(patterns[i]))) << i;
    if (floats[i] == floats[i]) {
      ASSERT_EQ(back[i], patterns[i]);
    }
  }
}

TEST(Cast, FloatToHalfInEveryRoundMode) {
  const Rounding reference(half_by_eigen);
  const auto hard = hard_floats(half_by_eigen);
  for (int m = 0; m < 7; ++m) {
    const auto mode = static_cast<RoundMode>(m);
    const auto result = cast<std::uint16_t>(Type::kHalf, Type::kFloat, mode, hard);
    for (std::size_t i = 0; i < hard.size(); ++i) {
      float expected = reference.round(hard[i], mode);
      // Directed modes never overflow against their direction; to odd stays at the largest.
      if (mode == RoundMode::kOdd && std::isinf(expected) && std::isfinite(hard[i]))
        expected = std::copysign(65504.0f, hard[i]);
      if (std::fabs(hard[i]) > 65536.0f && std::isfinite(hard[i]))
        expected = mode == RoundMode::kTrunc || mode == RoundMode::kOdd || (mode == RoundMode::kFloor && hard[i] > 0) ||
                           (mode == RoundMode::kCeil && hard[i] < 0)
                       ? std::copysign(65504.0f, hard[i])
                       : std::copysign(INFINITY, hard[i]);
      ASSERT_TRUE(same(half_by_eigen(result[i]), expected))
          << "mode " << m << " of " << hard[i] << " gives " << half_by_eigen(result[i]) << " not " << expected;
    }
  }
}

TEST(Cast, FloatToHalfOfTheHeaderAgreesWithEigen) {
  for (const float x : hard_floats(half_by_eigen)) {
    const float expected = static_cast<float>(Eigen::half(x));
    ASSERT_TRUE(same(kgnpu::half_value(kgnpu::half_bits(x)), expected)) << x;
  }
}

TEST(Cast, FloatToBfloat16InEveryRoundMode) {
  const Rounding reference(bfloat_by_eigen);
  const auto hard = hard_floats(bfloat_by_eigen);
  for (const RoundMode mode :
       {RoundMode::kRint, RoundMode::kFloor, RoundMode::kCeil, RoundMode::kRound, RoundMode::kTrunc}) {
    const auto result = cast<std::uint16_t>(Type::kBfloat16, Type::kFloat, mode, hard);
    for (std::size_t i = 0; i < hard.size(); ++i)
      ASSERT_TRUE(same(bfloat_by_eigen(result[i]), reference.round(hard[i], mode)))
          << "mode " << static_cast<int>(mode) << " of " << hard[i] << " gives " << bfloat_by_eigen(result[i]);
  }
}

TEST(Cast, DoubleToHalfRoundsOnce) {
  // Just above a tie in double, exactly the tie once rounded to float: rounding twice would go the wrong way.
  const double above_tie = 1.0 + 0x1p-11 + 0x1p-40;
  EXPECT_EQ(half_by_eigen(half_of_double(above_tie)), 1.0f + 0x1p-10f);
  EXPECT_EQ(half_by_eigen(half_of_double(1.0 + 0x1p-11)), 1.0f);
  EXPECT_EQ(half_by_eigen(half_of_double(-above_tie)), -1.0f - 0x1p-10f);
}

TEST(Cast, FloatToIntegersSaturatesAndRoundsByMode) {
  const std::vector<float> x = {0.5f, 1.5f, 2.5f, -0.5f, -1.5f, 2.4f, -2.6f, 1e20f, -1e20f, NAN, INFINITY};
  const auto rint = cast<std::int32_t>(Type::kInt32, Type::kFloat, RoundMode::kRint, x);
  EXPECT_EQ(rint, (std::vector<std::int32_t>{0, 2, 2, 0, -2, 2, -3, INT32_MAX, INT32_MIN, 0, INT32_MAX}));
  const auto round = cast<std::int32_t>(Type::kInt32, Type::kFloat, RoundMode::kRound, x);
  EXPECT_EQ(round, (std::vector<std::int32_t>{1, 2, 3, -1, -2, 2, -3, INT32_MAX, INT32_MIN, 0, INT32_MAX}));
  const auto floor = cast<std::int16_t>(Type::kInt16, Type::kFloat, RoundMode::kFloor, x);
  EXPECT_EQ(floor, (std::vector<std::int16_t>{0, 1, 2, -1, -2, 2, -3, INT16_MAX, INT16_MIN, 0, INT16_MAX}));
  const auto ceil = cast<std::int64_t>(Type::kInt64, Type::kFloat, RoundMode::kCeil, x);
  EXPECT_EQ(ceil[0], 1);
  EXPECT_EQ(ceil[3], 0);
  const auto trunc = cast<std::int32_t>(Type::kInt32, Type::kFloat, RoundMode::kTrunc, x);
  EXPECT_EQ(trunc[6], -2);
}

TEST(Cast, LargeIntegersToFloatInEveryRoundMode) {
  const std::vector<std::int32_t> x = {16777217, -16777217, 16777219, INT32_MAX};
  EXPECT_EQ(cast<float>(Type::kFloat, Type::kInt32, RoundMode::kRint, x),
            (std::vector<float>{16777216, -16777216, 16777220, 2147483648.0f}));
  EXPECT_EQ(cast<float>(Type::kFloat, Type::kInt32, RoundMode::kFloor, x),
            (std::vector<float>{16777216, -16777218, 16777218, 2147483520.0f}));
  EXPECT_EQ(cast<float>(Type::kFloat, Type::kInt32, RoundMode::kCeil, x),
            (std::vector<float>{16777218, -16777216, 16777220, 2147483648.0f}));
  EXPECT_EQ(cast<float>(Type::kFloat, Type::kInt32, RoundMode::kRound, x),
            (std::vector<float>{16777218, -16777218, 16777220, 2147483648.0f}));
  EXPECT_EQ(cast<float>(Type::kFloat, Type::kInt32, RoundMode::kTrunc, x),
            (std::vector<float>{16777216, -16777216, 16777218, 2147483520.0f}));
}

}  // namespace
}  // namespace kg::npu
