// Generation with the real SmolLM2 that scripts/setup.sh fetches.
#include <ATen/ATen.h>
#include <c10/core/InferenceMode.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/generator_engine.h"
#include "policy/model_io.h"

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

}  // namespace
}  // namespace kg::policy
