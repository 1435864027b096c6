#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "policy/decode_kernels.h"
#include "policy/model_config.h"

namespace kg::policy {

// Keys and values of all sequences in blocks of kKvBlock tokens, drawn from one pool. A block holds all layers of its
// tokens and is counted: completions of one prompt share its blocks and copy only the last one, when they first write
// to it.
class KvCache {
 public:
  // Room for `bytes` (at least one block); the system gives the pages when they are first touched.
  KvCache(const ModelConfig& config, std::size_t bytes);

  int blocks() const { return static_cast<int>(uses_.size()); }
  int free_blocks() const { return static_cast<int>(free_.size()); }
  static int blocks_for(std::int64_t tokens) { return static_cast<int>((tokens + kKvBlock - 1) / kKvBlock); }
  static std::size_t block_bytes(const ModelConfig& config);

  int take();  // KG_CHECKs that one is free: the engine reserves before it starts a sequence
  void share(int block) { ++uses_[block]; }
  void give_back(int block);
  bool shared(int block) const { return uses_[block] > 1; }
  void copy(int from, int to);

  // Of block 0; block b lies b * block_stride() further.
  float* keys(std::int64_t layer, std::int64_t kv_head) {
    return pool_.get() + (layer * kv_heads_ + kv_head) * 2 * plane_;
  }
  float* values(std::int64_t layer, std::int64_t kv_head) { return keys(layer, kv_head) + plane_; }
  std::int64_t block_stride() const { return block_floats_; }

 private:
  std::int64_t kv_heads_, plane_, block_floats_;
  std::unique_ptr<float[], void (*)(float*)> pool_;
  std::vector<int> uses_;
  std::vector<int> free_;  // a stack: blocks in use stay few and warm
};

// The blocks of one sequence. Gives them back when it goes.
class KvSequence {
 public:
  explicit KvSequence(KvCache& cache) : cache_(&cache) {}
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&& other) noexcept;
  ~KvSequence();

  KvSequence fork() const;
  // Room for `tokens` more, in blocks that belong to this sequence alone.
  void extend(int tokens);
  int length() const { return length_; }
  const std::vector<std::int32_t>& blocks() const { return blocks_; }

 private:
  KvCache* cache_;
  std::vector<std::int32_t> blocks_;
  int length_ = 0;
};

}  // namespace kg::policy
