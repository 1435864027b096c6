// What the generator writes, judged by the real sandbox. KG_COT_INSTANCES structures (default 3), from KG_COT_FIRST;
// KG_COT_STYLE: one style alone.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_only_prompt.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/store/answer.h"
#include "reward/judge.h"

namespace kg::dataset::cot {
namespace {

std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(CotKernels, AreCorrectInEveryStyle) {
  const auto sandbox = sandbox::start_sandbox({.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"});
  const std::size_t first = number_of("KG_COT_FIRST", 130), count = number_of("KG_COT_INSTANCES", 2);
  const reward::JudgeOptions options{.reward = reward::reward_preset("staged")};
  const char* only = std::getenv("KG_COT_STYLE");
  int judged = 0, wrong = 0;
  for (std::size_t i = first; i < first + count; ++i) {
    const Structure& structure = structures(first + count)[i];
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance)) continue;
    const proto::Task task = task_of(instance, 1);
    std::size_t turn = 0;
    for (const KernelStyle& style : styles_of(instance)) {
      if (number_of("KG_COT_STYLES", 100) <= turn++) break;
      if (only != nullptr && style.name != only) continue;
      const LoweredKernel kernel = lower_kernel(instance, style);
      if (!kernel.refusal.empty()) continue;
      proto::Task with_workspace = task;
      with_workspace.set_workspace_bytes(kernel.workspace_bytes);
      const proto::Verdict verdict = reward::judge(*sandbox, with_workspace, kernel.source, options);
      ++judged;
      wrong += !verdict.correct();
      EXPECT_TRUE(verdict.correct() && verdict.reward_valid())
          << task.id() << " " << style.name << "\n"
          << kernel.program << kernel.source << verdict.ShortDebugString().substr(0, 1500);
    }
  }
  std::printf("%d kernels judged, %d wrong\n", judged, wrong);
  EXPECT_GT(judged, 0);
}

TEST(CotPrompts, TheExampleInTheKernelOnlyPromptIsRight) {
  const auto structure = std::ranges::find(structures(400), "sub", &Structure::name);
  ASSERT_NE(structure, structures(400).end());
  Instance instance = instance_of(*structure, 0);
  instance.dtype = proto::FLOAT16;
  instance.cores = 8;
  instance.lead = {16};
  instance.columns = 2048;
  proto::Task task = task_of(instance, 1);
  task.set_entry_point("custom_op");
  const std::string prompt = kernel_only_prompt(instance), begin = "# Example\n";
  const std::string example = prompt.substr(prompt.find(begin), prompt.find("# API\n") - prompt.find(begin));
  const auto sandbox = sandbox::start_sandbox({.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"});
  const proto::Verdict verdict = reward::judge(*sandbox, task, extract_kernel(example).kernel, {});
  EXPECT_TRUE(verdict.correct() && verdict.reward_valid()) << verdict.ShortDebugString();
}

}  // namespace
}  // namespace kg::dataset::cot
