#pragma once

#include <initializer_list>
#include <vector>

namespace kg::testing {

// The parts of a table, one after the other.
template <typename T>
std::vector<T> joined(std::initializer_list<std::vector<T>> parts) {
  std::vector<T> all;
  for (const std::vector<T>& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

}  // namespace kg::testing
