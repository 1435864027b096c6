#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "policy/decode_kernels.h"
#include "policy/kv_blocks.h"
#include "policy/model_config.h"

namespace kg::policy {

// The KV cache of the CPU's loops (policy/decode_kernels.h has the layout of a block), fp32.
class KvCache : public KvBlocks {
 public:
  // Room for `bytes` (at least one block); the system gives the pages when they are first touched.
  KvCache(const ModelConfig& config, std::size_t bytes);

  static std::size_t block_bytes(const ModelConfig& config);
  void copy(int from, int to) override;

  // Of block 0; block b lies b * block_stride() further.
  float* keys(std::int64_t layer, std::int64_t kv_head) {
    return pool_.get() + (layer * kv_heads_ + kv_head) * 2 * plane_;
  }
  float* values(std::int64_t layer, std::int64_t kv_head) { return keys(layer, kv_head) + plane_; }
  std::int64_t block_stride() const { return block_floats_; }

 private:
  std::int64_t kv_heads_, plane_, block_floats_;
  std::unique_ptr<float[], void (*)(float*)> pool_;
};

}  // namespace kg::policy
