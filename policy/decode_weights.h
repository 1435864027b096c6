#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "policy/decode_kernels.h"
#include "policy/decode_team.h"
#include "policy/model.h"

namespace kg::policy {

// A weight (columns, k) of a linear layer, laid out in panels (k, kernels.panel) one after the other: each panel
// streams through the cache once for all rows of a step.
class PackedMatrix {
 public:
  PackedMatrix() = default;
  // Weights (n_i, k) stacked: one product instead of several. Rounded to bfloat16 if wanted.
  PackedMatrix(const std::vector<at::Tensor>& parts, bool bfloat16);

  std::int64_t columns() const { return columns_; }
  std::int64_t k() const { return k_; }
  // y (rows, columns) = or += x (rows, k) W^T.
  void apply(DecodeTeam& team, const float* x, int rows, float* y, bool accumulate = false) const;
  void copy_row(std::int64_t column, float* out) const;  // of W: an embedding

 private:
  std::int64_t columns_ = 0, k_ = 0;
  std::shared_ptr<float[]> panels_;
};

// All weights of one policy version in the layout of generation. Immutable.
struct DecodeWeights {
  struct Layer {
    std::vector<float> attention_norm, ffn_norm;
    PackedMatrix qkv, output, gate_up, down;
  };
  std::vector<Layer> layers;
  std::vector<float> final_norm;
  PackedMatrix head;       // (V, C)
  PackedMatrix embedding;  // empty if tied: rows come from the head

  // `dtype`: "float32" or "bfloat16" (values rounded to it). Throws Error naming a weight that is absent or of another
  // shape.
  static std::shared_ptr<const DecodeWeights> pack(const ModelConfig& config, const std::vector<NamedTensor>& weights,
                                                   const std::string& dtype = "float32");
};

}  // namespace kg::policy
