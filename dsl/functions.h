#pragma once

#include <string>
#include <vector>

namespace kg::operators {
struct OperatorInfo;
}

namespace kg::dsl {

// A function of the language. docs/reference/dsl.md says what each computes.
struct Function {
  enum class Kind {
    kElementwise,  // on a tile or a scalar
    kPair,         // max, min of two
    kReduce,       // tile to scalar
    kAllCores,     // scalar on every core
    kScan,         // tile to tile, in order
    kCast,
    kOther
  };
  std::string name;
  Kind kind = Kind::kOther;
  int arguments = 1;
  const operators::OperatorInfo* op = nullptr;  // the operator with the same value, if there is one
  // kElementwise: the Ascend C calls for a tile x and numbers a and b. Operands of a call are computed from last
  // to first. Empty: bfloat16, which is two conversions.
  std::string calls = {};
  // For an operator composed of other functions: the expression of x, y, w (tensors) and a, b (constants) that a call
  // stands for.
  std::string expression = {};
};

const std::vector<Function>& functions();
// `arguments` distinguishes max(a) from max(a, b). Null for an unknown name or number of arguments.
const Function* find_function(const std::string& name, std::size_t arguments);
// The error for a call that find_function does not know.
std::string unknown_function(const std::string& name, std::size_t arguments);

}  // namespace kg::dsl
