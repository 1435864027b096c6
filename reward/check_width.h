#pragma once

#include <google/protobuf/repeated_ptr_field.h>

#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "reward/benchmark_case.h"

namespace kg::reward {

// A benchmark's bounds are the same for outputs of any size: where all of them are smaller, zeros pass. So a guess is
// made first: is there a constant, an affine function of one input, or a copy that passes in every run of a case,
// though fp64 says that the operator is no such function? Then the tensor is judged strictly: by what rounding costs,
// and in proportion to its own numbers.
enum class JudgedBy {
  kChecker,  // the benchmark's
  kScale,    // strictly
  kNothing,  // a guess passes strictly as well: these inputs do not tell what the operator is
};

// One run of a case: what went in, and what has to come out.
struct CheckedRun {
  const google::protobuf::RepeatedPtrField<proto::Tensor>& inputs;
  const BenchmarkCase& expected;
};

// For each checked tensor.
std::vector<JudgedBy> judged_by(const proto::Check& check, const std::vector<CheckedRun>& runs);

// Is checked tensor `index` right when judged strictly? A thousandth of the elements may be out of tolerance.
bool passes_by_scale(const BenchmarkCase& expected, std::size_t index, const proto::Tensor& found);

// What rounding cost the reference in the task's own type, as far as the type's tolerance does not hold it: an element
// may be off by a few times as much. Sums that cancel out are where this matters.
double noise_floor(const proto::Tensor& reference, const operators::GoldenTensor& wanted);
// Complex numbers as pairs, which is how their fp64 values are held.
proto::Tensor real_pairs(proto::Tensor tensor);

// The largest error of an element that the checker lets pass; 0 for integers. (Of the rule `ratio`, which lets a share
// of the elements be anything, that of the others.)
double published_tolerance(const proto::Check& check, proto::DType dtype, double wanted);

}  // namespace kg::reward
