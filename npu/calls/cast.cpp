// Cast: every pair of types, every RoundMode.

#include "npu/calls/cast.h"

#include <cmath>
#include <limits>

#include "npu/calls/lanes.h"
#include "npu/headers/kgnpu/number.h"

namespace kg::npu {
namespace {

using kgnpu::Op;
using kgnpu::Type;

// To a shorter floating type from the bits of a float: `kDrop` mantissa bits go. Subnormal results of half lose more.
template <int kMantissa, int kBias, int kMaxExponent>
std::uint16_t shorten(float value, RoundMode mode) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 31, magnitude = bits & 0x7FFFFFFFu;
  const auto signed_result = [&](std::uint32_t result) { return static_cast<std::uint16_t>(sign << 15 | result); };
  constexpr std::uint32_t kInfinity = static_cast<std::uint32_t>(kMaxExponent) << kMantissa;
  if (magnitude > 0x7F800000u)
    return signed_result(kInfinity | 1u << (kMantissa - 1) |
                         ((magnitude >> (23 - kMantissa)) & ((1u << kMantissa) - 1)));
  if (magnitude == 0x7F800000u) return signed_result(kInfinity);
  if (magnitude == 0) return signed_result(0);
  int exponent = static_cast<int>(magnitude >> 23);
  std::uint32_t mantissa = magnitude & 0x7FFFFFu;
  if (exponent == 0)
    exponent = 1;
  else
    mantissa |= 0x800000u;
  int target = exponent - 127 + kBias;  // exponent field in the short type
  int drop = 23 - kMantissa;
  if (target < 1) {
    drop += 1 - target;
    target = 1;
  }
  std::uint32_t kept = drop > 31 ? 0 : mantissa >> drop;
  const std::uint64_t rest = drop > 40 ? 1 : mantissa & ((std::uint64_t{1} << drop) - 1);
  const std::uint64_t middle = drop > 40 ? 2 : std::uint64_t{1} << (drop - 1);
  bool up = false;
  switch (mode) {
    case RoundMode::kNone:
    case RoundMode::kRint:
      up = rest > middle || (rest == middle && (kept & 1u));
      break;
    case RoundMode::kFloor:
      up = rest != 0 && sign;
      break;
    case RoundMode::kCeil:
      up = rest != 0 && !sign;
      break;
    case RoundMode::kRound:
      up = rest >= middle;
      break;
    case RoundMode::kTrunc:
      break;
    case RoundMode::kOdd:
      up = rest != 0 && !(kept & 1u);
      break;
  }
  kept += up;
  // With the hidden bit still in `kept`, adding the exponent minus one carries by itself.
  const std::uint32_t result = (static_cast<std::uint32_t>(target - 1) << kMantissa) + kept;
  if (result < kInfinity) return signed_result(result);
  const bool stays_finite = mode == RoundMode::kTrunc || mode == RoundMode::kOdd ||
                            (mode == RoundMode::kFloor && !sign) || (mode == RoundMode::kCeil && sign);
  return signed_result(stays_finite ? kInfinity - 1 : kInfinity);
}

double to_integral(double value, RoundMode mode) {
  switch (mode) {
    case RoundMode::kFloor:
      return std::floor(value);
    case RoundMode::kCeil:
      return std::ceil(value);
    case RoundMode::kRound:
      return std::round(value);
    case RoundMode::kTrunc:
      return std::trunc(value);
    default:
      return std::nearbyint(value);
  }
}

// Out of range saturates, NaN becomes 0.
template <typename I>
I saturate(double value) {
  if (value != value) return 0;
  constexpr auto kLow = static_cast<double>(std::numeric_limits<I>::min());
  constexpr auto kHigh = static_cast<double>(std::numeric_limits<I>::max());
  if (value <= kLow) return std::numeric_limits<I>::min();
  if (value >= kHigh) return std::numeric_limits<I>::max();
  return static_cast<I>(value);
}

struct Half {};
struct Bfloat {};
template <typename T>
struct Storage {
  using Bits = T;
};
template <>
struct Storage<Half> {
  using Bits = std::uint16_t;
};
template <>
struct Storage<Bfloat> {
  using Bits = std::uint16_t;
};

template <typename S>
double value_of(typename Storage<S>::Bits bits) {
  if constexpr (std::is_same_v<S, Half>)
    return kgnpu::half_value(bits);
  else if constexpr (std::is_same_v<S, Bfloat>)
    return kgnpu::bfloat16_value(bits);
  else
    return static_cast<double>(bits);
}

// An integer to float under a round mode; int32 and int64 may not fit.
float float_of_integer(std::int64_t value, RoundMode mode) {
  const auto nearest = static_cast<float>(value);
  const auto back = static_cast<long double>(nearest);
  const auto exact = static_cast<long double>(value);
  if (back == exact || mode == RoundMode::kNone || mode == RoundMode::kRint) return nearest;
  const float below = back < exact ? nearest : std::nextafter(nearest, -std::numeric_limits<float>::infinity());
  const float above = back > exact ? nearest : std::nextafter(nearest, std::numeric_limits<float>::infinity());
  switch (mode) {
    case RoundMode::kFloor:
      return below;
    case RoundMode::kCeil:
      return above;
    case RoundMode::kTrunc:
      return value > 0 ? below : above;
    default: {  // half away from zero
      const long double down = exact - below, up = above - exact;
      return down < up ? below : up < down ? above : value > 0 ? above : below;
    }
  }
}

template <typename D, typename S>
void cast(const Run& run) {
  const auto mode = static_cast<RoundMode>(run.scalar);
  const auto* from = static_cast<const typename Storage<S>::Bits*>(run.a);
  auto* to = static_cast<typename Storage<D>::Bits*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) {
    if constexpr (std::is_same_v<D, float> && std::is_integral_v<S>)
      to[i] = float_of_integer(from[i], mode);
    else if constexpr (std::is_same_v<D, float> && std::is_same_v<S, float>)
      to[i] = static_cast<float>(to_integral(from[i], mode));
    else if constexpr (std::is_same_v<D, float>)
      to[i] = static_cast<float>(value_of<S>(from[i]));
    else if constexpr (std::is_same_v<D, Half>)
      to[i] = shorten<10, 15, 31>(static_cast<float>(value_of<S>(from[i])), mode);
    else if constexpr (std::is_same_v<D, Bfloat>)
      to[i] = shorten<7, 127, 255>(static_cast<float>(value_of<S>(from[i])), mode);
    else if constexpr (std::is_integral_v<S> && sizeof(D) >= sizeof(S))
      to[i] = static_cast<D>(from[i]);
    else if constexpr (std::is_integral_v<S>)
      to[i] = from[i] > std::numeric_limits<D>::max()   ? std::numeric_limits<D>::max()
              : from[i] < std::numeric_limits<D>::min() ? std::numeric_limits<D>::min()
                                                        : static_cast<D>(from[i]);
    else
      to[i] = saturate<D>(to_integral(value_of<S>(from[i]), mode));
  }
}

void half_to_float(const Run& run) {
  widen_half(static_cast<const std::uint16_t*>(run.a), static_cast<float*>(run.dst), run.n);
}
void float_to_half(const Run& run) {
  const auto mode = static_cast<RoundMode>(run.scalar);
  if (mode == RoundMode::kNone || mode == RoundMode::kRint)
    narrow_half(static_cast<const float*>(run.a), static_cast<std::uint16_t*>(run.dst), run.n);
  else
    cast<Half, float>(run);
}
void bfloat_to_float(const Run& run) {
  const auto* from = static_cast<const std::uint16_t*>(run.a);
  auto* to = static_cast<std::uint32_t*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) to[i] = static_cast<std::uint32_t>(from[i]) << 16;
}
void float_to_bfloat(const Run& run) {
  const auto mode = static_cast<RoundMode>(run.scalar);
  if (mode != RoundMode::kRint) return cast<Bfloat, float>(run);
  const auto* from = static_cast<const std::uint32_t*>(run.a);
  auto* to = static_cast<std::uint16_t*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i) {
    const std::uint32_t bits = from[i];
    const std::uint32_t rounded = (bits + 0x7FFFu + ((bits >> 16) & 1u)) >> 16, quiet = bits >> 16 | 0x40u;
    to[i] = static_cast<std::uint16_t>((bits & 0x7FFFFFFFu) > 0x7F800000u ? quiet : rounded);
  }
}

// int4b_t: a lane is a byte, which holds two elements, the first in the low four bits (int4_pairs.h).
std::uint8_t int4_of(std::uint16_t half, RoundMode mode) {
  const std::int8_t value = saturate<std::int8_t>(to_integral(kgnpu::half_value(half), mode));
  return static_cast<std::uint8_t>(std::clamp<int>(value, -8, 7) & 15);
}
void half_to_int4(const Run& run) {
  const auto mode = static_cast<RoundMode>(run.scalar);
  const auto* from = static_cast<const std::uint16_t*>(run.a);
  auto* to = static_cast<std::uint8_t*>(run.dst);
  for (std::size_t i = 0; i < run.n; ++i)
    to[i] = static_cast<std::uint8_t>(int4_of(from[2 * i], mode) | int4_of(from[2 * i + 1], mode) << 4);
}
void int4_to_half(const Run& run) {
  const auto* from = static_cast<const std::uint8_t*>(run.a);
  auto* to = static_cast<std::uint16_t*>(run.dst);
  const auto half_of = [](int bits) { return kgnpu::half_bits(static_cast<float>((bits ^ 8) - 8)); };
  for (std::size_t i = 0; i < run.n; ++i) {
    const int pair = from[i];
    to[2 * i] = half_of(pair & 15);
    to[2 * i + 1] = half_of(pair >> 4);
  }
}

constexpr Elementwise kTable[] = {
    {Op::kCast, Type::kFloat, Type::kHalf, half_to_float},
    {Op::kCast, Type::kInt32, Type::kHalf, cast<std::int32_t, Half>},
    {Op::kCast, Type::kInt16, Type::kHalf, cast<std::int16_t, Half>},
    {Op::kCast, Type::kInt8, Type::kHalf, cast<std::int8_t, Half>},
    {Op::kCast, Type::kUint8, Type::kHalf, cast<std::uint8_t, Half>},
    {Op::kCast, Type::kInt4, Type::kHalf, half_to_int4},
    {Op::kCast, Type::kFloat, Type::kFloat, cast<float, float>},
    {Op::kCast, Type::kHalf, Type::kFloat, float_to_half},
    {Op::kCast, Type::kBfloat16, Type::kFloat, float_to_bfloat},
    {Op::kCast, Type::kInt64, Type::kFloat, cast<std::int64_t, float>},
    {Op::kCast, Type::kInt32, Type::kFloat, cast<std::int32_t, float>},
    {Op::kCast, Type::kInt16, Type::kFloat, cast<std::int16_t, float>},
    {Op::kCast, Type::kFloat, Type::kBfloat16, bfloat_to_float},
    {Op::kCast, Type::kInt32, Type::kBfloat16, cast<std::int32_t, Bfloat>},
    {Op::kCast, Type::kHalf, Type::kUint8, cast<Half, std::uint8_t>},
    {Op::kCast, Type::kHalf, Type::kInt8, cast<Half, std::int8_t>},
    {Op::kCast, Type::kHalf, Type::kInt4, int4_to_half},
    {Op::kCast, Type::kHalf, Type::kInt16, cast<Half, std::int16_t>},
    {Op::kCast, Type::kFloat, Type::kInt16, cast<float, std::int16_t>},
    {Op::kCast, Type::kFloat, Type::kInt32, cast<float, std::int32_t>},
    {Op::kCast, Type::kInt64, Type::kInt32, cast<std::int64_t, std::int32_t>},
    {Op::kCast, Type::kInt16, Type::kInt32, cast<std::int16_t, std::int32_t>},
    {Op::kCast, Type::kHalf, Type::kInt32, cast<Half, std::int32_t>},
    {Op::kCast, Type::kInt32, Type::kInt64, cast<std::int32_t, std::int64_t>},
    {Op::kCast, Type::kFloat, Type::kInt64, cast<float, std::int64_t>},
};

constexpr unsigned mask(std::initializer_list<RoundMode> modes) {
  unsigned bits = 0;
  for (const RoundMode mode : modes) bits |= 1u << static_cast<int>(mode);
  return bits;
}
constexpr unsigned kOnlyNone = mask({RoundMode::kNone});
constexpr unsigned kDirected =
    mask({RoundMode::kRint, RoundMode::kFloor, RoundMode::kCeil, RoundMode::kRound, RoundMode::kTrunc});

}  // namespace

unsigned allowed_round_modes(Type dst, Type src) {
  switch (src) {
    case Type::kHalf:
      if (dst == Type::kFloat) return kOnlyNone;
      return dst == Type::kInt32 || dst == Type::kInt16 ? kDirected : kDirected | kOnlyNone;
    case Type::kFloat:
      return dst == Type::kHalf ? kDirected | kOnlyNone | mask({RoundMode::kOdd}) : kDirected;
    case Type::kBfloat16:
      return dst == Type::kFloat ? kOnlyNone : kDirected;
    case Type::kInt16:
      return dst == Type::kHalf ? kDirected | kOnlyNone : kOnlyNone;
    case Type::kInt32:
      return dst == Type::kFloat ? kDirected | kOnlyNone : kOnlyNone;
    case Type::kInt64:
      return dst == Type::kFloat ? kDirected : kOnlyNone;
    default:
      return kOnlyNone;
  }
}

std::span<const Elementwise> cast_table() { return kTable; }

}  // namespace kg::npu
