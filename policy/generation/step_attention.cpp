#include "policy/generation/step_attention.h"

#include <ATen/ops/empty_like.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <ATen/ops/tensor.h>

#include <algorithm>

namespace kg::policy {
namespace {

// The slots of tokens [0, length) of a sequence, then `padding` times that of its first token.
void append_slots(const KvSequence& sequence, int length, int padding, std::vector<std::int64_t>& slots) {
  for (int t = 0; t < length; ++t)
    slots.push_back(std::int64_t{sequence.blocks()[static_cast<std::size_t>(t / kKvBlock)]} * kKvBlock + t % kKvBlock);
  slots.insert(slots.end(), static_cast<std::size_t>(padding), std::int64_t{sequence.blocks().front()} * kKvBlock);
}

// Rows of one sequence that follow each other: one where it decodes, a part of its prompt otherwise.
struct RowRun {
  std::size_t begin, end;
};

std::vector<RowRun> runs_of(const std::vector<DecodeRow>& rows) {
  std::vector<RowRun> runs;
  for (std::size_t begin = 0, end = 0; begin < rows.size(); begin = end) {
    while (end < rows.size() && rows[end].sequence == rows[begin].sequence) ++end;
    runs.push_back({begin, end});
  }
  return runs;
}

}  // namespace

at::Tensor indices(const std::vector<std::int64_t>& values, at::Device device) {
  return at::tensor(values, at::kLong).to(device);
}

// Decoding rows form one batch; the rows of each prompt form another.
StepAttention::StepAttention(const std::vector<DecodeRow>& rows, const at::Tensor& keys) {
  const std::vector<RowRun> runs = runs_of(rows);
  if (AttentionRuns::takes(keys)) {
    std::vector<AttentionRuns::Run> lengths;
    std::vector<std::int64_t> slots;
    for (const RowRun& run : runs) {
      const int seen = rows[run.end - 1].position + 1;
      append_slots(*rows[run.begin].sequence, seen, /*padding=*/0, slots);
      lengths.push_back({static_cast<std::int64_t>(run.end - run.begin), seen});
    }
    runs_.emplace(lengths, keys.device());
    run_slots_ = indices(slots, keys.device());
    return;
  }
  std::vector<std::int64_t> decoding;
  for (const RowRun& run : runs) {
    std::vector<std::int64_t> members;
    for (std::size_t i = run.begin; i < run.end; ++i) members.push_back(static_cast<std::int64_t>(i));
    if (members.size() == 1)
      decoding.push_back(members.front());
    else
      batches_.push_back(make_batch(rows, members, /*count=*/1, keys.device()));
  }
  if (!decoding.empty())
    batches_.push_back(make_batch(rows, decoding, static_cast<std::int64_t>(decoding.size()), keys.device()));
}

at::Tensor StepAttention::operator()(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values) const {
  if (runs_.has_value())
    return runs_->attend(query, keys.index_select(0, run_slots_), values.index_select(0, run_slots_));
  at::Tensor mixed = at::empty_like(query);  // (rows, H, D)
  for (const Batch& batch : batches_)
    mixed.index_copy_(0, batch.rows, attend(query.index_select(0, batch.rows), keys, values, batch));
  return mixed;
}

StepAttention::Batch StepAttention::make_batch(const std::vector<DecodeRow>& rows,
                                               const std::vector<std::int64_t>& members, std::int64_t count,
                                               at::Device device) {
  Batch batch{.count = count, .queries = static_cast<std::int64_t>(members.size()) / count, .length = 0};
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

// query (rows of the batch, H, D) against keys and values (slots, K, D): (rows, H, D). The heads that share a KV head
// are treated as more queries of it, so that keys are read once.
at::Tensor StepAttention::attend(const at::Tensor& query, const at::Tensor& keys, const at::Tensor& values,
                                 const Batch& batch) {
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

}  // namespace kg::policy
