#pragma once

#include "kgnpu/names.h"
#include "kgnpu/number.h"

// Calls that the scalar unit executes itself. Their instructions are the kernel's own work and charged as such
// (npu/scalar/line_table), unlike those of calls that pass work to the device's other units.

namespace AscendC {

// Quotients for lengths.
inline uint32_t AlignUp(uint32_t value, uint32_t unit) { return unit == 0 ? 0 : (value + unit - 1) / unit * unit; }
inline uint32_t DivCeil(uint32_t value, uint32_t unit) { return unit == 0 ? 0 : (value + unit - 1) / unit; }
constexpr int32_t CeilDivision(int32_t num1, int32_t num2) { return num2 == 0 ? 0 : (num1 + num2 - 1) / num2; }
// With two types, so that a kernel's own Ceil(T, T) is a better match.
template <typename A, typename B, typename = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr std::common_type_t<A, B> Ceil(A value, B unit) {
  return unit == 0 ? 0 : (value + unit - 1) / unit;
}

template <typename A, typename B, typename = std::enable_if_t<std::is_integral_v<A> && std::is_integral_v<B>>>
constexpr std::common_type_t<A, B> Align(A value, B unit) {
  return unit == 0 ? 0 : (value + unit - 1) / unit * unit;
}

// Bits of a scalar.
template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "ScalarGetCountOfValue counts bits that are 0 or 1");
  const int64_t ones = __builtin_popcountll(value);
  return countValue == 1 ? ones : 64 - ones;
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
// The number of bits after the sign bit that equal it; -1 for 0 and -1 themselves.
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  if (value == 0 || value == -1) return -1;
  return __builtin_clrsbll(value);
}
template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t value) {  // the lowest bit that is 0 or 1
  static_assert(countValue == 0 || countValue == 1, "ScalarGetSFFValue looks for a bit that is 0 or 1");
  const uint64_t bits = countValue == 1 ? value : ~value;
  return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
inline int64_t GetBitCount(uint64_t value) {
  return ScalarGetCountOfValue<countValue>(value);
}
template <int countValue>
inline int64_t GetSFFValue(uint64_t value) {
  return ScalarGetSFFValue<countValue>(value);
}
template <typename T, typename U, RoundMode roundMode>
inline U ScalarCast(T valueIn) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "ScalarCast takes: float to half or int32_t");
  if constexpr (std::is_same_v<U, half>) {
    static_assert(roundMode == RoundMode::CAST_ODD, "ScalarCast to half takes RoundMode::CAST_ODD");
    const half nearest(valueIn);
    if (float(nearest) == valueIn || valueIn != valueIn) return nearest;
    const auto bits = __builtin_bit_cast(uint16_t, nearest);
    if ((bits & 1u) != 0) return nearest;  // inexact: of the two neighbours the one with an odd last bit
    const bool towards_zero = __builtin_fabsf(float(nearest)) > __builtin_fabsf(valueIn);
    return __builtin_bit_cast(half, static_cast<uint16_t>(towards_zero ? bits - 1 : bits + 1));
  } else {
    static_assert(roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                      roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT,
                  "ScalarCast to int32_t takes CAST_ROUND, CAST_CEIL, CAST_FLOOR, CAST_RINT");
    if (valueIn != valueIn) return 0;
    if (valueIn >= 2147483648.0f) return INT32_MAX;
    if (valueIn < -2147483648.0f) return INT32_MIN;
    int64_t near = static_cast<int64_t>(valueIn);  // towards zero
    const float rest = valueIn - static_cast<float>(near);
    if constexpr (roundMode == RoundMode::CAST_FLOOR) {
      near -= rest < 0;
    } else if constexpr (roundMode == RoundMode::CAST_CEIL) {
      near += rest > 0;
    } else {
      const bool even = (near & 1) == 0 && roundMode == RoundMode::CAST_RINT;  // unchanged if exactly half way
      near += rest > 0.5f || (rest == 0.5f && !even);
      near -= rest < -0.5f || (rest == -0.5f && !even);
    }
    return near > INT32_MAX ? INT32_MAX : static_cast<int32_t>(near);
  }
}

}  // namespace AscendC
