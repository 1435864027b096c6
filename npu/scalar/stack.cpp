#include "npu/scalar/stack.h"

#include <cstring>

namespace kg::npu::scalar {

void Stack::poison(std::uint8_t garbage) {
  constexpr std::size_t kPage = std::size_t{1} << kPageBits;
  for (std::size_t page = 0; page < kStackBytes / kPage; ++page)
    if (dirty_[page] != 0) std::memset(bytes_.get() + page * kPage, garbage, kPage);
  dirty_.fill(0);
}

void Stack::mark(std::uint64_t address, std::uint64_t bytes) {
  if (bytes == 0) return;
  const std::uint64_t first = (address - kStackStart) >> kPageBits;
  const std::uint64_t last = (address - kStackStart + bytes - 1) >> kPageBits;
  for (std::uint64_t page = first; page <= last; ++page) dirty_[page] = 1;
}

}  // namespace kg::npu::scalar
