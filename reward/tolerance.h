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

// The error that an element may have, given its type's precision: for float 2^-14 of the number, which a computation in
// half exceeds eightfold and one in float never reaches; for half the larger of 1e-3 and two units in the last place;
// for bfloat16 two units. `absolute_bound`, the task's noise floor, replaces it if it is larger. 0 for
// integers.
double element_tolerance(proto::DType dtype, double wanted, double absolute_bound);

// An element passes if its error is at most its tolerance; non-finite values must match (a golden value beyond the
// type's range must be infinity). Integers must be equal. Every element counts (design page, "Reward").
Comparison compare(const proto::Tensor& found, const operators::GoldenTensor& wanted, double absolute_bound);

}  // namespace kg::reward
