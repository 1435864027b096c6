#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "policy/generation/decode_weights.h"
#include "policy/generation/generation_backend.h"
#include "policy/generation/kv_cache.h"
#include "policy/model/rope.h"

namespace kg::policy {

// The forward pass of generation with our own CPU loops. Agrees with Transformer (policy/model.h) up to rounding.
class DecodeModel {
 public:
  // Throws Error for a shape that the loops do not support (head_size must be a multiple of 16).
  DecodeModel(const ModelConfig& config, int threads);

  const ModelConfig& config() const { return config_; }
  DecodeTeam& team() { return team_; }
  // Logits (number of rows that want them, V), in the order of the rows; valid until the next call.
  const float* forward(const DecodeWeights& weights, KvCache& cache, const std::vector<DecodeRow>& rows);

 private:
  void extend_angles(int positions);
  void attention(const DecodeWeights::Layer& weights, KvCache& cache, std::int64_t layer,
                 const std::vector<DecodeRow>& rows);
  void plan_attention(const std::vector<DecodeRow>& rows);
  void finish_head(float* head, const std::vector<float>& norm, int position, float scale) const;
  // out (rows, C) = or += network of x (rows, C).
  void feed_forward(const DecodeWeights::FeedForward& weights, const float* x, int rows, float* out, bool accumulate);
  void mixture(const DecodeWeights::Layer& weights, int rows);
  void for_rows(int rows, const std::function<void(int row)>& body);

  // Rows order_[begin, begin + count) attend together; their first `shared` blocks are the same.
  struct RowRun {
    int begin = 0, count = 0, shared = 0;
  };

  ModelConfig config_;
  Rope rope_;
  DecodeTeam team_;
  int angles_ = 0;                                               // number of positions in the next two
  std::vector<float> cosine_, sine_;                             // (angles_, head_size / 2)
  std::vector<float> x_, normed_, qkv_, mixed_, gate_up_, ffn_;  // (rows, ...)
  std::vector<float> likes_, gathered_, expert_out_;             // for a mixture of experts
  std::vector<float> logits_;
  std::vector<int> order_;
  std::vector<RowRun> runs_;
  std::vector<std::vector<float>> scores_;  // scratch, one for each thread
};

}  // namespace kg::policy
