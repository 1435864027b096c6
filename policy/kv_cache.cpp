#include "policy/kv_cache.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"

namespace kg::policy {

std::size_t KvCache::block_bytes(const ModelConfig& config) {
  return static_cast<std::size_t>(config.layers * config.kv_heads * 2 * config.head_size * kKvBlock) * sizeof(float);
}

KvCache::KvCache(const ModelConfig& config, std::size_t bytes)
    : KvBlocks(std::max<std::size_t>(1, bytes / block_bytes(config))),
      kv_heads_(config.kv_heads),
      plane_(config.head_size * kKvBlock),
      block_floats_(config.layers * config.kv_heads * 2 * plane_),
      pool_(nullptr, [](float* p) { std::free(p); }) {
  const std::size_t size = static_cast<std::size_t>(blocks()) * block_bytes(config);
  pool_.reset(static_cast<float*>(std::aligned_alloc(4096, (size + 4095) / 4096 * 4096)));
  if (pool_ == nullptr)
    throw Error("no memory for a KV cache of " + std::to_string(size >> 20) + " MiB", "generator",
                "give --kv-cache-mib", Error::Kind::kEnvironment);
}

void KvCache::copy(int from, int to) {
  std::memcpy(pool_.get() + to * block_floats_, pool_.get() + from * block_floats_,
              static_cast<std::size_t>(block_floats_) * sizeof(float));
}

}  // namespace kg::policy
