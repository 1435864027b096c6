#include <gtest/gtest.h>

#include "policy/generation/kv_cache.h"
#include "tests/support/tiny_model.h"

namespace kg::policy {
namespace {

TEST(KvCache, ForksShareFullBlocksAndCopyTheLastOneOnTheFirstWrite) {
  const ModelConfig config = tiny_config();
  KvCache cache(config, 16 * KvCache::block_bytes(config));
  ASSERT_EQ(cache.blocks(), 16);
  KvSequence prompt(cache);
  prompt.extend(20);  // one full block and 4 tokens
  EXPECT_EQ(cache.free_blocks(), 14);
  const std::vector<float> token(static_cast<std::size_t>(config.head_size), 42.0f);
  cache.store(1, 1, prompt.blocks()[1], 3, token.data(), token.data());
  {
    KvSequence first = prompt.fork(), second = prompt.fork();
    EXPECT_EQ(cache.free_blocks(), 14);
    first.extend(1);
    second.extend(1);
    EXPECT_EQ(cache.free_blocks(), 12);
    EXPECT_EQ(first.blocks()[0], prompt.blocks()[0]);
    EXPECT_NE(first.blocks()[1], prompt.blocks()[1]);
    EXPECT_NE(first.blocks()[1], second.blocks()[1]);
    const float* keys = static_cast<const float*>(cache.keys(1, 1)) + first.blocks()[1] * cache.block_stride();
    EXPECT_EQ(keys[3], 42);
    first.extend(12);  // to 33: a third block
    EXPECT_EQ(cache.free_blocks(), 11);
  }
  EXPECT_EQ(cache.free_blocks(), 14);
  prompt = KvSequence(cache);
  EXPECT_EQ(cache.free_blocks(), 16);
}

TEST(KvCache, PromptThatEndsOnABlockIsNeverCopied) {
  const ModelConfig config = tiny_config();
  KvCache cache(config, 8 * KvCache::block_bytes(config));
  KvSequence prompt(cache);
  prompt.extend(kKvBlock);
  KvSequence fork = prompt.fork();
  fork.extend(1);
  EXPECT_EQ(fork.blocks()[0], prompt.blocks()[0]);
  EXPECT_EQ(cache.free_blocks(), 6);
}

}  // namespace
}  // namespace kg::policy
