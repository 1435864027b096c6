#include "policy/generation/tensor_decode.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "policy/generation/step_attention.h"
#include "policy/model/device.h"

namespace kg::policy {

std::shared_ptr<const TensorWeights> TensorWeights::place(const ModelConfig& config,
                                                          const std::vector<NamedTensor>& weights,
                                                          const std::string& device, const std::string& dtype) {
  if (dtype != "float32" && dtype != "bfloat16")
    throw Error("weights held as " + dtype + " are for the CPU's generator", "device " + device,
                "float32 or bfloat16 on a device");
  const at::Device where = open_device(device);
  std::vector<NamedTensor> placed = weights;
  for (NamedTensor& weight : placed)
    weight.tensor = weight.tensor.detach().to(where, dtype == "bfloat16" ? at::kBFloat16 : at::kFloat);
  return std::make_shared<const TensorWeights>(Transformer(config, std::move(placed)));
}

TensorKvCache::TensorKvCache(const ModelConfig& config, std::size_t bytes)
    : KvBlocks(std::max<std::size_t>(
          1, bytes / static_cast<std::size_t>(config.layers * config.kv_heads * 2 * config.head_size * kKvBlock * 4))),
      shape_{config.layers, std::int64_t{blocks()} * kKvBlock, config.kv_heads, config.head_size} {}

void TensorKvCache::place(const at::TensorOptions& options) {
  if (keys_.defined()) return;
  keys_ = at::zeros(shape_, options);
  values_ = at::zeros(shape_, options);
}

void TensorKvCache::copy(int from, int to) {
  const auto block = [](const at::Tensor& all, int b) { return all.narrow(1, std::int64_t{b} * kKvBlock, kKvBlock); };
  block(keys_, to).copy_(block(keys_, from));
  block(values_, to).copy_(block(values_, from));
}

TensorBackend::TensorBackend(const ModelConfig& config, const BackendOptions& options)
    : config_(config), team_(options.threads), cache_(config, options.kv_cache_bytes) {
  open_device(options.device);
}

void TensorBackend::fetch(const at::Tensor& logits) {
  if (!logits.is_cuda()) {
    logits_ = logits.to(at::kCPU, at::kFloat).contiguous();
    return;
  }
  // A card writes into pinned memory four times as fast as into any other.
  if (!logits_.defined() || logits_.size(0) < logits.size(0))
    logits_ = at::empty(logits.sizes(), at::TensorOptions().dtype(at::kFloat).pinned_memory(true));
  logits_.narrow(0, 0, logits.size(0)).copy_(logits.to(at::kFloat));
}

const float* TensorBackend::forward(const GenerationWeights& weights, const std::vector<DecodeRow>& rows) {
  const c10::AutoGradMode none(false);
  const auto* placed = dynamic_cast<const TensorWeights*>(&weights);
  KG_CHECK(placed != nullptr);
  const Transformer& model = placed->model;
  cache_.place(model.head_weight().options());
  const at::Device device = model.device();
  std::vector<std::int64_t> ids, positions, slots, wanted;
  for (const DecodeRow& row : rows) {
    KG_CHECK_LT(row.position, row.sequence->length());
    KG_CHECK(row.token >= 0 && row.token < config_.vocabulary);
    if (row.wants_logits) wanted.push_back(static_cast<std::int64_t>(ids.size()));
    ids.push_back(row.token);
    positions.push_back(row.position);
    slots.push_back(std::int64_t{row.sequence->blocks()[static_cast<std::size_t>(row.position / kKvBlock)]} * kKvBlock +
                    row.position % kKvBlock);
  }
  const at::Tensor into = indices(slots, device);
  const StepAttention attention(rows, cache_.keys(0));
  const Attend paged = [&](std::int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    at::Tensor keys = cache_.keys(layer), values = cache_.values(layer);
    keys.index_copy_(0, into, k);
    values.index_copy_(0, into, v);
    return attention(q, keys, values);
  };
  const at::Tensor hidden = model.hidden(indices(ids, device), indices(positions, device), paged);
  if (!wanted.empty()) fetch(at::linear(hidden.index_select(0, indices(wanted, device)), model.head_weight()));
  return logits_.defined() ? logits_.const_data_ptr<float>() : nullptr;
}

}  // namespace kg::policy
