#include <cstdio>

#include "dataset/cot/hyper_connections.h"
#include "reward/judge.h"
#include "tests/integration/dsl_fixture.h"

// Manifold-constrained hyper-connections: the built-in tasks, by programs in the DSL.
namespace kg::dsl::testing {
namespace {

std::string program(const std::string& name) {
  return read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/dsl_programs/mhc/" + name + ".dsl");
}

proto::Verdict judged(const std::string& name) {
  for (const proto::Task& task : dataset::cot::hyper_connection_tasks(/*seed=*/1)) {
    if (task.structure() != name) continue;
    reward::JudgeOptions options;
    options.language = proto::DSL;
    options.limits.set_run_seconds(120);
    return reward::judge(shared_sandbox(), task, program(name), options);
  }
  ADD_FAILURE() << "no task " << name;
  return {};
}

std::string faults_of(const proto::Verdict& verdict) {
  std::string text = verdict.compiler_output();
  for (const proto::Fault& fault : verdict.faults())
    text += "line " + std::to_string(fault.line()) + " " + fault.message() + "\n";
  return text;
}

void expect_faster(const std::string& name, double least) {
  const proto::Verdict verdict = judged(name);
  ASSERT_TRUE(verdict.correct()) << faults_of(verdict) << verdict.max_abs_error();
  EXPECT_TRUE(verdict.reward_valid()) << verdict.invalid_reason();
  std::printf("%s: %llu cycles, operators one by one %llu, speed-up %.1f\n", name.c_str(),
              static_cast<unsigned long long>(verdict.cycles()),
              static_cast<unsigned long long>(verdict.baseline_cycles()), verdict.speedup());
  EXPECT_GT(verdict.speedup(), least);
}

// AscendCraft: 6.6 at once, 15.9 after work by experts.
TEST(DslMhc, PostMixesTheStreams) { expect_faster("mhc_post", 6.6); }
TEST(DslMhc, PreFindsTheCoefficients) { expect_faster("mhc_pre", 15.9); }

}  // namespace
}  // namespace kg::dsl::testing
