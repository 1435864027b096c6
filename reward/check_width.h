#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "reward/benchmark_case.h"

namespace kg::reward {

// A benchmark's bounds are the same for outputs of any size: if all outputs are smaller, zeros pass. So we first try
// guesses: is there a constant, an affine function of one input, or a copy that passes in every run of a case,
// although fp64 shows that the operator is no such function? Then the tensor is judged strictly: by the cost of
// rounding, and in proportion to its own numbers.
enum class JudgedBy {
  kChecker,  // by the benchmark's checker
  kScale,    // strictly
  kNothing,  // a guess passes strictly as well: these inputs cannot tell what the operator is
};

// One run of a case: its inputs, and the expected outputs.
struct CheckedRun {
  const google::protobuf::RepeatedPtrField<proto::Tensor>& inputs;
  const BenchmarkCase& expected;
};

// One entry for each checked tensor.
std::vector<JudgedBy> judged_by(const proto::Check& check, const std::vector<CheckedRun>& runs);

// Is checked tensor `index` right when judged strictly? A thousandth of the elements may be out of tolerance.
bool passes_by_scale(const BenchmarkCase& expected, std::size_t index, const proto::Tensor& found);

// The reference's rounding error in the task's own type, as far as the type's tolerance does not cover it: an element
// may be off by a few times as much. Matters for sums that cancel out.
double noise_floor(const proto::Tensor& reference, const operators::GoldenTensor& wanted);
// Complex numbers as pairs, the form of their fp64 values.
proto::Tensor real_pairs(proto::Tensor tensor);

// The largest error of an element that the checker accepts; 0 for integers. (For the rule `ratio`, which ignores a
// share of the elements, the limit for the others.)
double published_tolerance(const proto::Check& check, proto::DType dtype, double wanted);

}  // namespace kg::reward
