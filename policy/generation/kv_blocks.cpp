#include "policy/generation/kv_blocks.h"

#include <utility>

#include "base/check.h"

namespace kg::policy {

KvBlocks::KvBlocks(std::size_t count) : uses_(count, 0), free_(count) {
  KG_CHECK_GT(count, 0u);
  for (std::size_t i = 0; i < count; ++i) free_[i] = static_cast<int>(count - 1 - i);
}

int KvBlocks::take() {
  KG_CHECK(!free_.empty());
  const int block = free_.back();
  free_.pop_back();
  uses_[static_cast<std::size_t>(block)] = 1;
  return block;
}

void KvBlocks::give_back(int block) {
  int& uses = uses_[static_cast<std::size_t>(block)];
  KG_CHECK_GT(uses, 0);
  if (--uses == 0) free_.push_back(block);
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
  while (static_cast<int>(blocks_.size()) < KvBlocks::blocks_for(length_)) blocks_.push_back(cache_->take());
}

}  // namespace kg::policy
