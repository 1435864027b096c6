#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>

namespace kg::policy {

// Log-probabilities of chosen tokens without holding all logits (N, V): rows of `hidden` are processed `chunk` at a
// time.
struct TokenLogProbOptions {
  double temperature = 1.0;
  bool entropy = false;    // also the entropy of each row (token_log_prob only)
  std::int64_t chunk = 0;  // rows whose logits (fp32) are held at once; 0: as many as fit into 96 MiB
  // Sets the logits of tokens that cannot be drawn to -infinity: gets those of rows begin, begin + 1, ... (n, V) before
  // the temperature. Without entropy, and in token_log_prob only without gradients.
  std::function<void(const at::Tensor& logits, std::int64_t begin)> narrow = {};
};

struct TokenLogProb {
  at::Tensor log_prob;  // (N) fp32
  at::Tensor entropy;   // (N) fp32, in nats; undefined unless asked for. Not differentiable
};

// hidden (N, C), head (V, C), targets (N) int64 -> log softmax(hidden head^T / temperature)[targets]. Differentiable in
// hidden and head; the backward pass computes the logits again.
TokenLogProb token_log_prob(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                            const TokenLogProbOptions& options = {});

// The same for a loss that is a sum over tokens, each a function of its own log-probability only. `loss_of` gets the
// log-probabilities of rows begin, begin + 1, ... (n, fp32) and returns their share of the loss (a scalar), by
// differentiable operations. Since that determines each token's gradient in the forward pass, the logits are computed
// only once: three products with the head instead of four.
at::Tensor token_loss(const at::Tensor& hidden, const at::Tensor& head, const at::Tensor& targets,
                      const TokenLogProbOptions& options,
                      const std::function<at::Tensor(const at::Tensor& log_prob, std::int64_t begin)>& loss_of);

}  // namespace kg::policy
