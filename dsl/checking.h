#pragma once

#include <map>
#include <set>
#include <string>

#include "dsl/check.h"
#include "dsl/visible.h"
#include "npu/chip.h"

namespace kg::dsl {

inline constexpr int kMostCores = npu::chip::kVectorCores, kMostGroups = npu::chip::kCubeCores;

// State of the loop with gemm that is being checked.
struct CubeLoop {
  struct Product {
    std::size_t depth = 0;  // depth of its block
    bool summed = false, stored = false;
  };
  bool on = false;                          // there is such a loop
  std::map<std::string, char> roles;        // roles of its ranges: m, n or k of the product
  std::map<std::string, Product> products;  // by the name of the sums
  std::map<std::string, bool> panels;       // layout of matrices in L1, once they are used
};

// The state of the checker between statements.
struct Checking {
  Checking(Checked& checked, const std::set<std::string>& numbers, const TileSizes& sizes)
      : checked(checked), numbers(numbers), sizes(sizes), seen{.parameters = checked.program.parameters} {}

  Checked& checked;                      // the result
  const std::set<std::string>& numbers;  // variables that start as whole numbers and later get others
  std::set<std::string> more_numbers;    // such variables that this check found: it is repeated with them
  const TileSizes& sizes;
  Visible seen;
  std::size_t place = 0;                   // of the statement at the top that is being checked
  std::map<std::string, int> assignments;  // number of assignments in the program, by name
  std::set<std::string> stored;
  std::set<std::string> stored_here, loaded_here;  // scratch tensors, since the last barrier
  CubeLoop cube;
};

// A whole number that never changes its value.
void add_constant(Checking& in, const std::string& name, std::int64_t value);
// Refuses a name that cannot be set, or that is already set.
void require_free(const Checking& in, const std::string& name, int line);
void require_new(const Checking& in, const std::string& name, int line, const std::string& text,
                 const std::string& what);

}  // namespace kg::dsl
