#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/generation/decode_team.h"

namespace kg::policy {

// Storage types of generation's weights. Arithmetic is fp32, but operands of bfloat16 products are rounded to it
// on CPUs that have such products, as in bfloat16 training. Fewer bytes mean less waiting for memory, which limits a
// step of few rows. 8-bit integers share a scale (the largest magnitude / 127) among kInt8Run of a column; the sampling
// distribution then differs slightly from the policy's, which an update corrects by importance weights.
enum class HeldAs { kFloat32, kBFloat16, kInt8 };
HeldAs held_as(const std::string& dtype);  // "float32", "bfloat16", "int8"

// A weight (columns, k) of a linear layer, stored as consecutive panels (k, kernels.panel): each panel
// streams through the cache once for all rows of a step.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Weights (n_i, k), fp32, stacked: one product instead of several. Rounded to the storage type.
  PackedMatrix(const std::vector<at::Tensor>& parts, HeldAs held);

  std::int64_t columns() const { return columns_; }
  std::int64_t k() const { return k_; }
  // y (rows, columns) = or += x (rows, k) W^T.
  void apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate = false) const;
  void copy_row(std::int64_t column, float* out) const;  // a row of W as stored: an embedding

 private:
  std::int64_t panel_words() const;

  std::int64_t columns_ = 0, k_ = 0;
  HeldAs held_ = HeldAs::kFloat32;
  std::shared_ptr<char[]> panels_;
};

}  // namespace kg::policy
