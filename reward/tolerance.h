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

// An element passes if its relative error is at most the larger of 1e-3 and two units in the last place of its type, or
// its absolute error is at most `absolute_bound`; non-finite values must match (a golden value beyond the type's range
// wants infinity). Integers must be equal. Every element counts (design page, "Reward").
// `slack` widens the relative bounds.
Comparison compare(const proto::Tensor& found, const operators::GoldenTensor& wanted, double absolute_bound,
                   double slack = 1);

}  // namespace kg::reward
