#include "dsl/functions.h"

#include "base/nearest_name.h"

namespace kg::dsl {
namespace {

using Kind = Function::Kind;

constexpr Function kFunctions[] = {
    {"exp", Kind::kElementwise, 1, 1},
    {"log", Kind::kElementwise, 1, 1},
    {"ln", Kind::kElementwise, 1, 1},
    {"sqrt", Kind::kElementwise, 1, 1},
    {"rsqrt", Kind::kElementwise, 1, 1},
    {"reciprocal", Kind::kElementwise, 1, 1},
    {"abs", Kind::kElementwise, 1, 1},
    {"relu", Kind::kElementwise, 1, 1},
    {"sigmoid", Kind::kElementwise, 1, 1},
    {"tanh", Kind::kElementwise, 1, 1},
    {"silu", Kind::kElementwise, 1, 1},
    {"gelu", Kind::kElementwise, 1, 1},
    {"softplus", Kind::kElementwise, 1, 1},
    {"erf", Kind::kElementwise, 1, 1},
    {"sin", Kind::kElementwise, 1, 1},
    {"cos", Kind::kElementwise, 1, 1},
    {"floor", Kind::kElementwise, 1, 1},
    {"ceil", Kind::kElementwise, 1, 1},
    {"round", Kind::kElementwise, 1, 1},
    {"trunc", Kind::kElementwise, 1, 1},
    {"square", Kind::kElementwise, 1, 1},
    {"bfloat16", Kind::kElementwise, 1, 1},
    {"leaky_relu", Kind::kElementwise, 2, 2},
    {"clamp", Kind::kElementwise, 3, 3},
    {"max", Kind::kReduce, 1, 1},
    {"max", Kind::kPair, 2, 2},
    {"min", Kind::kReduce, 1, 1},
    {"min", Kind::kPair, 2, 2},
    {"sum", Kind::kReduce, 1, 1},
    {"mean", Kind::kReduce, 1, 1},
    {"all_sum", Kind::kAllCores, 1, 1},
    {"all_max", Kind::kAllCores, 1, 1},
    {"all_min", Kind::kAllCores, 1, 1},
    {"cumsum", Kind::kScan, 1, 1},
    {"cumprod", Kind::kScan, 1, 1},
    {"flip", Kind::kScan, 1, 1},
    {"float", Kind::kCast, 1, 1},
    {"half", Kind::kCast, 1, 1},
    {"int32", Kind::kCast, 1, 1},
    {"int16", Kind::kCast, 1, 1},
    {"int", Kind::kCast, 1, 1},
    {"where", Kind::kOther, 3, 3},
    {"gather", Kind::kOther, 2, 2},
    {"arange", Kind::kOther, 1, 1},
    {"zeros", Kind::kOther, 1, 1},
    {"full", Kind::kOther, 2, 2},
    {"len", Kind::kOther, 1, 1},
    {"size", Kind::kOther, 1, 1},
};

}  // namespace

const Function* find_function(const std::string& name, std::size_t arguments) {
  const auto count = static_cast<int>(arguments);
  for (const Function& function : kFunctions)
    if (name == function.name && count >= function.fewest && count <= function.most) return &function;
  return nullptr;
}

std::string unknown_function(const std::string& name, std::size_t arguments) {
  std::vector<std::string> known;
  std::string counts;
  for (const Function& function : kFunctions) {
    if (name == function.name) counts += (counts.empty() ? "" : " or ") + std::to_string(function.fewest);
    known.emplace_back(function.name);
  }
  if (!counts.empty()) return name + " takes " + counts + " arguments, not " + std::to_string(arguments);
  const std::string near = nearest_name(name, known);
  return "there is no function " + name + (near.empty() ? "" : "; did you mean " + near + "?");
}

}  // namespace kg::dsl
