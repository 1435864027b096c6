#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::translation {

// A single number applies to all axes.
inline std::int64_t at(const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
  return list.empty() ? otherwise : list[std::min(i, list.size() - 1)];
}

inline std::vector<std::int64_t> last_of(const Shape& shape, std::size_t count) {
  return {shape.end() - static_cast<std::ptrdiff_t>(count), shape.end()};
}

inline std::vector<int> axes_from(std::size_t first, std::size_t count) {
  std::vector<int> axes;
  for (std::size_t i = 0; i < count; ++i) axes.push_back(static_cast<int>(first + i));
  return axes;
}

}  // namespace kg::dataset::translation
