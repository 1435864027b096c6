// Generation with the real SmolLM2 that scripts/setup.sh fetches.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/file.h"
#include "policy/files/model_io.h"
#include "policy/generation/decode_model.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/tile_product.h"
#include "policy/model/token_log_prob.h"

namespace kg::policy {
namespace {

struct Loaded {
  LoadedModel model = load_model(find_model("smollm2-135m-instruct"));
  std::shared_ptr<const DecodeWeights> packed = DecodeWeights::pack(model.config, model.weights);
};
const Loaded& smollm2() {
  static const Loaded loaded;
  return loaded;
}

TEST(SmolLm2Generate, DecodeLogitsAgreeWithTheTransformer) {
  const c10::InferenceMode guard;
  const LoadedModel& model = smollm2().model;
  const Transformer transformer(model.config, model.weights);
  const std::vector<std::int32_t> ids = model.tokenizer->encode(
      "#include \"kernel_operator.h\"\nusing namespace AscendC;\n\nclass KernelAdd {\npublic:\n  __aicore__ inline");
  const auto count = static_cast<std::int64_t>(ids.size());
  const at::Tensor expected = at::mm(transformer.hidden(at::tensor(ids).to(at::kLong), std::vector<std::int64_t>{0}),
                                     transformer.head_weight().t());  // (T, V)

  DecodeModel decode(model.config, /*threads=*/2);
  KvCache cache(model.config, 8 * KvCache::block_bytes(model.config));
  KvSequence sequence(cache);
  // A prompt of ten tokens, then one at a time.
  double largest = 0;
  for (std::int64_t begin = 0; begin < count;) {
    const std::int64_t end = begin == 0 ? 10 : begin + 1;
    sequence.extend(static_cast<int>(end - begin));
    std::vector<DecodeRow> rows;
    for (std::int64_t i = begin; i < end; ++i)
      rows.push_back({&sequence, ids[i], static_cast<int>(i), /*wants_logits=*/true});
    const float* logits = decode.forward(*smollm2().packed, cache, rows);
    const at::Tensor got = at::from_blob(const_cast<float*>(logits), {end - begin, model.config.vocabulary});
    largest = std::max(largest, (got - expected.slice(0, begin, end)).abs().max().item<double>());
    begin = end;
  }
  EXPECT_LT(largest, 1e-3);
  std::cout << "largest difference of logits " << largest << " over " << count << " tokens\n";
}

TEST(SmolLm2Generate, AnswersAQuestionAndEndsItsTurn) {
  const LoadedModel& model = smollm2().model;
  GenerationEngine engine(model.config, model.tokenizer, model.chat_template,
                          {.max_batch = 4, .threads = 2, .kv_cache_bytes = std::size_t{64} << 20});
  engine.set_weights(smollm2().packed, 0);
  proto::GenerateRequest request;
  request.set_count(1);
  request.mutable_sampling()->set_max_new_tokens(40);
  proto::ChatMessage& message = *request.add_messages();
  message.set_role("user");
  message.set_content("What is the capital of France?");
  const proto::Completion c = generate_all(engine, {request}).at(0).completions(0);
  EXPECT_THAT(c.text(), testing::HasSubstr("Paris"));
  EXPECT_FALSE(c.truncated());
  EXPECT_EQ(c.token_ids(c.token_ids_size() - 1), model.tokenizer->end_of_text());
}

struct Difference {
  double mean = 0, largest = 0;  // of probabilities
  std::int64_t tokens = 0;
};

// Of the tokens that a generator draws from weights held in `dtype`: their probabilities there, and in a trainer whose
// weights are `weights`.
Difference between_sampler_and_trainer(const std::string& dtype, const std::vector<NamedTensor>& weights) {
  const LoadedModel& model = smollm2().model;
  GenerationEngine engine(model.config, model.tokenizer, model.chat_template,
                          {.dtype = dtype, .threads = 2, .kv_cache_bytes = std::size_t{128} << 20});
  engine.set_weights(DecodeWeights::pack(model.config, model.weights, dtype), 0);
  std::vector<proto::GenerateRequest> requests;
  for (const char* text : {"Write a C++ function that adds two vectors.", "Tell me a story about a fox."}) {
    proto::GenerateRequest& request = requests.emplace_back();
    request.set_count(2);
    request.mutable_sampling()->set_temperature(1);
    request.mutable_sampling()->set_seed(11);
    request.mutable_sampling()->set_max_new_tokens(25);
    proto::ChatMessage& message = *request.add_messages();
    message.set_role("user");
    message.set_content(text);
  }
  const c10::InferenceMode guard;
  const Transformer transformer(model.config, weights);
  Difference difference;
  for (const proto::GenerateReply& reply : generate_all(engine, requests)) {
    for (const proto::Completion& c : reply.completions()) {
      std::vector<std::int64_t> ids(c.prompt_ids().begin(), c.prompt_ids().end());
      const auto first = static_cast<std::int64_t>(ids.size());
      ids.insert(ids.end(), c.token_ids().begin(), c.token_ids().end());
      const at::Tensor all = at::tensor(ids), hidden = transformer.hidden(all, std::vector<std::int64_t>{0});
      const std::int64_t count = c.token_ids_size();
      const at::Tensor seen =
          token_log_prob(hidden.narrow(0, first - 1, count), transformer.head_weight(), all.narrow(0, first, count))
              .log_prob.exp();
      const at::Tensor drawn = at::tensor(std::vector<float>(c.log_probs().begin(), c.log_probs().end())).exp();
      const at::Tensor apart = (seen - drawn).abs();
      difference.mean += apart.sum().item<double>();
      difference.largest = std::max(difference.largest, apart.max().item<double>());
      difference.tokens += count;
    }
  }
  difference.mean /= static_cast<double>(difference.tokens);
  std::cout << dtype << ": probabilities of " << difference.tokens << " tokens, mean difference " << difference.mean
            << ", largest " << difference.largest << "\n";
  return difference;
}

TEST(SmolLm2Generate, TheTrainerSeesTheProbabilitiesThatTheGeneratorDrewWith) {
  EXPECT_LT(between_sampler_and_trainer("float32", smollm2().model.weights).largest, 1e-3);
  // A bf16 learner has the same weights; both round what lies between the layers, each in its places.
  std::vector<NamedTensor> narrow = smollm2().model.weights;
  for (NamedTensor& weight : narrow) weight.tensor = weight.tensor.to(at::kBFloat16);
  EXPECT_LT(between_sampler_and_trainer("bfloat16", narrow).mean, 0.01);
  // Weights of a learner that computes in fp32 are not the same, which the importance weights correct.
  EXPECT_LT(between_sampler_and_trainer("bfloat16", smollm2().model.weights).mean, 0.005);
  EXPECT_LT(between_sampler_and_trainer("int8", smollm2().model.weights).mean, 0.02);
}

TEST(SmolLm2Generate, LogProbabilitiesOfABfloat16LearnerAreNearerToFp32ThanWithLogitsInBfloat16) {
  const c10::InferenceMode guard;
  if (!bfloat16_products()) GTEST_SKIP() << "this CPU has no products of bf16";
  const std::vector<std::int32_t> text =
      smollm2().model.tokenizer->encode(read_file(KG_SOURCE_DIR "/LICENSE").substr(0, 1500));
  const at::Tensor ids = at::tensor(std::vector<std::int64_t>(text.begin(), text.end()));  // (T)
  const std::int64_t count = ids.size(0) - 1;
  const at::Tensor next = ids.narrow(0, 1, count);
  const auto model_in = [&](at::ScalarType type) {
    std::vector<NamedTensor> weights = smollm2().model.weights;
    for (NamedTensor& one : weights) one.tensor = one.tensor.to(at::kBFloat16).to(type);
    return Transformer(smollm2().model.config, std::move(weights));
  };
  const auto states_of = [&](const Transformer& model) {
    return model.hidden(ids, std::vector<std::int64_t>{0}).narrow(0, 0, count);  // (T, C)
  };
  const Transformer exact = model_in(at::kFloat), narrow = model_in(at::kBFloat16);
  const at::Tensor states = states_of(narrow),
                   wanted = token_log_prob(states_of(exact), exact.head_weight(), next).log_prob;
  const at::Tensor ours = token_log_prob(states, narrow.head_weight(), next).log_prob;
  const at::Tensor rounded = at::log_softmax(states.matmul(narrow.head_weight().t()).to(at::kFloat), 1)
                                 .gather(1, next.unsqueeze(1))
                                 .squeeze(1);
  const double apart = (ours - wanted).abs().mean().item<double>(),
               rounded_apart = (rounded - wanted).abs().mean().item<double>();
  std::cout << "log-probabilities of " << count << " tokens in bf16 are " << apart
            << " nats from fp32 on average, with logits in bf16 " << rounded_apart << "\n";
  EXPECT_LT(apart, 0.9 * rounded_apart);
}

}  // namespace
}  // namespace kg::policy
