#pragma once

#include <cstdint>

#include "operators/golden.h"
#include "proto/sandbox.pb.h"

namespace kg::reward {

struct Comparison {
  bool equal = false;
  std::uint64_t failing = 0;  // elements out of tolerance
  std::uint64_t count = 0;
  double max_abs_error = 0;  // over finite pairs; NaN if a non-finite value did not match
  std::int64_t first_failing = -1;
  double first_found = 0, first_wanted = 0;
};

// The error that an element may have, from what its type can hold: of float 2^-14 of the number, which a computation in
// half exceeds eightfold and one in float never comes near; of half the larger of 1e-3 and two units in the last place;
// of bfloat16 two units. `absolute_bound` takes its place where it is larger: the noise floor of the task. 0 for
// integers.
double element_tolerance(proto::DType dtype, double wanted, double absolute_bound);

// An element passes if its error is at most its tolerance; non-finite values must match (a golden value beyond the
// type's range wants infinity). Integers must be equal. Every element counts (design page, "Reward").
Comparison compare(const proto::Tensor& found, const operators::GoldenTensor& wanted, double absolute_bound);

}  // namespace kg::reward
