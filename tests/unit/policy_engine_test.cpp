#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "policy/generation/kv_cache.h"
#include "tests/support/tiny_model.h"

namespace kg::policy {
namespace {

using testing::HasSubstr;

// Bytes as tokens; 256 begins, 257 ends. Decodes to letters.
class ByteTokenizer : public Tokenizer {
 public:
  std::vector<std::int32_t> encode(std::string_view text) const override {
    std::vector<std::int32_t> ids;
    for (const char c : text) ids.push_back(static_cast<unsigned char>(c));
    return ids;
  }
  std::string decode(const std::vector<std::int32_t>& ids, bool) const override {
    std::string text;
    for (const std::int32_t id : ids)
      if (id < 256) text += static_cast<char>('a' + id % 26);
    return text;
  }
  std::int32_t vocabulary_size() const override { return 258; }
  std::int32_t end_of_text() const override { return 257; }
  std::int32_t id_of(std::string_view) const override { return -1; }
  const TokenizerSpec& spec() const override { throw std::logic_error("not exported"); }
};

EngineOptions small(EngineOptions options) {
  if (options.threads == 0) options.threads = 2;
  if (options.kv_cache_bytes == 0) options.kv_cache_bytes = 1 << 22;
  return options;
}

struct TestEngine : GenerationEngine {
  explicit TestEngine(const EngineOptions& options = {}, std::uint64_t version = 1)
      : GenerationEngine(tiny_config(), std::make_shared<ByteTokenizer>(), {}, small(options)) {
    set_weights(DecodeWeights::pack(tiny_config(), random_weights(tiny_config(), 1)), version);
  }
};

proto::GenerateRequest make_request(std::uint64_t id, std::uint32_t count, int max_new, float temperature = 1) {
  proto::GenerateRequest r;
  r.set_request_id(id);
  r.set_count(count);
  r.mutable_sampling()->set_temperature(temperature);
  r.mutable_sampling()->set_seed(100 + id);
  r.mutable_sampling()->set_max_new_tokens(max_new);
  return r;
}

std::vector<proto::GenerateReply> run(GenerationEngine& engine) {
  while (engine.step()) {
  }
  std::vector<proto::GenerateReply> replies;
  for (FinishedRequest& done : engine.take_finished()) replies.push_back(std::move(done.reply));
  std::sort(replies.begin(), replies.end(),
            [](const auto& a, const auto& b) { return a.request_id() < b.request_id(); });
  return replies;
}

TEST(Engine, MoreCompletionsThanSlotsAllFinishAndGiveTheirBlocksBack) {
  TestEngine engine({.max_batch = 3});
  for (std::uint64_t id = 1; id <= 4; ++id) engine.submit_tokens(make_request(id, 5, 20), {1, 2, 3});
  engine.step();
  EXPECT_LE(engine.counts().running, 3u);
  const auto replies = run(engine);
  ASSERT_EQ(replies.size(), 4u);
  for (const auto& reply : replies) {
    EXPECT_EQ(reply.error(), "");
    ASSERT_EQ(reply.completions_size(), 5);
    for (const auto& c : reply.completions()) {
      EXPECT_EQ(c.prompt_ids_size(), 3);
      EXPECT_EQ(c.token_ids_size(), c.log_probs_size());
      EXPECT_EQ(c.policy_versions_size(), 1);
      const bool ended = c.token_ids(c.token_ids_size() - 1) == 257;
      EXPECT_EQ(c.truncated(), !ended);
      EXPECT_TRUE(ended || c.token_ids_size() == 20);
    }
  }
  EXPECT_TRUE(engine.idle());
}

TEST(Engine, SameSeedGivesTheSameTokensWhateverArrivesBeforeAndWhateverTheBatch) {
  // Prompts of up to nine blocks: what answers share of them is read for several rows at once.
  const auto tokens_of = [](int max_batch, bool reversed, int prefill_rows, std::size_t cache_bytes) {
    TestEngine engine({.max_batch = max_batch, .kv_cache_bytes = cache_bytes, .prefill_rows = prefill_rows});
    for (int i = 0; i < 6; ++i) {
      const std::uint64_t id = reversed ? 6 - i : i + 1;
      std::vector<std::int32_t> prompt;
      for (std::uint64_t t = 0; t < 25 * id; ++t) prompt.push_back(static_cast<std::int32_t>(t * id % 256));
      engine.submit_tokens(make_request(id, 3, 30), prompt);
    }
    std::string all;
    for (const auto& reply : run(engine)) all += reply.SerializeAsString();
    return all;
  };
  const std::string expected = tokens_of(64, false, 256, 1 << 22);
  EXPECT_EQ(expected, tokens_of(64, true, 256, 1 << 22));
  EXPECT_EQ(expected, tokens_of(1, false, 256, 1 << 22));
  EXPECT_EQ(expected, tokens_of(4, true, 7, 1 << 22));
  // A cache so small that requests must wait for blocks.
  EXPECT_EQ(expected, tokens_of(64, false, 256, 14 * KvCache::block_bytes(tiny_config())));
}

TEST(Engine, CompletionsOfOneRequestDifferAndFirstSampleContinuesTheSeries) {
  TestEngine engine;
  engine.submit_tokens(make_request(1, 4, 12), {5, 6});
  proto::GenerateRequest rest = make_request(1, 2, 12);
  rest.set_first_sample(2);
  const auto whole = run(engine);
  engine.submit_tokens(rest, {5, 6});
  const auto part = run(engine);
  EXPECT_NE(whole[0].completions(0).SerializeAsString(), whole[0].completions(1).SerializeAsString());
  EXPECT_EQ(whole[0].completions(2).SerializeAsString(), part[0].completions(0).SerializeAsString());
  EXPECT_EQ(whole[0].completions(3).SerializeAsString(), part[0].completions(1).SerializeAsString());
}

TEST(Engine, StopStringAcrossTokensEndsTheAnswerAndStaysInIt) {
  TestEngine engine;
  engine.submit_tokens(make_request(1, 1, 40), {9});
  const auto free_run = run(engine);
  const std::string text = free_run[0].completions(0).text();
  ASSERT_GE(text.size(), 8u);
  proto::GenerateRequest stopped = make_request(1, 1, 40);
  stopped.mutable_sampling()->add_stop(text.substr(3, 3));
  engine.submit_tokens(stopped, {9});
  const auto c = run(engine)[0].completions(0);
  EXPECT_EQ(c.text(), text.substr(0, text.find(text.substr(3, 3)) + 3));
  EXPECT_FALSE(c.truncated());
}

TEST(Engine, TokensAreHandedOutAsTheyAreDrawn) {
  std::string streamed;
  TestEngine engine({.on_token = [&](std::uint64_t, std::uint32_t completion, const std::string& text) {
    EXPECT_EQ(completion, 0u);
    streamed += text;
  }});
  engine.submit_tokens(make_request(1, 1, 40), {9});
  ASSERT_TRUE(engine.step());
  const std::string early = streamed;
  EXPECT_EQ(run(engine)[0].completions(0).text(), streamed);
  EXPECT_LT(early.size(), streamed.size());
}

TEST(Engine, WeightsSwappedInFlightAreRecordedForEachToken) {
  const ModelConfig config = tiny_config();
  TestEngine engine({}, 7);
  proto::GenerateRequest request = make_request(1, 1, 200);
  engine.submit_tokens(request, {1, 2, 3});
  while (engine.counts().tokens_generated < 2) ASSERT_TRUE(engine.step());
  engine.set_weights(DecodeWeights::pack(config, random_weights(config, 2)), 8);
  const auto c = run(engine)[0].completions(0);
  ASSERT_EQ(c.policy_versions_size(), c.token_ids_size());
  EXPECT_EQ(c.policy_versions(0), 7u);
  EXPECT_EQ(c.policy_versions(1), 7u);
  EXPECT_EQ(c.policy_versions(2), 8u);
}

TEST(Engine, RequestWaitsForItsVersionWhileOthersPass) {
  const ModelConfig config = tiny_config();
  TestEngine engine;
  proto::GenerateRequest newer = make_request(1, 1, 5);
  newer.set_min_policy_version(2);
  engine.submit_tokens(newer, {1});
  engine.submit_tokens(make_request(2, 1, 5), {1});
  auto replies = run(engine);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].request_id(), 2u);
  engine.set_weights(DecodeWeights::pack(config, random_weights(config, 2)), 2);
  replies = run(engine);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].completions(0).policy_versions(0), 2u);
}

TEST(Engine, WaitForAVersionThatNeverComesEndsNamingBoth) {
  TestEngine engine({.version_timeout_seconds = 0}, 3);
  proto::GenerateRequest newer = make_request(1, 1, 5);
  newer.set_min_policy_version(12);
  engine.submit_tokens(newer, {1});
  std::vector<proto::GenerateReply> replies;
  while (replies.empty()) replies = run(engine);
  EXPECT_THAT(replies[0].error(), HasSubstr("12"));
  EXPECT_THAT(replies[0].error(), HasSubstr("still has 3"));
}

TEST(Engine, LengthsBeyondContextOrCacheAreRefusedNamingThem) {
  const auto message_of = [](GenerationEngine& engine, int prompt, int fresh) {
    try {
      engine.submit_tokens(make_request(1, 1, fresh), std::vector<std::int32_t>(prompt, 1));
    } catch (const Error& error) {
      return error.full_message();
    }
    return std::string();
  };
  TestEngine engine;
  EXPECT_THAT(message_of(engine, 200, 57), testing::AllOf(HasSubstr("200"), HasSubstr("57"), HasSubstr("256")));
  EXPECT_EQ(message_of(engine, 200, 56), "");
  EXPECT_THAT(message_of(engine, 10, 0), HasSubstr("max_new_tokens"));
  TestEngine small({.kv_cache_bytes = 3 * KvCache::block_bytes(tiny_config())});
  EXPECT_THAT(message_of(small, 40, 20), HasSubstr("48"));
}

TEST(Engine, CancelledRequestMakesRoom) {
  TestEngine engine({.max_batch = 2});
  const std::uint64_t first = engine.submit_tokens(make_request(1, 2, 200), {1});
  engine.submit_tokens(make_request(2, 1, 3), {1});
  for (int i = 0; i < 3; ++i) engine.step();
  engine.cancel(first);
  const auto replies = run(engine);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_EQ(replies[0].request_id(), 2u);
}

TEST(Engine, DivergedWeightsAreAnErrorReply) {
  const ModelConfig config = tiny_config();
  TestEngine engine;
  auto weights = random_weights(config, 1);
  for (NamedTensor& w : weights) w.tensor.fill_(std::nan(""));
  engine.set_weights(DecodeWeights::pack(config, weights), 2);
  engine.submit_tokens(make_request(1, 3, 5), {1});
  const auto replies = run(engine);
  ASSERT_EQ(replies.size(), 1u);
  EXPECT_THAT(replies[0].error(), HasSubstr("not finite"));
  EXPECT_TRUE(engine.idle());
}

TEST(Weights, AbsentOrMisshapenWeightIsNamed) {
  const ModelConfig config = tiny_config();
  auto weights = random_weights(config, 1);
  weights[3].tensor = at::zeros({3, 3});
  try {
    DecodeWeights::pack(config, weights);
    FAIL();
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), HasSubstr(weights[3].name));
  }
}

}  // namespace
}  // namespace kg::policy
