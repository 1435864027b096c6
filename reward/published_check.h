#pragma once

#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::reward {

// The verdict of a benchmark's own checker on a case's outputs, including its arithmetic in PyTorch's types:
// differences are rounded to the type that the two tensors promote to, 8-bit integers wrap, and bounds are rounded to
// the type they are compared in.
// The rules (Check.name), for expected a and found b, element by element:
//   both                fails if |a-b| > absolute and |a-b| / (|a|+1e-7) > relative; any non-finite value fails
//   both_or_not_finite  the same, but a non-finite value does not fail by itself
//   exact               fails if |a-b| > 0
//   scaled              fails if |a-b| > relative * max(1, |a|)
//   scaled_float32      the same, with both converted to float32 first
//   ratio               fails if more than the share `relative` of elements exceed `relative` in absolute error, and
//                       as many do in error relative to the larger of |a| and |b|
//   allclose            torch.allclose: fails if |a-b| > absolute + relative * |b|, or if type or shape differ
struct PublishedResult {
  bool pass = true;
  std::string why;  // reason for the first tensor that fails
};
PublishedResult check_as_published(const proto::Check& check, const std::vector<proto::Tensor>& expected,
                                   const std::vector<proto::Tensor>& found);

}  // namespace kg::reward
