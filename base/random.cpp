#include "base/random.h"

#include <cmath>
#include <numbers>

#include "base/check.h"

namespace kg {

std::array<std::uint32_t, 4> Philox::block(std::uint64_t index) const {
  std::uint32_t c0 = static_cast<std::uint32_t>(index), c1 = static_cast<std::uint32_t>(index >> 32);
  std::uint32_t c2 = static_cast<std::uint32_t>(stream_), c3 = static_cast<std::uint32_t>(stream_ >> 32);
  std::uint32_t k0 = static_cast<std::uint32_t>(seed_), k1 = static_cast<std::uint32_t>(seed_ >> 32);
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t p0 = std::uint64_t{0xD2511F53} * c0;
    const std::uint64_t p1 = std::uint64_t{0xCD9E8D57} * c2;
    const std::uint32_t n0 = static_cast<std::uint32_t>(p1 >> 32) ^ c1 ^ k0;
    const std::uint32_t n2 = static_cast<std::uint32_t>(p0 >> 32) ^ c3 ^ k1;
    c1 = static_cast<std::uint32_t>(p1);
    c3 = static_cast<std::uint32_t>(p0);
    c0 = n0;
    c2 = n2;
    k0 += 0x9E3779B9;
    k1 += 0xBB67AE85;
  }
  return {c0, c1, c2, c3};
}

std::uint32_t Philox::next_u32() {
  const std::uint64_t wanted = position_ / 4;
  if (wanted != cached_block_) {
    cache_ = block(wanted);
    cached_block_ = wanted;
  }
  return cache_[position_++ % 4];
}

std::uint64_t Philox::next_u64() {
  const std::uint64_t low = next_u32();
  return low | std::uint64_t{next_u32()} << 32;
}

double Philox::next_double() { return static_cast<double>(next_u64() >> 11) * 0x1.0p-53; }

std::uint64_t Philox::next_below(std::uint64_t bound) {
  KG_CHECK_GT(bound, 0u);
  const std::uint64_t reject = (0 - bound) % bound;  // 2^64 mod bound
  for (;;) {
    const std::uint64_t draw = next_u64();
    if (draw >= reject) return draw % bound;
  }
}

double Philox::next_normal() {
  const double u = 1.0 - next_double();
  const double v = next_double();
  return std::sqrt(-2.0 * std::log(u)) * std::cos(2.0 * std::numbers::pi * v);
}

void Philox::seek(std::uint64_t position) { position_ = position; }

}  // namespace kg
