#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "policy/generation/generation_backend.h"
#include "policy/model/model.h"

namespace kg::policy {

// Weights on a device, in the computing type.
struct TensorWeights : GenerationWeights {
  Transformer model;

  explicit TensorWeights(Transformer transformer) : model(std::move(transformer)) {}
  static std::shared_ptr<const TensorWeights> place(const ModelConfig& config, const std::vector<NamedTensor>& weights,
                                                    const std::string& device, const std::string& dtype);
};

// Keys and values on a device: (layers, slots, kv heads, head size) each, slot = block * kKvBlock + place in it. Memory
// is allocated when the first weights determine the type.
class TensorKvCache : public KvBlocks {
 public:
  TensorKvCache(const ModelConfig& config, std::size_t bytes);

  void place(const at::TensorOptions& options);  // once; later calls do nothing
  void copy(int from, int to) override;
  at::Tensor keys(std::int64_t layer) const { return keys_.select(0, layer); }
  at::Tensor values(std::int64_t layer) const { return values_.select(0, layer); }

 private:
  std::vector<std::int64_t> shape_;
  at::Tensor keys_, values_;
};

// The forward pass of generation with LibTorch's operations, on any device. Agrees with Transformer up to rounding;
// unlike with the CPU loops, the last bits of a result may depend on the rest of the batch.
class TensorBackend : public GenerationBackend {
 public:
  TensorBackend(const ModelConfig& config, const BackendOptions& options);

  const ModelConfig& config() const override { return config_; }
  DecodeTeam& team() override { return team_; }
  KvBlocks& cache() override { return cache_; }
  const float* forward(const GenerationWeights& weights, const std::vector<DecodeRow>& rows) override;

 private:
  void fetch(const at::Tensor& logits);  // (n, V), to the CPU

  ModelConfig config_;
  DecodeTeam team_;
  TensorKvCache cache_;
  at::Tensor logits_;  // (at least n, V) fp32 on the CPU
};

}  // namespace kg::policy
