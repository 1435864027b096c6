#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "npu/headers/kgnpu/number.h"

namespace kg::npu::scalar {

// Floating-point numbers of the F, D and Zfh extensions: NaN results are the canonical one, conversions to
// integers saturate. Half computes in float and rounds once more, which is exact rounding for these operations (24 >= 2
// * 11 + 2).

struct Half {
  std::uint16_t bits;
};

inline float value_of(float x) { return x; }
inline double value_of(double x) { return x; }
inline float value_of(Half x) { return kgnpu::half_value(x.bits); }

template <typename T>
T from_register(std::uint64_t bits) {
  if constexpr (std::is_same_v<T, double>)
    return __builtin_bit_cast(double, bits);
  else if constexpr (std::is_same_v<T, float>)
    return __builtin_bit_cast(float, static_cast<std::uint32_t>(bits));
  else
    return Half{static_cast<std::uint16_t>(bits)};
}

inline std::uint64_t to_register(float x) {
  return 0xFFFFFFFF'00000000u | (x != x ? 0x7FC00000u : __builtin_bit_cast(std::uint32_t, x));
}
inline std::uint64_t to_register(double x) {
  return x != x ? 0x7FF80000'00000000u : __builtin_bit_cast(std::uint64_t, x);
}
inline std::uint64_t to_register(Half x) {
  const bool nan = (x.bits & 0x7FFF) > 0x7C00;
  return 0xFFFFFFFF'FFFF0000u | (nan ? 0x7E00u : x.bits);
}

// The bits of a number in the format that T computes in: for moves and signs, which ignore the number's value.
template <typename T>
struct Format;
template <>
struct Format<float> {
  static constexpr std::uint64_t sign = 1ULL << 31, box = 0xFFFFFFFF'00000000u;
};
template <>
struct Format<double> {
  static constexpr std::uint64_t sign = 1ULL << 63, box = 0;
};
template <>
struct Format<Half> {
  static constexpr std::uint64_t sign = 1ULL << 15, box = 0xFFFFFFFF'FFFF0000u;
};

template <typename T>
T rounded(double x) {
  if constexpr (std::is_same_v<T, Half>)
    return Half{kgnpu::half_bits(static_cast<float>(x))};
  else
    return static_cast<T>(x);
}
inline Half half_of(float x) { return Half{kgnpu::half_bits(x)}; }

// From a double to half in one rounding: through float, rounded to odd, so that the second rounding sees the lost
// bits.
inline Half half_of_double(double x) {
  float f = static_cast<float>(x);
  if (static_cast<double>(f) != x && std::isfinite(x) && std::isfinite(f)) {
    std::uint32_t bits = __builtin_bit_cast(std::uint32_t, f);
    if ((bits & 1) == 0) bits += std::fabs(static_cast<double>(f)) < std::fabs(x) ? 1 : -1;
    f = __builtin_bit_cast(float, bits);
  }
  return half_of(f);
}

// minimumNumber and maximumNumber of IEEE 754-2019: NaN only if both are, -0 below +0.
template <typename F>
F smaller(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? a : b;
  return a < b ? a : b;
}
template <typename F>
F larger(F a, F b) {
  if (a != a) return b;
  if (b != b) return a;
  if (a == b) return std::signbit(a) ? b : a;
  return a > b ? a : b;
}

template <typename F>
F rounded_as(F x, int mode) {
  switch (mode) {
    case 0:
      return std::nearbyint(x);
    case 2:
      return std::floor(x);
    case 3:
      return std::ceil(x);
    case 4:
      return std::round(x);
    default:
      return std::trunc(x);
  }
}

// Saturates; NaN is the largest (unprivileged ISA, table of FCVT results).
template <typename Integer, typename F>
Integer integer_of(F x, int mode) {
  using Limits = std::numeric_limits<Integer>;
  if (x != x) return Limits::max();
  const F whole = rounded_as(x, mode);
  // The type's bounds as floating-point numbers: the upper one is one above the largest, a power of two.
  const F below = std::is_signed_v<Integer> ? static_cast<F>(Limits::min()) : F{0};
  const F above = std::ldexp(F{1}, Limits::digits);
  if (whole < below) return Limits::min();
  if (whole >= above) return Limits::max();
  return static_cast<Integer>(whole);
}

// FCLASS: one bit of ten.
template <typename T>
std::uint64_t class_of(T number) {
  const auto x = value_of(number);
  const bool negative = std::signbit(x);
  if (x != x) {
    bool quiet = false;
    if constexpr (std::is_same_v<T, Half>)
      quiet = (number.bits & 0x200) != 0;
    else if constexpr (std::is_same_v<T, float>)
      quiet = (__builtin_bit_cast(std::uint32_t, x) >> 22 & 1) != 0;
    else
      quiet = (__builtin_bit_cast(std::uint64_t, x) >> 51 & 1) != 0;
    return quiet ? 1u << 9 : 1u << 8;
  }
  if (std::isinf(x)) return negative ? 1u << 0 : 1u << 7;
  if (x == 0) return negative ? 1u << 3 : 1u << 4;
  bool normal = std::isnormal(x);
  if constexpr (std::is_same_v<T, Half>) normal = (number.bits & 0x7C00) != 0;
  if (normal) return negative ? 1u << 1 : 1u << 6;
  return negative ? 1u << 2 : 1u << 5;
}

}  // namespace kg::npu::scalar
