#pragma once

#include <string>
#include <vector>

namespace kg::dsl {

// A function of the language by name. What each computes: docs/dsl.md.
struct Function {
  enum class Kind {
    kElementwise,  // of a tile or a scalar
    kPair,         // max, min of two
    kReduce,       // of one tile to a scalar
    kAllCores,     // of a scalar of every core
    kScan,         // of a tile to a tile, in order
    kCast,
    kOther
  };
  const char* name;
  Kind kind;
  int fewest, most;  // arguments
};

// `arguments` tells max(a) from max(a, b). Null for an unknown name or number of arguments.
const Function* find_function(const std::string& name, std::size_t arguments);
// What is wrong with a call that find_function does not know.
std::string unknown_function(const std::string& name, std::size_t arguments);

}  // namespace kg::dsl
