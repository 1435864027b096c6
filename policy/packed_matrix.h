#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/decode_team.h"

namespace kg::policy {

// A weight (columns, k) of a linear layer, laid out in panels (k, kernels.panel) one after the other: each panel
// streams through the cache once for all rows of a step. In fp32, or in bfloat16, which halves what a step of few rows
// waits for: memory.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Weights (n_i, k), fp32, stacked: one product instead of several. Rounded to bfloat16 if wanted.
  PackedMatrix(const std::vector<at::Tensor>& parts, bool bfloat16);

  std::int64_t columns() const { return columns_; }
  std::int64_t k() const { return k_; }
  // y (rows, columns) = or += x (rows, k) W^T.
  void apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate = false) const;
  void copy_row(std::int64_t column, float* out) const;  // of W: an embedding

 private:
  std::int64_t columns_ = 0, k_ = 0;
  bool bfloat16_ = false;
  std::shared_ptr<char[]> panels_;
};

}  // namespace kg::policy
