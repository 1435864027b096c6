#pragma once

#include <cstddef>
#include <cstdint>

namespace kg::sandbox::ascendc {

// half <-> float over arrays, rounding to nearest even; NaN payloads are kept and made quiet.
void widen_half(const std::uint16_t* from, float* to, std::size_t n);
void narrow_half(const float* from, std::uint16_t* to, std::size_t n);
// double -> half in one rounding.
std::uint16_t half_of_double(double value);

}  // namespace kg::sandbox::ascendc
