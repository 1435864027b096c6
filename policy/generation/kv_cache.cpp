#include "policy/generation/kv_cache.h"

#include <c10/util/BFloat16.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/error.h"

namespace kg::policy {
namespace {

constexpr std::size_t kLargePage = std::size_t{1} << 21;

std::int64_t bytes_of(KvElement element) { return element == KvElement::kBFloat16 ? 2 : 4; }

// `key` down a column of a block's keys, `value` into a row of its values.
template <typename T>
void store_token(T* keys, T* values, int slot, std::int64_t head_size, const float* key, const float* value) {
  for (std::int64_t i = 0; i < head_size; ++i) keys[i * kKvBlock + slot] = static_cast<T>(key[i]);
  for (std::int64_t i = 0; i < head_size; ++i) values[slot * head_size + i] = static_cast<T>(value[i]);
}

}  // namespace

std::size_t KvCache::block_bytes(const ModelConfig& config, KvElement element) {
  return static_cast<std::size_t>(config.layers * config.kv_heads * 2 * config.head_size * kKvBlock *
                                  bytes_of(element));
}

KvCache::KvCache(const ModelConfig& config, std::size_t bytes, KvElement element)
    : KvBlocks(std::max<std::size_t>(1, bytes / block_bytes(config, element))),
      element_(element),
      element_bytes_(bytes_of(element)),
      kv_heads_(config.kv_heads),
      head_size_(config.head_size),
      plane_(config.head_size * kKvBlock),
      block_elements_(config.layers * config.kv_heads * 2 * plane_),
      pool_(nullptr, [](char* p) { std::free(p); }) {
  const std::size_t size = static_cast<std::size_t>(blocks()) * block_bytes(config, element);
  const std::size_t rounded = (size + kLargePage - 1) / kLargePage * kLargePage;
  pool_.reset(static_cast<char*>(std::aligned_alloc(kLargePage, rounded)));
  if (pool_ == nullptr)
    throw Error("no memory for a KV cache of " + std::to_string(size >> 20) + " MiB", "generator",
                "give --kv-cache-mib", Error::Kind::kEnvironment);
  // A head's part of a block is a page or two of 4 KiB: each would miss the TLB.
  ::madvise(pool_.get(), rounded, MADV_HUGEPAGE);
}

void KvCache::copy(int from, int to) {
  const std::int64_t bytes = block_elements_ * element_bytes_;
  std::memcpy(pool_.get() + to * bytes, pool_.get() + from * bytes, static_cast<std::size_t>(bytes));
}

void KvCache::store(std::int64_t layer, std::int64_t kv_head, int block, int slot, const float* key,
                    const float* value) {
  char* keys = pool_.get() + key_offset(layer, kv_head) + block * block_elements_ * element_bytes_;
  char* values = keys + plane_ * element_bytes_;
  if (element_ == KvElement::kBFloat16)
    store_token(reinterpret_cast<c10::BFloat16*>(keys), reinterpret_cast<c10::BFloat16*>(values), slot, head_size_, key,
                value);
  else
    store_token(reinterpret_cast<float*>(keys), reinterpret_cast<float*>(values), slot, head_size_, key, value);
}

}  // namespace kg::policy
