#pragma once

#include <map>
#include <set>
#include <string>

#include "dsl/check.h"
#include "dsl/visible.h"
#include "npu/chip.h"

namespace kg::dsl {

inline constexpr int kMostCores = npu::chip::kVectorCores, kMostGroups = npu::chip::kCubeCores;

// A variable begun with a whole number that later takes a number: the check begins again with it as a number.
struct Widen {
  std::string name;
};

// What is known of the loop with gemm that is checked.
struct CubeLoop {
  struct Product {
    std::size_t depth = 0;  // of its block
    bool summed = false, stored = false;
  };
  bool on = false;                          // there is such a loop
  std::map<std::string, char> roles;        // of its ranges: m, n or k of the product
  std::map<std::string, Product> products;  // by the name of the sums
  std::map<std::string, bool> panels;       // how matrices are kept in L1, once they are used
};

// What checking a program remembers from statement to statement.
struct Checking {
  Checking(Checked& checked, const std::set<std::string>& numbers, const TileSizes& sizes)
      : checked(checked), numbers(numbers), sizes(sizes), seen{.parameters = checked.program.parameters} {}

  Checked& checked;                      // what is made
  const std::set<std::string>& numbers;  // variables that were widened
  const TileSizes& sizes;
  Visible seen;
  std::map<std::string, int> assignments;  // how many the program has, by name
  std::set<std::string> stored;
  std::set<std::string> stored_here, loaded_here;  // scratch tensors, since the last barrier
  CubeLoop cube;
};

// A whole number that keeps its value.
void add_constant(Checking& in, const std::string& name, std::int64_t value);
// Refuses a name that cannot be set; one that is set already.
void require_free(const Checking& in, const std::string& name, int line);
void require_new(const Checking& in, const std::string& name, int line, const std::string& text,
                 const std::string& what);

}  // namespace kg::dsl
