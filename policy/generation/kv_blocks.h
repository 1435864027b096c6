#pragma once

#include <cstdint>
#include <vector>

namespace kg::policy {

// Tokens in one block of the KV cache.
inline constexpr int kKvBlock = 16;

// Keys and values of all sequences in blocks of kKvBlock tokens from one pool; this tracks whose each block is. A block
// holds all layers of its tokens and is reference-counted: completions of one prompt share its blocks and copy only the
// last one when they first write to it. The content is kept by the computing class (KvCache, TensorKvCache).
class KvBlocks {
 public:
  explicit KvBlocks(std::size_t count);
  virtual ~KvBlocks() = default;
  KvBlocks(const KvBlocks&) = delete;
  KvBlocks& operator=(const KvBlocks&) = delete;

  int blocks() const { return static_cast<int>(uses_.size()); }
  int free_blocks() const { return static_cast<int>(free_.size()); }
  static int blocks_for(std::int64_t tokens) { return static_cast<int>((tokens + kKvBlock - 1) / kKvBlock); }

  int take();  // KG_CHECKs that one is free: the engine reserves before it starts a sequence
  void share(int block) { ++uses_[static_cast<std::size_t>(block)]; }
  void give_back(int block);
  bool shared(int block) const { return uses_[static_cast<std::size_t>(block)] > 1; }
  virtual void copy(int from, int to) = 0;

 private:
  std::vector<int> uses_;
  std::vector<int> free_;  // a stack: blocks in use stay few and warm
};

// The blocks of one sequence. Returns them when it is destroyed.
class KvSequence {
 public:
  explicit KvSequence(KvBlocks& cache) : cache_(&cache) {}
  KvSequence(KvSequence&& other) noexcept;
  KvSequence& operator=(KvSequence&& other) noexcept;
  ~KvSequence();

  KvSequence fork() const;
  // Makes room for `tokens` more, in blocks that belong only to this sequence.
  void extend(int tokens);
  int length() const { return length_; }
  const std::vector<std::int32_t>& blocks() const { return blocks_; }

 private:
  KvBlocks* cache_;
  std::vector<std::int32_t> blocks_;
  int length_ = 0;
};

}  // namespace kg::policy
