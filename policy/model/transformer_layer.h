#pragma once

#include <ATen/core/Tensor.h>

#include <functional>
#include <initializer_list>
#include <vector>

#include "policy/model/layers.h"
#include "policy/model/model_config.h"

// Shapes in comments, here and in the rest of policy/model:
//   T  tokens of a packed batch             T' tokens of one segment
//   C  width of the model                   F  width of the feed-forward network
//   H  heads of queries                     K  heads of keys and values; H is a multiple of K
//   D  elements of a head                   R  rank of a low-rank adapter
//   E  experts                              U  experts that a token goes through
//   V  tokens of the vocabulary             N  rows whose tokens are chosen; n of them in one chunk
// Gradients are named d and the name of their variable, and have its shape.
namespace kg::policy {

// y = x W^T + b + scale (x A^T) B^T, the last term only with a low-rank adapter (policy/lora.h).
struct Projection {
  at::Tensor weight;    // (out, in)
  at::Tensor bias;      // (out) or undefined
  at::Tensor down, up;  // A (R, in), B (out, R) or undefined
  double scale = 0;

  at::Tensor operator()(const at::Tensor& x) const;  // (T, in) -> (T, out)
};

// Projections of one input that may be computed as one product: all plain, on an NVIDIA card.
struct Joined {
  at::Tensor
      weight;  // (sum of outs, in): theirs one below the other, once for all where nothing is trained; else undefined

  static bool possible(const at::Tensor& x, std::initializer_list<const Projection*> projections);
  at::Tensor operator()(const at::Tensor& x, std::initializer_list<const Projection*> projections) const;
};

struct FeedForward {
  Projection gate, up, down;  // C -> F, C -> F, F -> C
  Joined gate_and_up;

  at::Tensor operator()(const at::Tensor& x) const;  // (T, C) -> (T, C)
};

// Attention of layer `layer`: query (T, H, D), key, value (T, K, D), rotated -> (T, H, D).
using Attend =
    std::function<at::Tensor(std::int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v)>;

// Shared by all layers of one pass over a row.
struct RowContext {
  const ModelConfig& config;
  Rotation rotation;
  Attend attend;
};

// One layer: attention and feed-forward network, each added to its input.
struct TransformerLayer {
  std::int64_t index = 0;
  at::Tensor attention_norm, ffn_norm;   // (C)
  at::Tensor query_norm, key_norm;       // (D), undefined unless config.has_qk_norm()
  Projection query, key, value, output;  // C -> H D, C -> K D, C -> K D, H D -> C
  Joined query_key_value;
  at::Tensor router;                 // (E, C), undefined unless config.has_experts()
  std::vector<FeedForward> experts;  // one, or config.experts

  at::Tensor operator()(const at::Tensor& x, const RowContext& row) const;  // (T, C) -> (T, C)
  std::vector<at::Tensor> tensors() const;                                  // all that are defined

 private:
  at::Tensor attention(const at::Tensor& normed, const RowContext& row) const;    // (T, C) -> (T, C)
  at::Tensor mixture(const at::Tensor& normed, const ModelConfig& config) const;  // (T, C) -> (T, C)
};

}  // namespace kg::policy
