// The model that comes with kgtrain, found by its name, as a difference to the base model that scripts/setup.sh
// fetches.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "policy/files/difference.h"
#include "policy/files/model_io.h"
#include "policy/generation/decode_model.h"
#include "policy/generation/generator_engine.h"

namespace kg::policy {
namespace {

constexpr const char* kPrompt = R"(Write the kernel custom_op in the DSL for 48 cores.
Input wave_left: float[31,1000]
Output out: float[31,1000]
PyTorch's operators, one by one:
```
t1 = mul(wave_left, 0.37)
out = tanh(t1)
```)";

TEST(KernelgenSmall, ReadsAModuleAndAnswersWithAProgram) {
  const std::filesystem::path found = find_model("kernelgen-small");
  EXPECT_TRUE(is_difference(found)) << found;
  const LoadedModel model = load_model(found);
  GenerationEngine engine(model.config, model.tokenizer, model.chat_template,
                          {.max_batch = 4, .threads = 2, .kv_cache_bytes = std::size_t{64} << 20});
  engine.set_weights(DecodeWeights::pack(model.config, model.weights), 0);
  proto::GenerateRequest request;
  request.set_count(1);
  request.mutable_sampling()->set_max_new_tokens(200);  // temperature 0: the likeliest token
  proto::ChatMessage& message = *request.add_messages();
  message.set_role("user");
  message.set_content(kPrompt);
  const proto::Completion c = generate_all(engine, {request}).at(0).completions(0);
  EXPECT_FALSE(c.truncated()) << c.text();
  EXPECT_THAT(c.text(), testing::StartsWith("wave_left [31,1000] = ["));
  EXPECT_THAT(c.text(), testing::HasSubstr("```dsl\nkernel custom_op(wave_left: float["));
  EXPECT_THAT(c.text(), testing::HasSubstr("* 0.37"));
  EXPECT_THAT(c.text(), testing::HasSubstr("tanh("));
}

}  // namespace
}  // namespace kg::policy
