#include "policy/generation/decode_model.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "policy/generation/decode_kernels.h"

namespace kg::policy {
namespace {

// Halves of a head are rotated against each other, as Hugging Face lays weights out.
void rotate(float* x, const float* cosine, const float* sine, std::int64_t half, float scale) {
  for (std::int64_t i = 0; i < half; ++i) {
    const float a = x[i], b = x[i + half];
    x[i] = (a * cosine[i] - b * sine[i]) * scale;
    x[i + half] = (b * cosine[i] + a * sine[i]) * scale;
  }
}

void grow(std::vector<float>& buffer, std::int64_t rows, std::int64_t columns) {
  const auto size = static_cast<std::size_t>(rows * columns);
  if (buffer.size() < size) buffer.resize(size);
}

// Floats of scratch for a row's scores (AttentionRow).
std::size_t scores_of(std::int64_t group, int length) {
  return static_cast<std::size_t>(std::min<std::int64_t>(group, 4) * KvBlocks::blocks_for(length) * kKvBlock);
}

}  // namespace

DecodeModel::DecodeModel(const ModelConfig& config, int threads)
    : config_(config), rope_(rope_of(config)), team_(threads) {
  if (config.head_size % 16 != 0)
    throw Error("head size " + std::to_string(config.head_size) + " is not a multiple of 16", "generator",
                "sampling from this model is not supported yet");
  KG_CHECK_EQ(config.heads % config.kv_heads, 0);
  scores_.resize(static_cast<std::size_t>(threads));
}

// The tables grow with the sequences: for a whole context of 128k tokens they would take 64 MiB.
void DecodeModel::extend_angles(int positions) {
  if (positions <= angles_) return;
  const int reach = std::max(positions, std::max(1024, 2 * angles_));
  for (int position = angles_; position < reach; ++position)
    for (const float frequency : rope_.frequencies) {
      const float angle = static_cast<float>(position) * frequency;  // single precision, as models were trained
      cosine_.push_back(std::cos(angle) * rope_.magnitude);
      sine_.push_back(std::sin(angle) * rope_.magnitude);
    }
  angles_ = reach;
}

void DecodeModel::for_rows(int rows, const std::function<void(int)>& body) {
  constexpr int kInChunk = 8;
  team_.run((rows + kInChunk - 1) / kInChunk, [&](int chunk, int) {
    for (int row = chunk * kInChunk; row < std::min(rows, (chunk + 1) * kInChunk); ++row) body(row);
  });
}

// Norm and rotation of one head of a query or key.
void DecodeModel::finish_head(float* head, const std::vector<float>& norm, int position, float scale) const {
  const int d = static_cast<int>(config_.head_size), half = d / 2;
  if (!norm.empty()) decode_kernels().rms_norm(head, norm.data(), static_cast<float>(config_.norm_epsilon), d, head);
  rotate(head, cosine_.data() + std::int64_t{position} * half, sine_.data() + std::int64_t{position} * half, half,
         scale);
}

// Which rows attend together: neighbours in `order_` that begin with the same block, few enough to give all threads
// work.
void DecodeModel::plan_attention(const std::vector<DecodeRow>& rows) {
  const int count = static_cast<int>(rows.size());
  const auto blocks = [&](int i) -> const auto& { return rows[order_[i]].sequence->blocks(); };
  const auto whole_blocks = [&](int i) { return (rows[order_[i]].position + 1) / kKvBlock; };
  order_.resize(rows.size());
  std::iota(order_.begin(), order_.end(), 0);
  std::stable_sort(order_.begin(), order_.end(), [&](int a, int b) {
    return rows[a].sequence->blocks().front() < rows[b].sequence->blocks().front();
  });
  const auto most = std::clamp(count * static_cast<int>(config_.kv_heads) / (4 * team_.threads()), 1, kAttentionRows);
  runs_.clear();
  for (int i = 0; i < count; ++i) {
    if (runs_.empty() || runs_.back().count == most || blocks(runs_.back().begin).front() != blocks(i).front()) {
      runs_.push_back({.begin = i, .count = 1, .shared = whole_blocks(i)});
      continue;
    }
    RowRun& run = runs_.back();
    ++run.count;
    run.shared = std::min(run.shared, whole_blocks(i));
    const auto &first = blocks(run.begin), &own = blocks(i);
    if (&first != &own)
      run.shared =
          static_cast<int>(std::mismatch(first.begin(), first.begin() + run.shared, own.begin()).first - first.begin());
  }
}

void DecodeModel::attention(const DecodeWeights::Layer& weights, KvCache& cache, std::int64_t layer,
                            const std::vector<DecodeRow>& rows) {
  const int count = static_cast<int>(rows.size());
  const std::int64_t d = config_.head_size, heads = config_.heads, kv_heads = config_.kv_heads;
  const std::int64_t group = heads / kv_heads, qkv_width = (heads + 2 * kv_heads) * d;
  weights.qkv.apply(team_, normed_.data(), count, qkv_.data());
  for_rows(count, [&](int r) {
    const DecodeRow& row = rows[r];
    float* qkv = qkv_.data() + r * qkv_width;
    for (std::size_t i = 0; i < weights.qkv_bias.size(); ++i) qkv[i] += weights.qkv_bias[i];
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    for (std::int64_t h = 0; h < heads; ++h) finish_head(qkv + h * d, weights.query_norm, row.position, scale);
    const int block = row.sequence->blocks()[row.position / kKvBlock], slot = row.position % kKvBlock;
    for (std::int64_t h = 0; h < kv_heads; ++h) {
      float* key = qkv + (heads + h) * d;
      finish_head(key, weights.key_norm, row.position, /*scale=*/1.0f);
      cache.store(layer, h, block, slot, key, qkv + (heads + kv_heads + h) * d);
    }
  });
  const int run_count = static_cast<int>(runs_.size());
  team_.run(run_count * static_cast<int>(kv_heads), [&](int task, int thread) {
    const RowRun& run = runs_[task % run_count];
    const std::int64_t h = task / run_count;
    std::array<AttentionRow, kAttentionRows> members;
    std::size_t needed = 0;
    for (int i = 0; i < run.count; ++i) {
      const int r = order_[run.begin + i], length = rows[r].position + 1;
      members[i] = {.query = qkv_.data() + r * qkv_width + h * group * d,
                    .out = mixed_.data() + (r * heads + h * group) * d,
                    .blocks = rows[r].sequence->blocks().data(),
                    .length = length,
                    .scores = nullptr};
      needed += scores_of(group, length);
    }
    std::vector<float>& scores = scores_[thread];
    if (scores.size() < needed) scores.resize(2 * needed);
    float* free = scores.data();
    for (int i = 0; i < run.count; ++i) {
      members[i].scores = free;
      free += scores_of(group, members[i].length);
    }
    decode_kernels().attend({.rows = members.data(),
                             .count = run.count,
                             .shared = run.shared,
                             .element = cache.element(),
                             .keys = cache.keys(layer, h),
                             .values = cache.values(layer, h),
                             .block_stride = cache.block_stride(),
                             .group = static_cast<int>(group),
                             .head_size = static_cast<int>(d)});
  });
  weights.output.apply(team_, mixed_.data(), count, x_.data(), /*accumulate=*/true);
}

void DecodeModel::feed_forward(const DecodeWeights::FeedForward& weights, const float* x, int rows, float* out,
                               bool accumulate) {
  const int ffn = static_cast<int>(config_.ffn_width);
  grow(gate_up_, rows, 2 * ffn);
  grow(ffn_, rows, ffn);
  weights.gate_up.apply(team_, x, rows, gate_up_.data());
  for_rows(rows, [&](int r) {
    decode_kernels().swiglu(gate_up_.data() + std::int64_t{r} * 2 * ffn, ffn, ffn_.data() + std::int64_t{r} * ffn);
  });
  weights.down.apply(team_, ffn_.data(), rows, out, accumulate);
}

// Each row through the experts that its router prefers, in the order of the experts: a row's sum does not depend on
// the other rows.
void DecodeModel::mixture(const DecodeWeights::Layer& weights, int rows) {
  const std::int64_t count = config_.experts, used = config_.experts_used, width = config_.width;
  grow(likes_, rows, count);
  weights.router.apply(team_, normed_.data(), rows, likes_.data());
  std::vector<std::vector<std::pair<int, float>>> chosen(static_cast<std::size_t>(count));  // rows of each expert
  std::vector<std::int64_t> order(static_cast<std::size_t>(count));
  for (int r = 0; r < rows; ++r) {
    float* likes = likes_.data() + r * count;
    const float top = *std::max_element(likes, likes + count);
    float sum = 0;
    for (std::int64_t e = 0; e < count; ++e) sum += likes[e] = std::exp(likes[e] - top);
    std::iota(order.begin(), order.end(), std::int64_t{0});
    std::partial_sort(order.begin(), order.begin() + used, order.end(), [&](std::int64_t a, std::int64_t b) {
      return likes[a] != likes[b] ? likes[a] > likes[b] : a < b;
    });
    float kept = 0;
    for (std::int64_t i = 0; i < used; ++i) kept += likes[order[static_cast<std::size_t>(i)]];
    for (std::int64_t i = 0; i < used; ++i) {
      const std::int64_t e = order[static_cast<std::size_t>(i)];
      chosen[static_cast<std::size_t>(e)].emplace_back(r, likes[e] / (config_.normalised_experts ? kept : sum));
    }
  }
  for (std::size_t e = 0; e < chosen.size(); ++e) {
    const int n = static_cast<int>(chosen[e].size());
    if (n == 0) continue;
    grow(gathered_, n, width);
    grow(expert_out_, n, width);
    for (int i = 0; i < n; ++i)
      std::copy_n(normed_.data() + chosen[e][static_cast<std::size_t>(i)].first * width, width,
                  gathered_.data() + i * width);
    feed_forward(weights.experts[e], gathered_.data(), n, expert_out_.data(), /*accumulate=*/false);
    for_rows(n, [&](int i) {
      const auto [r, share] = chosen[e][static_cast<std::size_t>(i)];
      for (std::int64_t c = 0; c < width; ++c) x_[r * width + c] += share * expert_out_[i * width + c];
    });
  }
}

const float* DecodeModel::forward(const DecodeWeights& weights, KvCache& cache, const std::vector<DecodeRow>& rows) {
  const DecodeKernels& kernels = decode_kernels();
  const int count = static_cast<int>(rows.size()), width = static_cast<int>(config_.width);
  const float epsilon = static_cast<float>(config_.norm_epsilon);
  grow(x_, count, width);
  grow(normed_, count, width);
  grow(qkv_, count, (config_.heads + 2 * config_.kv_heads) * config_.head_size);
  grow(mixed_, count, config_.heads * config_.head_size);

  const PackedMatrix& embedding = weights.embedding.columns() > 0 ? weights.embedding : weights.head;
  int reach = 0;
  for (int r = 0; r < count; ++r) {
    KG_CHECK_LT(rows[r].position, rows[r].sequence->length());
    KG_CHECK(rows[r].token >= 0 && rows[r].token < config_.vocabulary);
    embedding.copy_row(rows[r].token, x_.data() + r * width);
    reach = std::max(reach, rows[r].position + 1);
  }
  extend_angles(reach);
  plan_attention(rows);
  const auto norm_rows = [&](const std::vector<float>& norm) {
    for_rows(count, [&](int r) {
      kernels.rms_norm(x_.data() + r * width, norm.data(), epsilon, width, normed_.data() + r * width);
    });
  };
  for (std::int64_t l = 0; l < config_.layers; ++l) {
    const DecodeWeights::Layer& layer = weights.layers[l];
    norm_rows(layer.attention_norm);
    attention(layer, cache, l, rows);
    norm_rows(layer.ffn_norm);
    if (config_.has_experts())
      mixture(layer, count);
    else
      feed_forward(layer.experts.front(), normed_.data(), count, x_.data(), /*accumulate=*/true);
  }
  int wanted = 0;
  for (int r = 0; r < count; ++r)
    if (rows[r].wants_logits)
      kernels.rms_norm(x_.data() + r * width, weights.final_norm.data(), epsilon, width,
                       normed_.data() + wanted++ * width);
  const std::size_t size = static_cast<std::size_t>(wanted) * static_cast<std::size_t>(config_.vocabulary);
  if (logits_.size() < size) logits_.resize(size);
  if (wanted > 0) weights.head.apply(team_, normed_.data(), wanted, logits_.data());
  return logits_.data();
}

}  // namespace kg::policy
