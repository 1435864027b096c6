// Draws under a grammar, and the tokens of further turns.
#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/error.h"
#include "base/random.h"
#include "policy/generation/distribution.h"
#include "policy/generation/prompt_tokens.h"
#include "policy/generation/sampler.h"
#include "policy/text/byte_alphabet.h"
#include "policy/text/byte_bpe.h"
#include "proto/kept_set.h"

namespace kg::policy {
namespace {

constexpr int kVocabulary = 200;

std::vector<float> some_logits(int vocabulary = kVocabulary) {
  Philox random(3, 0);
  std::vector<float> logits(static_cast<std::size_t>(vocabulary));
  for (float& one : logits) one = static_cast<float>(2 * random.next_normal());
  return logits;
}

TokenMask every_third() {
  TokenMask mask((kVocabulary + 63) / 64);
  for (int i = 0; i < kVocabulary; i += 3) add_token(mask, static_cast<std::size_t>(i));
  return mask;
}

proto::SamplingParameters under_grammar(int top_k) {
  proto::SamplingParameters sampling;
  sampling.set_temperature(0.9f);
  sampling.set_top_k(top_k);
  sampling.set_grammar("dsl");
  return sampling;
}

// The number of draws of each token against the probabilities of a grammar's distribution, computed here.
void expect_masked_distribution(int vocabulary, const TokenMask& mask) {
  const std::vector<float> logits = some_logits(vocabulary);
  std::vector<double> wanted(logits.size(), 0.0);
  double total = 0;
  for (std::size_t i = 0; i < logits.size(); ++i)
    if (has_token(mask, i)) total += wanted[i] = std::exp(static_cast<double>(logits[i]) / 0.9);
  const int draws = vocabulary > 1000 ? 50000 : 200000;
  std::vector<int> seen(logits.size(), 0);
  Sampler sampler;
  Philox random(8, 1);
  for (int n = 0; n < draws; ++n) ++seen[sampler.draw(logits, under_grammar(0), random.next_double(), {}, &mask).token];
  double chi = 0;
  int cells = 0;
  for (std::size_t i = 0; i < logits.size(); ++i) {
    const double expected = wanted[i] / total * draws;
    if (wanted[i] == 0) {
      EXPECT_EQ(seen[i], 0) << "token " << i << " is not allowed";
    }
    if (expected < 5) continue;
    chi += (seen[i] - expected) * (seen[i] - expected) / expected;
    ++cells;
  }
  // Wilson and Hilferty: the 99.99 % point of chi-squared with this many degrees of freedom.
  const double k = cells - 1, point = k * std::pow(1 - 2 / (9 * k) + 3.719 * std::sqrt(2 / (9 * k)), 3);
  EXPECT_LT(chi, point) << cells << " cells";
}

TEST(PolicyGrammar, DrawsFollowTheMaskedDistributionByChiSquared) {
  expect_masked_distribution(kVocabulary, every_third());
  TokenMask most(9000 / 64 + 1);  // more tokens than are drawn from one by one
  for (std::size_t i = 0; i < 9000; ++i)
    if (i % 3 != 1) add_token(most, i);
  expect_masked_distribution(9000, most);
}

TEST(PolicyGrammar, WhatTheTrainerComputesIsWhatWasDrawn) {
  const std::vector<float> logits = some_logits();
  const TokenMask mask = every_third();
  Sampler sampler;
  Philox random(9, 1);
  for (const int top_k : {0, 5}) {
    const proto::SamplingParameters sampling = under_grammar(top_k);
    for (int n = 0; n < 50; ++n) {
      const Draw draw = sampler.draw(logits, sampling, random.next_double(), {}, &mask);
      std::string bytes;
      proto::append_kept_set(bytes, draw.kept);
      const std::vector<proto::KeptSet> sets = proto::read_kept_sets(bytes, 1, kVocabulary);
      ASSERT_EQ(sets[0].tokens, draw.kept);
      ASSERT_EQ(draw.kept.size(), top_k == 0 ? (kVocabulary + 2) / 3 : 5u);
      const proto::KeptSet* const kept = &sets[0];
      const at::Tensor row = at::tensor(logits).unsqueeze(0);
      keep_drawable(row, sampling, std::span(&kept, 1));
      const at::Tensor log_probs = at::log_softmax(row.div(sampling.temperature()), 1);
      EXPECT_NEAR(log_probs[0][draw.token].item<float>(), draw.log_prob, 1e-5);
      EXPECT_NEAR(at::exp(log_probs).sum().item<float>(), 1, 1e-5);
    }
  }
}

TEST(PolicyGrammar, GreedyTakesTheBestOfWhatIsAllowed) {
  const std::vector<float> logits = some_logits();
  const TokenMask mask = every_third();
  int best = 0;
  for (int i = 0; i < kVocabulary; i += 3) best = logits[i] > logits[best] ? i : best;
  proto::SamplingParameters sampling;
  sampling.set_grammar("dsl");
  EXPECT_EQ(Sampler().draw(logits, sampling, 0.5, {}, &mask).token, best);
}

// Bytes, and one token for "ab", so that text need not become the tokens that wrote it.
std::shared_ptr<const Tokenizer> bytes_and_ab() {
  TokenizerSpec spec;
  for (int byte = 0; byte < 256; ++byte) spec.tokens.push_back(byte_character(static_cast<unsigned char>(byte)));
  for (const char* token : {"<|im_start|>", "<|im_end|>"}) {
    spec.added.push_back({static_cast<std::int32_t>(spec.tokens.size()), true});
    spec.tokens.emplace_back(token);
  }
  spec.tokens.emplace_back("ab");
  spec.merges.push_back("a b");
  spec.bos = 256, spec.eos = 257, spec.pad = 257;
  return std::make_shared<ByteBpe>(spec);
}

ChatTemplate chat() {
  return ChatTemplate::from_jinja(
      "{% for message in messages %}{{'<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + "
      "'\n'}}{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}");
}

void say(proto::GenerateRequest& request, const char* role, const char* content) {
  proto::ChatMessage& message = *request.add_messages();
  message.set_role(role);
  message.set_content(content);
}

TEST(PolicyPromptTokens, AFurtherTurnKeepsTheTokensThatWereDrawn) {
  const auto tokenizer = bytes_and_ab();
  proto::GenerateRequest first;
  say(first, "user", "ab?");
  std::vector<std::int32_t> before = prompt_tokens(chat(), *tokenizer, first);
  before.insert(before.end(), {'a', 'b', 257});  // "ab" byte by byte, and the end of the turn
  proto::GenerateRequest second = first;
  say(second, "assistant", "ab");
  say(second, "user", "again");
  for (const std::int32_t token : before) second.add_prefix_ids(token);
  const std::vector<std::int32_t> tokens = prompt_tokens(chat(), *tokenizer, second);
  ASSERT_GT(tokens.size(), before.size());
  EXPECT_TRUE(std::equal(before.begin(), before.end(), tokens.begin()));
  const std::string rest =
      tokenizer->decode({tokens.begin() + static_cast<std::ptrdiff_t>(before.size()), tokens.end()}, true);
  EXPECT_EQ(rest, "\n<|im_start|>user\nagain<|im_end|>\n<|im_start|>assistant\n");
}

TEST(PolicyPromptTokens, AnAnswerThatWasCutOffIsEndedByTheTemplate) {
  const auto tokenizer = bytes_and_ab();
  proto::GenerateRequest request;
  say(request, "user", "?");
  for (const std::int32_t token : prompt_tokens(chat(), *tokenizer, request)) request.add_prefix_ids(token);
  request.add_prefix_ids('a');
  say(request, "assistant", "a");
  say(request, "user", "b");
  const std::vector<std::int32_t> tokens = prompt_tokens(chat(), *tokenizer, request);
  EXPECT_EQ(tokens[static_cast<std::size_t>(request.prefix_ids_size())], 257);
}

TEST(PolicyPromptTokens, ATemplateWithoutEarlierAnswersIsAnError) {
  proto::GenerateRequest request;
  say(request, "user", "?");
  say(request, "assistant", "a");
  say(request, "user", "b");
  request.add_prefix_ids('a');
  const ChatTemplate last_only = ChatTemplate::from_jinja("{{ messages[-1]['content'] }}<|im_end|>");
  EXPECT_THROW(prompt_tokens(last_only, *bytes_and_ab(), request), Error);
}

}  // namespace
}  // namespace kg::policy
