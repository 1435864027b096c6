#pragma once

#include <bit>
#include <cstdint>

namespace kg::policy {

// bf16 conversions for loops that the compiler vectorises.

[[gnu::always_inline]] inline float from_bfloat16_bits(std::uint32_t bits) { return std::bit_cast<float>(bits << 16); }

// x rounded to nearest even. A NaN stays one if its low 16 bits are 0, as in results of arithmetic and bf16.
[[gnu::always_inline]] inline std::uint32_t bfloat16_bits(float x) {
  const std::uint32_t bits = std::bit_cast<std::uint32_t>(x);
  return (bits + 0x7FFFu + (bits >> 16 & 1u)) >> 16;
}

}  // namespace kg::policy
