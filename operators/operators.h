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

// A tensor's values as rows along its last axis: (product of the other axes, last axis). fp64, row-major.
using Values = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Shape = std::vector<std::int64_t>;

enum class OperatorShape {
  kElementwise,   // inputs are broadcast against each other, as in numpy
  kRowwise,       // along the last axis; the shape stays
  kRowReduce,     // along the last axis, which disappears: (..., n) -> (...)
  kRowPart,       // along the last axis, which gets shorter: windows, slices
  kColumnReduce,  // along the last axis but one, which disappears: (..., m, n) -> (..., n)
  kTotal,         // over all elements, to one number
  kOther,         // `infer` gives the shape
};

// Vector-unit cost for the baseline: simple instructions (128 two-byte or 64 four-byte elements a cycle) and slow ones
// (Exp, Ln, Sqrt, Div: 32 elements a cycle) for each input element, in a straightforward kernel.
struct Cost {
  int simple = 0, slow = 0;
};

enum WordFlag : unsigned {
  kExact = 1,            // adds no rounding error
  kStep = 2,             // discontinuous: may only see exact values, because a tie decides between distant results
  kWhole = 4,            // also applies to tiles of whole numbers
  kPositive = 8,         // its inputs are drawn positive
  kCast = 16,            // sets the output's type, so it comes last
  kMean = 32,            // divides by the number of summed elements
  kAccumulates = 64,     // adds up along an axis
  kPositiveState = 128,  // its first input is a history of squares, so it is drawn positive
  kFunction = 256        // the DSL has a function of this name, used instead of `dsl`
};

// How compositions use an operator and write it in the DSL.
struct Word {
  // Expression of $x $y $w (tensors) and $a $b (constants), after statements "$1 = ...", each ended by ';'. For an
  // operator over all elements: the terms of the sum. Empty: the DSL writer has its own way.
  std::string_view dsl = {};
  unsigned flags = 0;
  std::vector<std::vector<double>> attributes = {};  // choices for each constant, exact in half
  std::string_view dsl_whole = {};                   // for tiles of whole numbers, if different
};

// One row of the operator table: everything known about an operator of a task's graph. All arithmetic is fp64.
struct OperatorInfo {
  std::string name;         // "add", "relu", "reduce_sum", ...
  std::string category;     // "arithmetic", "activation", "math", "comparison", "reduction", "normalisation", ...
  int arity = 1;            // number of tensor inputs: x, y, z
  int attribute_count = 0;  // number of scalar constants: a, b
  OperatorShape shape = OperatorShape::kElementwise;
  std::string formula;  // for prompts and documentation: "max(x, 0)"
  Cost cost;
  // The value, computed from rows. Absent if `compute` takes whole tensors.
  std::function<Values(const std::vector<Values>& inputs, const std::vector<double>& attributes)> evaluate = {};
  std::optional<Word> word = {};  // absent: compositions do not draw this operator
  // For result shapes that `shape` cannot describe. Returns nothing for shapes that do not fit.
  std::function<std::optional<Shape>(const std::vector<Shape>& inputs, const std::vector<double>& attributes)> infer =
      {};
  std::function<std::vector<double>(const std::vector<GoldenTensor>& inputs, const std::vector<double>& attributes)>
      compute = {};
  // For the baseline, if a framework runs several operators instead: the bytes each of them moves.
  std::function<std::vector<double>(const std::vector<Shape>& inputs)> eager_bytes = {};
};

// In the order in which compositions draw them.
const std::vector<OperatorInfo>& operator_table();
// Compound operators with shapes of their own: those of manifold-constrained hyper-connections.
const std::vector<OperatorInfo>& hyper_connection_operators();
// Looks in both tables; throws Error with the nearest known name.
const OperatorInfo& operator_info(const std::string& name);
// Null for an unknown name.
const OperatorInfo* find_operator(const std::string& name);

}  // namespace kg::operators
