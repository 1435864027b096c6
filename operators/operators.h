#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "operators/golden.h"

namespace kg::operators {

// Values of a tensor seen as rows of its last axis: (product of the other axes, last axis). fp64, row-major.
using Values = Eigen::Array<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

enum class OperatorShape {
  kElementwise,  // inputs are broadcast against each other, as numpy does
  kRowwise,      // along the last axis, the shape stays
  kRowReduce,    // along the last axis, which goes: (..., n) -> (...)
  kOwn,          // the operator says
  kShaped,       // `infer` and `compute` say: operators/shaped_operators.cpp
};

using Shape = std::vector<std::int64_t>;

// One row of the operator table: what an operator of a task's graph means, without any kernel. All arithmetic is fp64.
struct OperatorInfo {
  std::string name;      // "add", "relu", "reduce_sum", ...
  std::string category;  // "arithmetic", "activation", "math", "comparison", "reduction", "normalisation"
  int arity;             // number of tensor inputs: x, y, z
  int attribute_count;   // number of scalar constants: a, b
  OperatorShape shape;
  std::string formula;  // for prompts and documentation: "max(x, 0)"
  // Vector-unit cost for the baseline: simple instructions (128 two-byte or 64 four-byte elements a cycle) and slow
  // ones (Exp, Ln, Sqrt, Div: 32 elements a cycle) for each input element, in a straightforward kernel.
  int simple_instructions;
  int slow_instructions;
  std::function<Values(const std::vector<Values>& inputs, const std::vector<double>& attributes)> evaluate;
  // kOwn: the shape of the result; and, for the baseline, the bytes that each of the operators moves which a framework
  // runs in its place.
  std::function<std::vector<std::int64_t>(const std::vector<std::vector<std::int64_t>>& inputs)> result_shape = {};
  std::function<std::vector<double>(const std::vector<std::vector<std::int64_t>>& inputs)> eager_bytes = {};
  // Of kShaped in its place. `infer` gives nothing for shapes that do not fit.
  std::function<std::optional<Shape>(const std::vector<Shape>& inputs, const std::vector<double>& attributes)> infer =
      {};
  std::function<std::vector<double>(const std::vector<GoldenTensor>& inputs, const std::vector<double>& attributes)>
      compute = {};
};

const std::vector<OperatorInfo>& operator_table();
// Operators made of many, with shapes of their own: those of manifold-constrained hyper-connections.
const std::vector<OperatorInfo>& hyper_connection_operators();
// Of either table.
// Throws Error with the nearest known name.
const OperatorInfo& operator_info(const std::string& name);

}  // namespace kg::operators
