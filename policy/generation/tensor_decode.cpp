#include "policy/generation/tensor_decode.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/full.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>

#include "base/check.h"
#include "base/error.h"
#include "policy/model/device.h"

namespace kg::policy {
namespace {

at::Tensor indices(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

// Where the tokens [0, length) of a sequence lie, then `padding` times its first token.
void append_slots(const KvSequence& sequence, int length, int padding, std::vector<std::int64_t>& slots) {
  for (int t = 0; t < length; ++t)
    slots.push_back(std::int64_t{sequence.blocks()[static_cast<std::size_t>(t / kKvBlock)]} * kKvBlock + t % kKvBlock);
  slots.insert(slots.end(), static_cast<std::size_t>(padding), std::int64_t{sequence.blocks().front()} * kKvBlock);
}

// Rows that attend in one call: `count` sequences of `queries` rows each (1 where they decode; a part of one prompt
// otherwise), over `length` keys of which `mask` hides some.
struct AttentionBatch {
  at::Tensor rows;   // (count * queries) places among the rows of the step
  at::Tensor slots;  // (count * length)
  at::Tensor mask;   // (count, 1, queries, length) bool: what is seen
  std::int64_t count, queries, length;
};

AttentionBatch make_batch(const std::vector<DecodeRow>& rows, const std::vector<std::int64_t>& members,
                          std::int64_t count, at::Device device) {
  AttentionBatch batch{.count = count, .queries = static_cast<std::int64_t>(members.size()) / count, .length = 0};
  for (const std::int64_t r : members)
    batch.length = std::max<std::int64_t>(batch.length, rows[static_cast<std::size_t>(r)].position + 1);
  std::vector<std::int64_t> slots, reach;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const DecodeRow& row = rows[static_cast<std::size_t>(members[i])];
    reach.push_back(row.position);
    if ((static_cast<std::int64_t>(i) + 1) % batch.queries != 0) continue;  // the last row of a sequence sees most
    const int seen = row.position + 1;
    append_slots(*row.sequence, seen, static_cast<int>(batch.length) - seen, slots);
  }
  batch.rows = indices(members, device);
  batch.slots = indices(slots, device);
  std::vector<std::int64_t> places(static_cast<std::size_t>(batch.length));
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = static_cast<std::int64_t>(i);
  batch.mask = indices(places, device)
                   .view({1, 1, 1, batch.length})
                   .le(indices(reach, device).view({count, 1, batch.queries, 1}));
  return batch;
}

// Rows that decode make one batch; the rows of each prompt make one of their own.
std::vector<AttentionBatch> make_batches(const std::vector<DecodeRow>& rows, at::Device device) {
  std::vector<AttentionBatch> batches;
  std::vector<std::int64_t> decoding;
  for (std::size_t begin = 0, end; begin < rows.size(); begin = end) {
    end = begin + 1;
    while (end < rows.size() && rows[end].sequence == rows[begin].sequence) ++end;
    std::vector<std::int64_t> members;
    for (std::size_t i = begin; i < end; ++i) members.push_back(static_cast<std::int64_t>(i));
    if (members.size() == 1)
      decoding.push_back(members.front());
    else
      batches.push_back(make_batch(rows, members, /*count=*/1, device));
  }
  if (!decoding.empty())
    batches.push_back(make_batch(rows, decoding, static_cast<std::int64_t>(decoding.size()), device));
  return batches;
}

// query (rows of the batch, H, D) against keys and values (slots, K, D): (rows, H, D). The heads that share a KV head
// are further queries of it, so that keys are read once.
at::Tensor attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                  const AttentionBatch& batch) {
  const std::int64_t heads = query.size(1), d = query.size(2), kv_heads = keys.size(1), group = heads / kv_heads;
  const auto gathered = [&](const at::Tensor& from) {
    return from.index_select(0, batch.slots).view({batch.count, batch.length, kv_heads, d}).transpose(1, 2);
  };
  const at::Tensor q = query.view({batch.count, batch.queries, kv_heads, group, d})
                           .permute({0, 2, 3, 1, 4})
                           .reshape({batch.count, kv_heads, group * batch.queries, d});
  const at::Tensor mask = batch.mask.repeat({1, 1, group, 1});
  const at::Tensor mixed = at::scaled_dot_product_attention(q, gathered(keys), gathered(values), mask);
  return mixed.view({batch.count, kv_heads, group, batch.queries, d})
      .permute({0, 3, 1, 2, 4})
      .reshape({batch.count * batch.queries, heads, d});
}

}  // namespace

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
  const std::vector<AttentionBatch> batches = make_batches(rows, device);
  const Attend paged = [&](std::int64_t layer, const at::Tensor& q, const at::Tensor& k, const at::Tensor& v) {
    at::Tensor keys = cache_.keys(layer), values = cache_.values(layer);
    keys.index_copy_(0, into, k);
    values.index_copy_(0, into, v);
    at::Tensor mixed = at::empty_like(q);  // (rows, H, D)
    for (const AttentionBatch& batch : batches)
      mixed.index_copy_(0, batch.rows, attend(q.index_select(0, batch.rows), keys, values, batch));
    return mixed;
  };
  const at::Tensor hidden = model.hidden(indices(ids, device), indices(positions, device), paged);
  if (!wanted.empty())
    logits_ = at::linear(hidden.index_select(0, indices(wanted, device)), model.head_weight())
                  .to(at::kCPU, at::kFloat)
                  .contiguous();
  return logits_.defined() ? logits_.const_data_ptr<float>() : nullptr;
}

}  // namespace kg::policy
