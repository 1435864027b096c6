#pragma once

#include <string>
#include <vector>

namespace kg::operators {
struct OperatorInfo;
}

namespace kg::dsl {

// A function of the language by name. What each computes: docs/reference/dsl.md.
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
  std::string name;
  Kind kind = Kind::kOther;
  int arguments = 1;
  const operators::OperatorInfo* op = nullptr;  // whose value it has, if it is an operator
  // kElementwise: the calls of Ascend C for a tile x and numbers a and b. Operands of a call are computed from the last
  // to the first. Empty: bfloat16, which is two conversions.
  std::string calls = {};
  // Of an operator that other functions make up: the expression of x, y, w (tensors) and a, b (constants) for which a
  // call stands.
  std::string expression = {};
};

const std::vector<Function>& functions();
// `arguments` tells max(a) from max(a, b). Null for an unknown name or number of arguments.
const Function* find_function(const std::string& name, std::size_t arguments);
// What is wrong with a call that find_function does not know.
std::string unknown_function(const std::string& name, std::size_t arguments);

}  // namespace kg::dsl
