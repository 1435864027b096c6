#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace kg::npu {

// half <-> float over arrays, rounding to nearest even; NaN payloads are kept and made quiet.
void widen_half(const std::uint16_t* from, float* to, std::size_t n);
void narrow_half(const float* from, std::uint16_t* to, std::size_t n);
// double -> float with inexact results rounded to odd: a later rounding to half is then as exact as from the double,
// since float has more than two bits more than half. Without branches, for loops.
inline float float_to_odd(double value) {
  const float nearest = static_cast<float>(value);
  const double back = static_cast<double>(nearest);
  const auto bits = std::bit_cast<std::uint32_t>(nearest);
  const double magnitude = value < 0 ? -value : value, back_magnitude = back < 0 ? -back : back;
  const std::uint32_t step = back_magnitude < magnitude ? 1u : 0xFFFFFFFFu;
  const bool adjust = back_magnitude != magnitude && value == value && (bits & 1u) == 0 &&
                      back_magnitude <= 3.4028234663852886e38 && (step == 1u || back_magnitude > 0);
  return std::bit_cast<float>(adjust ? bits + step : bits);
}
// double -> half in one rounding.
std::uint16_t half_of_double(double value);

}  // namespace kg::npu
