// Token budgets, counted with SmolLM2's own tokenizer, which scripts/setup.sh fetches.
#include <gtest/gtest.h>

#include <algorithm>

#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/prompts.h"
#include "policy/files/model_io.h"

namespace kg::dataset::cot {
namespace {

TEST(Tokens, ShortPromptsHaveAtMost200AndProgramsInTheDslAtMost256) {
  const policy::LoadedModel model = policy::load_model(policy::find_model("smollm2-135m-instruct"));
  const Writing as_in_samples{.nested = false, .naming = Writing::Naming::kAsPrompt};
  std::vector<std::size_t> prompts, programs;
  for (const Structure& structure : structures(400)) {
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance)) continue;
    prompts.push_back(model.tokenizer->encode(short_prompt(instance, "")).size());
    programs.push_back(model.tokenizer->encode(dsl_program(instance, as_in_samples)).size());
    ASSERT_LE(prompts.back(), 200u) << task_id(instance);
    ASSERT_LE(programs.back(), 256u) << task_id(instance);
  }
  ASSERT_GT(prompts.size(), 300u);
  for (auto* counts : {&prompts, &programs}) {
    const auto middle = counts->begin() + static_cast<std::ptrdiff_t>(counts->size() / 2);
    std::nth_element(counts->begin(), middle, counts->end());
    std::printf("middle %zu, largest %zu tokens\n", *middle, *std::max_element(counts->begin(), counts->end()));
    EXPECT_LE(*middle, 110u);
  }
}

}  // namespace
}  // namespace kg::dataset::cot
