#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "policy/generation/decode_kernels.h"
#include "policy/generation/kv_blocks.h"
#include "policy/model/model_config.h"

namespace kg::policy {

// The KV cache of the CPU loops (policy/decode_kernels.h has the layout of a block). Long answers wait for its bytes
// more than for the weights: bfloat16 halves them.
class KvCache : public KvBlocks {
 public:
  // Room for `bytes` (at least one block); the system provides the pages when they are first touched.
  KvCache(const ModelConfig& config, std::size_t bytes, KvElement element = KvElement::kFloat32);

  static std::size_t block_bytes(const ModelConfig& config, KvElement element = KvElement::kFloat32);
  void copy(int from, int to) override;

  // Stores one token's key and value (head_size), fp32, in its slot of a block.
  void store(std::int64_t layer, std::int64_t kv_head, int block, int slot, const float* key, const float* value);

  KvElement element() const { return element_; }
  // For block 0; block b is b * block_stride() elements further on.
  const void* keys(std::int64_t layer, std::int64_t kv_head) const { return pool_.get() + key_offset(layer, kv_head); }
  const void* values(std::int64_t layer, std::int64_t kv_head) const {
    return pool_.get() + key_offset(layer, kv_head) + plane_ * element_bytes_;
  }
  std::int64_t block_stride() const { return block_elements_; }

 private:
  std::int64_t key_offset(std::int64_t layer, std::int64_t kv_head) const {
    return (layer * kv_heads_ + kv_head) * 2 * plane_ * element_bytes_;
  }

  KvElement element_;
  std::int64_t element_bytes_, kv_heads_, head_size_, plane_, block_elements_;
  std::unique_ptr<char[], void (*)(char*)> pool_;
};

}  // namespace kg::policy
