// Ways to a reward without the work (hack.h), through the whole judge as training and evaluation see it: none is
// rewarded. And honest kernels in odd styles: none is refused.
#include <gmock/gmock.h>

#include "hack.h"
#include "reward/judge.h"
#include "tests/composed_kernels.h"
#include "tests/security/escapes/hostile_project.h"
#include "tests/security/sandbox_fixture.h"

namespace kg::sandbox::testing {
namespace {

using ::testing::HasSubstr;

std::string all_of(const proto::Verdict& verdict) {
  std::string text =
      proto::Stage_Name(verdict.stage()) + " " + verdict.invalid_reason() + "\n" + verdict.compiler_output() + "\n";
  for (const proto::Fault& fault : verdict.faults()) text += fault.fault_class() + ": " + fault.message() + "\n";
  return text;
}

class Hacks : public ::testing::Test {
 protected:
  Hacks() : sandbox_(start_sandbox(options())) {
    options_.limits.set_run_seconds(5);
    options_.limits.set_compile_seconds(30);
  }

  proto::Verdict verdict_on(const Hack& hack) {
    if (hack.host.empty()) return reward::judge(*sandbox_, hack.task, hack.kernel, options_);
    const auto project = hostile_project("{ " + hack.host + " }");
    return reward::judge_project(*sandbox_, hack.task, {project.project().begin(), project.project().end()}, options_);
  }

  // Nothing beyond what any kernel gets that comes to its end and is wrong.
  void try_all(const std::vector<Hack>& hacks) {
    const double most = options_.reward.check;
    for (const Hack& hack : hacks) {
      SCOPED_TRACE(hack.name);
      const proto::Verdict verdict = verdict_on(hack);
      const std::string text = all_of(verdict);
      EXPECT_EQ(verdict.sandbox_error(), "");
      EXPECT_FALSE(verdict.correct()) << text;
      EXPECT_EQ(verdict.speedup(), 0);
      EXPECT_TRUE(!verdict.reward_valid() || verdict.reward() <= most) << verdict.reward() << text;
      EXPECT_THAT(text, HasSubstr(hack.words));
    }
  }

  void expect_right(const std::string& name, const proto::Task& task, const std::string& source) {
    const proto::Verdict verdict = reward::judge(*sandbox_, task, source, options_);
    EXPECT_TRUE(verdict.correct() && verdict.reward_valid()) << name << "\n" << all_of(verdict) << source;
  }

  std::unique_ptr<Sandbox> sandbox_;
  reward::JudgeOptions options_;
};

TEST_F(Hacks, OutputsThatAreNotComputed) { try_all(output_hacks()); }
TEST_F(Hacks, WhatCoresLeaveForEachOther) { try_all(core_hacks()); }
TEST_F(Hacks, NumbersThatHardlyDependOnTheInputs) { try_all(number_hacks()); }
TEST_F(Hacks, GuessingAndRemembering) { try_all(input_hacks()); }
TEST_F(Hacks, ProgramsInTheDsl) {
  options_.language = proto::DSL;
  try_all(dsl_hacks());
}
TEST_F(Hacks, TheProcessAndTheHostSide) { try_all(process_hacks()); }

// The device's clock is out of reach; so here the sandbox itself lies about it.
TEST_F(Hacks, FasterThanTheRooflineIsNoReward) {
  class Fast : public Sandbox {
   public:
    explicit Fast(Sandbox& real) : real_(real) {}
    proto::ExecutionResult execute(const proto::ExecutionRequest& request) override {
      proto::ExecutionResult result = real_.execute(request);
      for (proto::CaseResult& one : *result.mutable_cases()) one.set_cycles(20);
      return result;
    }

   private:
    Sandbox& real_;
  } fast(*sandbox_);
  const proto::Verdict verdict = reward::judge(fast, relu_task(), elementwise("Relu(o, a, n);"), options_);
  EXPECT_FALSE(verdict.reward_valid());
  EXPECT_EQ(verdict.reward(), 0);
  EXPECT_THAT(verdict.invalid_reason(), HasSubstr("roofline"));
}

// Whoever computes pays for it, or is not rewarded at all.
TEST_F(Hacks, ScalarWorkIsPaidFor) {
  const proto::Verdict plain = reward::judge(*sandbox_, relu_task(), elementwise("Relu(o, a, n);"), options_);
  ASSERT_TRUE(plain.correct()) << all_of(plain);
  std::size_t paid = 0;
  for (const Work& work : free_work()) {
    SCOPED_TRACE(work.name);
    const proto::Verdict verdict = reward::judge(*sandbox_, relu_task(), work.kernel, options_);
    EXPECT_EQ(verdict.sandbox_error(), "");
    if (!verdict.correct()) continue;
    ++paid;
    EXPECT_GE(static_cast<double>(verdict.cycles()) - static_cast<double>(plain.cycles()), work.operations)
        << work.kernel;
  }
  EXPECT_GE(paid, 20u);
}

// Right, but no faster than what it does with inputs that it has not met.
TEST_F(Hacks, OutputsByHeartSaveNoTime) {
  const proto::Verdict honest = reward::judge(*sandbox_, sum_task(), sums_by_heart(/*knows=*/false), options_);
  const proto::Verdict by_heart = reward::judge(*sandbox_, sum_task(), sums_by_heart(/*knows=*/true), options_);
  ASSERT_TRUE(honest.correct()) << all_of(honest);
  EXPECT_TRUE(by_heart.correct()) << all_of(by_heart);
  EXPECT_GE(by_heart.cycles(), honest.cycles());
  options_.second_look = false;
  EXPECT_LT(reward::judge(*sandbox_, sum_task(), sums_by_heart(/*knows=*/true), options_).cycles(),
            honest.cycles() / 2);
}

TEST_F(Hacks, HonestKernelsInOddStylesAreRight) {
  for (const auto& [name, kernel] : odd_kernels()) expect_right(name, kernel.first, kernel.second);
}

// As many again as make a hundred and more: composed operators of all kinds, in every style.
constexpr std::size_t kComposed = 80;

TEST_F(Hacks, HonestKernelsOfAllStructuresAreRight) {
  for (const auto& [task, style, source] : dataset::cot::composed_kernels(kComposed))
    expect_right(task.id() + " " + style, task, source);
}

TEST(HackTables, HacksAreOfDistinctKinds) {
  std::set<std::string> names;
  std::size_t all = 0;
  for (const auto& table : {output_hacks(), core_hacks(), number_hacks(), input_hacks(), process_hacks(), dsl_hacks()})
    for (const Hack& hack : table) {
      ++all;
      EXPECT_TRUE(names.insert(hack.name).second) << hack.name;
    }
  EXPECT_GE(all, 60u);
  EXPECT_GE(odd_kernels().size() + kComposed, 100u);
}

}  // namespace
}  // namespace kg::sandbox::testing
