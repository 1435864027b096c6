// What the generator writes, judged by the real sandbox. KG_COT_INSTANCES structures (default 3), from KG_COT_FIRST;
// KG_COT_STYLE: one style alone.
#include <gtest/gtest.h>

#include <cstdlib>

#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"
#include "reward/judge.h"

namespace kg::dataset::cot {
namespace {

std::size_t number_of(const char* variable, std::size_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

TEST(CotKernels, AreCorrectInEveryStyle) {
  const auto sandbox = sandbox::start_sandbox({.program = KG_BINARY_DIR "/bin/kgtrain-sandbox"});
  const std::size_t first = number_of("KG_COT_FIRST", 130), count = number_of("KG_COT_INSTANCES", 3);
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

}  // namespace
}  // namespace kg::dataset::cot
