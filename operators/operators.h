#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "operators/golden.h"

namespace kg::operators {

// Values of a tensor seen as rows of its last axis: (product of the other axes, last axis). fp64, row-major.
using Values = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Shape = std::vector<std::int64_t>;

enum class OperatorShape {
  kElementwise,   // inputs are broadcast against each other, as numpy does
  kRowwise,       // along the last axis, the shape stays
  kRowReduce,     // along the last axis, which goes: (..., n) -> (...)
  kRowPart,       // along the last axis, which becomes shorter: windows, slices
  kColumnReduce,  // along the last axis but one, which goes: (..., m, n) -> (..., n)
  kTotal,         // over all elements: one number
  kOther,         // `infer` says
};

// Vector-unit cost for the baseline: simple instructions (128 two-byte or 64 four-byte elements a cycle) and slow ones
// (Exp, Ln, Sqrt, Div: 32 elements a cycle) for each input element, in a straightforward kernel.
struct Cost {
  int simple = 0, slow = 0;
};

enum WordFlag : unsigned {
  kExact = 1,            // adds no rounding error
  kStep = 2,             // jumps: may only see exact values, because a tie decides between far results
  kWhole = 4,            // also for tiles of whole numbers
  kPositive = 8,         // inputs are drawn positive
  kCast = 16,            // decides the type of the output, so it comes last
  kMean = 32,            // divides by the number of what it adds up
  kAccumulates = 64,     // adds up along an axis
  kPositiveState = 128,  // the first input is a history of squares, so it is drawn positive
  kFunction = 256        // the DSL has a function of this name, which stands for `dsl`
};

// How compositions use an operator and write it in the DSL.
struct Word {
  // Expression of $x $y $w (tensors) and $a $b (constants), after statements "$1 = ...", each ended by ';'. For an
  // operator over all elements: the terms of the sum. Empty: the DSL writer has its own way.
  std::string_view dsl = {};
  unsigned flags = 0;
  std::vector<std::vector<double>> attributes = {};  // choices for each constant, exact in half
  std::string_view dsl_whole = {};                   // for tiles of whole numbers, where it differs
};

// One row of the operator table: all that is known of an operator of a task's graph. All arithmetic is fp64.
struct OperatorInfo {
  std::string name;         // "add", "relu", "reduce_sum", ...
  std::string category;     // "arithmetic", "activation", "math", "comparison", "reduction", "normalisation", ...
  int arity = 1;            // number of tensor inputs: x, y, z
  int attribute_count = 0;  // number of scalar constants: a, b
  OperatorShape shape = OperatorShape::kElementwise;
  std::string formula;  // for prompts and documentation: "max(x, 0)"
  Cost cost;
  // The value, from rows. Absent where `compute` takes whole tensors.
  std::function<Values(const std::vector<Values>& inputs, const std::vector<double>& attributes)> evaluate = {};
  std::optional<Word> word = {};  // absent: compositions do not draw it
  // Where `shape` does not say the result's shape. Gives nothing for shapes that do not fit.
  std::function<std::optional<Shape>(const std::vector<Shape>& inputs, const std::vector<double>& attributes)> infer =
      {};
  std::function<std::vector<double>(const std::vector<GoldenTensor>& inputs, const std::vector<double>& attributes)>
      compute = {};
  // For the baseline, where a framework runs several operators in its place: the bytes that each of them moves.
  std::function<std::vector<double>(const std::vector<Shape>& inputs)> eager_bytes = {};
};

// In the order in which compositions draw them.
const std::vector<OperatorInfo>& operator_table();
// Operators made of many, with shapes of their own: those of manifold-constrained hyper-connections.
const std::vector<OperatorInfo>& hyper_connection_operators();
// Of either table; throws Error with the nearest known name.
const OperatorInfo& operator_info(const std::string& name);
// Null for an unknown name.
const OperatorInfo* find_operator(const std::string& name);

}  // namespace kg::operators
