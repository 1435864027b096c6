#pragma once

#include <array>
#include <cstdint>

namespace kg {

// Counter-based random numbers (Philox4x32-10; Salmon et al., "Parallel random numbers: as easy as 1, 2, 3", SC 2011):
// the n-th number of stream (seed, stream) is a pure function, so draws do not depend on order, threads or hosts.
class Philox {
 public:
  Philox(std::uint64_t seed, std::uint64_t stream) : seed_(seed), stream_(stream) {}

  // The four 32-bit numbers of block `index`.
  std::array<std::uint32_t, 4> block(std::uint64_t index) const;

  // For sequential use: the only state is the position.
  std::uint32_t next_u32();
  std::uint64_t next_u64();
  double next_double();                                 // uniform in [0, 1), 53 bits
  std::uint64_t next_below(std::uint64_t bound);        // uniform in [0, bound), without bias; bound > 0
  double next_normal();                                 // Box-Muller; the second number of each pair is dropped
  std::uint64_t position() const { return position_; }  // counted in 32-bit numbers
  void seek(std::uint64_t position);

 private:
  std::uint64_t seed_;
  std::uint64_t stream_;
  std::uint64_t position_ = 0;
  std::array<std::uint32_t, 4> cache_{};
  std::uint64_t cached_block_ = ~0ULL;
};

}  // namespace kg
