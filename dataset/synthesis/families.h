#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace kg::dataset {

// A family: every choice of one operator from each slot, in order, that is well-conditioned; of these at most `limit`,
// chosen by a stable hash of the structure's name. A new family is a row in families.cpp.
struct Family {
  std::string name;
  std::string category;
  std::vector<std::vector<std::string>> slots;
  std::size_t limit;
};

const std::vector<Family>& families();

}  // namespace kg::dataset
