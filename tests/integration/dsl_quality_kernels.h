#pragma once

#include <string>
#include <vector>

namespace kg::dsl::testing {

// The same task by hand in Ascend C and as a program: what a careful engineer writes against what the compiler makes.
struct QualityPair {
  std::string name;
  std::string program;
  std::string kernel;
  int inputs = 1;
  bool rows = false;     // 384 rows of 4096, else 6 291 456 elements
  bool reduces = false;  // one number a row
};

std::vector<QualityPair> quality_pairs();

}  // namespace kg::dsl::testing
