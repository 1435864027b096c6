#include "policy/decode_model.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "base/check.h"
#include "base/error.h"

namespace kg::policy {
namespace {

// Halves of a head are rotated against each other, as Hugging Face lays Llama weights out.
void rotate(const float* x, const float* cosine, const float* sine, std::int64_t half, float scale, float* out) {
  for (std::int64_t i = 0; i < half; ++i) {
    const float a = x[i], b = x[i + half];
    out[i] = (a * cosine[i] - b * sine[i]) * scale;
    out[i + half] = (b * cosine[i] + a * sine[i]) * scale;
  }
}

}  // namespace

DecodeModel::DecodeModel(const ModelConfig& config, int threads) : config_(config), team_(threads) {
  if (config.head_size % 16 != 0)
    throw Error("head size " + std::to_string(config.head_size) + " is not a multiple of 16", "generator",
                "this model cannot be sampled from yet");
  KG_CHECK_EQ(config.heads % config.kv_heads, 0);
  const std::int64_t half = config.head_size / 2;
  cosine_.resize(static_cast<std::size_t>(config.context * half));
  sine_.resize(cosine_.size());
  for (std::int64_t i = 0; i < half; ++i) {
    const float frequency = static_cast<float>(
        1.0 / std::pow(config.rope_base, static_cast<double>(2 * i) / static_cast<double>(config.head_size)));
    for (std::int64_t position = 0; position < config.context; ++position) {
      const float angle = static_cast<float>(position) * frequency;  // single precision, as models were trained
      cosine_[position * half + i] = std::cos(angle);
      sine_[position * half + i] = std::sin(angle);
    }
  }
  scores_.resize(static_cast<std::size_t>(threads));
}

void DecodeModel::for_rows(int rows, const std::function<void(int)>& body) {
  constexpr int kInChunk = 8;
  team_.run((rows + kInChunk - 1) / kInChunk, [&](int chunk, int) {
    for (int row = chunk * kInChunk; row < std::min(rows, (chunk + 1) * kInChunk); ++row) body(row);
  });
}

void DecodeModel::attention(const DecodeWeights::Layer& weights, KvCache& cache, std::int64_t layer,
                            const std::vector<DecodeRow>& rows) {
  const int count = static_cast<int>(rows.size());
  const std::int64_t d = config_.head_size, half = d / 2, heads = config_.heads, kv_heads = config_.kv_heads;
  const std::int64_t group = heads / kv_heads, qkv_width = (heads + 2 * kv_heads) * d;
  weights.qkv.apply(team_, normed_.data(), count, qkv_.data());
  for_rows(count, [&](int r) {
    const DecodeRow& row = rows[r];
    const float* cosine = cosine_.data() + row.position * half;
    const float* sine = sine_.data() + row.position * half;
    float* qkv = qkv_.data() + r * qkv_width;
    const float scale = 1.0f / std::sqrt(static_cast<float>(d));
    for (std::int64_t h = 0; h < heads; ++h) rotate(qkv + h * d, cosine, sine, half, scale, qkv + h * d);
    const std::int64_t block = row.sequence->blocks()[row.position / kKvBlock] * cache.block_stride();
    const int slot = row.position % kKvBlock;
    for (std::int64_t h = 0; h < kv_heads; ++h) {
      float* key = qkv + (heads + h) * d;
      rotate(key, cosine, sine, half, /*scale=*/1.0f, key);
      float* keys = cache.keys(layer, h) + block + slot;
      for (std::int64_t i = 0; i < d; ++i) keys[i * kKvBlock] = key[i];
      std::memcpy(cache.values(layer, h) + block + slot * d, qkv + (heads + kv_heads + h) * d, d * sizeof(float));
    }
  });
  // Rows of one KV head after the other: those that share a prompt find its blocks in the cache.
  constexpr int kInChunk = 4;
  const int tasks = count * static_cast<int>(kv_heads);
  team_.run((tasks + kInChunk - 1) / kInChunk, [&](int chunk, int thread) {
    for (int t = chunk * kInChunk; t < std::min(tasks, (chunk + 1) * kInChunk); ++t) {
      const int r = t % count;
      const std::int64_t h = t / count;
      std::vector<float>& scores = scores_[thread];
      const std::size_t needed = std::min<std::size_t>(group, 4) * (rows[r].position / kKvBlock + 1) * kKvBlock;
      if (scores.size() < needed) scores.resize(2 * needed);
      decode_kernels().attend({.query = qkv_.data() + r * qkv_width + h * group * d,
                               .out = mixed_.data() + (r * heads + h * group) * d,
                               .keys = cache.keys(layer, h),
                               .values = cache.values(layer, h),
                               .blocks = rows[r].sequence->blocks().data(),
                               .block_stride = cache.block_stride(),
                               .group = static_cast<int>(group),
                               .head_size = static_cast<int>(d),
                               .length = rows[r].position + 1,
                               .scores = scores.data()});
    }
  });
  weights.output.apply(team_, mixed_.data(), count, x_.data(), /*accumulate=*/true);
}

const float* DecodeModel::forward(const DecodeWeights& weights, KvCache& cache, const std::vector<DecodeRow>& rows) {
  const DecodeKernels& kernels = decode_kernels();
  const int count = static_cast<int>(rows.size()), width = static_cast<int>(config_.width);
  const int ffn = static_cast<int>(config_.ffn_width);
  const float epsilon = static_cast<float>(config_.norm_epsilon);
  const auto grow = [&](std::vector<float>& buffer, std::int64_t columns) {
    if (buffer.size() < static_cast<std::size_t>(count * columns))
      buffer.resize(static_cast<std::size_t>(count * columns));
  };
  grow(x_, width);
  grow(normed_, width);
  grow(qkv_, (config_.heads + 2 * config_.kv_heads) * config_.head_size);
  grow(mixed_, config_.heads * config_.head_size);
  grow(gate_up_, 2 * ffn);
  grow(ffn_, ffn);

  const PackedMatrix& embedding = weights.embedding.columns() > 0 ? weights.embedding : weights.head;
  for (int r = 0; r < count; ++r) {
    KG_CHECK_LT(rows[r].position, rows[r].sequence->length());
    KG_CHECK(rows[r].token >= 0 && rows[r].token < config_.vocabulary);
    embedding.copy_row(rows[r].token, x_.data() + r * width);
  }
  for (std::int64_t l = 0; l < config_.layers; ++l) {
    const DecodeWeights::Layer& layer = weights.layers[l];
    for_rows(count, [&](int r) {
      kernels.rms_norm(x_.data() + r * width, layer.attention_norm.data(), epsilon, width, normed_.data() + r * width);
    });
    attention(layer, cache, l, rows);
    for_rows(count, [&](int r) {
      kernels.rms_norm(x_.data() + r * width, layer.ffn_norm.data(), epsilon, width, normed_.data() + r * width);
    });
    layer.gate_up.apply(team_, normed_.data(), count, gate_up_.data());
    for_rows(count, [&](int r) { kernels.swiglu(gate_up_.data() + r * 2 * ffn, ffn, ffn_.data() + r * ffn); });
    layer.down.apply(team_, ffn_.data(), count, x_.data(), /*accumulate=*/true);
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
