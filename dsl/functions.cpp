#include "dsl/functions.h"

#include <algorithm>

#include "base/nearest_name.h"
#include "operators/operators.h"

namespace kg::dsl {
namespace {

using Kind = Function::Kind;

// A function with the value of operator `op`, and its number of arguments.
Function of(const char* name, Kind kind, const char* op) {
  const operators::OperatorInfo& info = operators::operator_info(op);
  return {.name = name, .kind = kind, .arguments = info.arity + info.attribute_count, .op = &info};
}
Function of(const char* name, Kind kind) { return of(name, kind, name); }
Function elementwise(const char* name, const char* calls, const char* op) {
  Function made = of(name, Kind::kElementwise, op);
  made.calls = calls;
  return made;
}
Function elementwise(const char* name, const char* calls) { return elementwise(name, calls, name); }
Function own(const char* name, Kind kind, int arguments) {
  return {.name = name, .kind = kind, .arguments = arguments};
}

// The functions that the language has instructions or statements for.
std::vector<Function> built_in() {
  return {
      elementwise("exp", "Exp(x)"),
      elementwise("log", "Ln(x)", "ln"),
      elementwise("ln", "Ln(x)"),
      elementwise("sqrt", "Sqrt(x)"),
      // The chip's own Reciprocal and Rsqrt are coarse: a division is exact to the last place.
      elementwise("rsqrt", "Div(1, Sqrt(x))"),
      elementwise("reciprocal", "Div(1, x)"),
      elementwise("abs", "Abs(x)"),
      elementwise("relu", "Relu(x)"),
      elementwise("sigmoid", "Div(1, Adds(Exp(Muls(x, -1)), 1))"),
      elementwise("tanh", "Adds(Div(-2, Adds(Exp(Muls(x, 2)), 1)), 1)"),
      elementwise("silu", "Div(x, Adds(Exp(Muls(x, -1)), 1))"),
      // x / (1 + exp(-2u)), u = sqrt(2 / pi) (x + 0.044715 x^3)
      elementwise("gelu", "Div(x, Adds(Exp(Muls(Add(Muls(Mul(Mul(x, x), x), 0.044715f), x), -1.5957691f)), 1))"),
      elementwise("softplus", "Add(Maxs(x, 0), Ln(Adds(Exp(Muls(Abs(x), -1)), 1)))"),
      elementwise("erf", "Erf(x, scratch)"),
      elementwise("sin", "Sin(x, scratch)"),
      elementwise("cos", "Cos(x, scratch)"),
      elementwise("floor", "Floor(x, scratch)"),
      elementwise("ceil", "Ceil(x, scratch)"),
      elementwise("round", "Round(x, scratch)"),
      elementwise("trunc", "Trunc(x, scratch)"),
      elementwise("square", "Mul(x, x)"),
      own("bfloat16", Kind::kElementwise, 1),
      elementwise("leaky_relu", "LeakyRelu(x, a)"),
      elementwise("clamp", "Mins(Maxs(x, a), b)"),
      of("max", Kind::kReduce, "reduce_max"),
      of("max", Kind::kPair),
      of("min", Kind::kReduce, "reduce_min"),
      of("min", Kind::kPair),
      of("sum", Kind::kReduce, "reduce_sum"),
      of("mean", Kind::kReduce, "reduce_mean"),
      own("all_sum", Kind::kAllCores, 1),
      own("all_max", Kind::kAllCores, 1),
      own("all_min", Kind::kAllCores, 1),
      of("cumsum", Kind::kScan),
      of("cumprod", Kind::kScan),
      of("flip", Kind::kScan),
      own("float", Kind::kCast, 1),
      own("half", Kind::kCast, 1),
      own("int32", Kind::kCast, 1),
      own("int16", Kind::kCast, 1),
      own("int", Kind::kCast, 1),
      own("where", Kind::kOther, 3),
      own("gather", Kind::kOther, 2),
      own("arange", Kind::kOther, 1),
      own("zeros", Kind::kOther, 1),
      own("full", Kind::kOther, 2),
      own("len", Kind::kOther, 1),
      own("start", Kind::kOther, 1),
      own("size", Kind::kOther, 1),
  };
}

}  // namespace

const std::vector<Function>& functions() {
  static const std::vector<Function> all = [] {
    std::vector<Function> table = built_in();
    for (const operators::OperatorInfo& info : operators::operator_table()) {
      if (!info.word || (info.word->flags & operators::kFunction) == 0) continue;
      Function made = of(info.name.c_str(), Kind::kElementwise);
      made.expression = info.word->dsl;
      std::erase(made.expression, '$');
      table.push_back(std::move(made));
    }
    return table;
  }();
  return all;
}

const Function* find_function(const std::string& name, std::size_t arguments) {
  for (const Function& function : functions())
    if (name == function.name && arguments == static_cast<std::size_t>(function.arguments)) return &function;
  return nullptr;
}

std::string unknown_function(const std::string& name, std::size_t arguments) {
  std::vector<std::string> known;
  std::string counts;
  for (const Function& function : functions()) {
    if (name == function.name) counts += (counts.empty() ? "" : " or ") + std::to_string(function.arguments);
    known.push_back(function.name);
  }
  if (!counts.empty()) return name + " takes " + counts + " arguments, not " + std::to_string(arguments);
  const std::string near = nearest_name(name, known);
  return "there is no function " + name + (near.empty() ? "" : "; did you mean " + near + "?");
}

}  // namespace kg::dsl
