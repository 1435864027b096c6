#pragma once

#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"

namespace kg::reward {

// What a benchmark's own checker says of the outputs of a case, its arithmetic in PyTorch's types included: differences
// are rounded to the type that the two tensors promote to, 8-bit integers wrap, bounds are rounded to the type they are
// compared in.
//
// The rules (Check.name), for expected a and found b, element by element:
//   both                fails where |a-b| > absolute and |a-b| / (|a|+1e-7) > relative; any value that is not finite
//   fails both_or_not_finite  the same, but what is not finite never fails by itself exact               fails where
//   |a-b| > 0 scaled              fails where |a-b| > relative * max(1, |a|) scaled_float32      the same, both
//   converted to float32 first ratio               fails where more than the share `relative` of elements exceed
//   `relative` in absolute error, and as many
//                       in error relative to the larger of |a| and |b|
//   allclose            torch.allclose: fails where |a-b| > absolute + relative * |b|, or type or shape differ
struct PublishedResult {
  bool pass = true;
  std::string why;  // of the first tensor that fails
};
PublishedResult check_as_published(const proto::Check& check, const std::vector<proto::Tensor>& expected,
                                   const std::vector<proto::Tensor>& found);

}  // namespace kg::reward
