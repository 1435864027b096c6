// Token budgets, counted with SmolLM2's own tokenizer, which scripts/setup.sh fetches.
#include <gtest/gtest.h>

#include "dataset/synthesis/builtin_tasks.h"
#include "dataset/synthesis/kernel.h"
#include "dataset/synthesis/text.h"
#include "policy/files/model_io.h"

namespace kg::dataset {
namespace {

TEST(Tokens, ShortPromptsHaveAtMost100AndCompactKernelsAtMost450) {
  const policy::LoadedModel model = policy::load_model(policy::find_model("smollm2-135m-instruct"));
  for (const Variant& variant : builtin_variants(kMostShapes)) {
    ASSERT_LE(model.tokenizer->encode(short_prompt(variant, Style::kCompact)).size(), 100u) << task_id(variant);
    ASSERT_LE(model.tokenizer->encode(short_prompt(variant, Style::kFull)).size(), 100u) << task_id(variant);
    ASSERT_LE(model.tokenizer->encode(compact_kernel(variant)).size(), 450u) << task_id(variant);
  }
}

}  // namespace
}  // namespace kg::dataset
