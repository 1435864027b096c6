#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace kg::npu {

struct Strided {
  std::int64_t count, stride;
};

// Whether pieces of `bytes`, at all sums of a multiple of each stride, surely lie apart: each stride, from the smallest
// on, leads past what the smaller ones reach. That is how copies are usually laid out; false says nothing.
inline bool surely_lie_apart(std::int64_t bytes, std::vector<Strided> steps) {
  std::erase_if(steps, [](const Strided& one) { return one.count <= 1; });
  std::ranges::sort(steps, {}, &Strided::stride);
  std::int64_t reach = bytes;
  for (const auto& [count, stride] : steps) {
    if (stride < reach) return false;
    reach += (count - 1) * stride;
  }
  return true;
}

}  // namespace kg::npu
