#pragma once

#include <ATen/core/Tensor.h>

#include <optional>
#include <vector>

#include "policy/generation/generation_backend.h"
#include "policy/model/attention_runs.h"

namespace kg::policy {

// values (n) int64 on the device.
at::Tensor indices(const std::vector<std::int64_t>& values, at::Device device);

// Attention of one step of generation with LibTorch's operations, over keys and values in the slots of a cache.
class StepAttention {
 public:
  // The rows of the step; `keys` (slots, K, D), of any layer, determines device and type.
  StepAttention(const std::vector<DecodeRow>& rows, const at::Tensor& keys);
  // query (rows, H, D); keys, values (slots, K, D), which already include the rows' own -> (rows, H, D).
  at::Tensor operator()(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) const;

 private:
  // Rows that attend in one call: `count` sequences of `queries` rows each (1 when decoding; otherwise a part of one
  // prompt), over `length` keys, some of them hidden by `mask`.
  struct Batch {
    at::Tensor rows;   // (count * queries) places among the rows of the step
    at::Tensor slots;  // (count * length)
    at::Tensor mask;   // (count, 1, queries, length) bool: true = visible
    std::int64_t count, queries, length;
  };
  static Batch make_batch(const std::vector<DecodeRow>& rows, const std::vector<std::int64_t>& members,
                          std::int64_t count, at::Device device);
  static at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                           const Batch& batch);

  std::optional<AttentionRuns> runs_;  // all rows in one call, if the device supports it
  at::Tensor run_slots_;               // (keys of the runs)
  std::vector<Batch> batches_;         // otherwise
};

}  // namespace kg::policy
