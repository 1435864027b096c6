#include "policy/kv_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <utility>

#include "base/check.h"
#include "base/error.h"

namespace kg::policy {

std::size_t KvCache::block_bytes(const ModelConfig& config) {
  return static_cast<std::size_t>(config.layers * config.kv_heads * 2 * config.head_size * kKvBlock) * sizeof(float);
}

KvCache::KvCache(const ModelConfig& config, std::size_t bytes)
    : kv_heads_(config.kv_heads),
      plane_(config.head_size * kKvBlock),
      block_floats_(config.layers * config.kv_heads * 2 * plane_),
      pool_(nullptr, [](float* p) { std::free(p); }) {
  const std::size_t count = std::max<std::size_t>(1, bytes / block_bytes(config));
  const std::size_t size = count * block_bytes(config);
  pool_.reset(static_cast<float*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096)));
  if (pool_ == nullptr)
    throw Error("no memory for a KV cache of " + std::to_string(size >> 20) + " MiB", "generator",
                "give --kv-cache-mib", Error::Kind::kEnvironment);
  uses_.assign(count, 0);
  free_.resize(count);
  for (std::size_t i = 0; i < count; ++i) free_[i] = static_cast<int>(count - 1 - i);
}

int KvCache::take() {
  KG_CHECK(!free_.empty());
  const int block = free_.back();
  free_.pop_back();
  uses_[block] = 1;
  return block;
}

void KvCache::give_back(int block) {
  KG_CHECK_GT(uses_[block], 0);
  if (--uses_[block] == 0) free_.push_back(block);
}

void KvCache::copy(int from, int to) {
  std::memcpy(pool_.get() + to * block_floats_, pool_.get() + from * block_floats_,
              static_cast<std::size_t>(block_floats_) * sizeof(float));
}

KvSequence::KvSequence(KvSequence&& other) noexcept
    : cache_(other.cache_), blocks_(std::exchange(other.blocks_, {})), length_(std::exchange(other.length_, 0)) {}

KvSequence& KvSequence::operator=(KvSequence&& other) noexcept {
  std::swap(cache_, other.cache_);
  std::swap(blocks_, other.blocks_);
  std::swap(length_, other.length_);
  return *this;
}

KvSequence::~KvSequence() {
  for (const std::int32_t block : blocks_) cache_->give_back(block);
}

KvSequence KvSequence::fork() const {
  KvSequence copy(*cache_);
  copy.blocks_ = blocks_;
  copy.length_ = length_;
  for (const std::int32_t block : blocks_) cache_->share(block);
  return copy;
}

void KvSequence::extend(int tokens) {
  if (tokens > 0 && length_ % kKvBlock != 0 && cache_->shared(blocks_.back())) {
    const int own = cache_->take();
    cache_->copy(blocks_.back(), own);
    cache_->give_back(blocks_.back());
    blocks_.back() = own;
  }
  length_ += tokens;
  while (static_cast<int>(blocks_.size()) < KvCache::blocks_for(length_)) blocks_.push_back(cache_->take());
}

}  // namespace kg::policy
