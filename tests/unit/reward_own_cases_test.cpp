#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "npu/chip.h"
#include "operators/number_format.h"
#include "reward/baseline.h"
#include "reward/judge.h"

// Operators of the user's own: each result has bounds of its own, and sizes that nothing runs at are for programs in
// the DSL.
namespace kg::reward {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kCount = 64;

class StatedSandbox : public sandbox::Sandbox {
 public:
  proto::ExecutionResult result;
  proto::ExecutionRequest request;
  proto::ExecutionResult execute(const proto::ExecutionRequest& asked) override {
    request = asked;
    return result;
  }
};

double golden(std::size_t at) { return 1 + static_cast<double>(at); }

// One case of one input and one result, and a case of sizes alone.
proto::Task own_task() {
  proto::Task task;
  task.set_id("own/op");
  task.set_suite("own");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  for (const std::int64_t extent : {std::int64_t{kCount}, std::int64_t{1} << 30}) {
    proto::TaskCase& task_case = *task.add_cases();
    for (proto::TensorSpec* spec : {task_case.add_inputs(), task_case.add_outputs()}) {
      spec->set_dtype(proto::FLOAT32);
      spec->add_shape(extent);
    }
    task_case.mutable_inputs(0)->set_name("x");
    task_case.mutable_outputs(0)->set_name("out");
  }
  proto::CheckedTensor& checked = *task.mutable_cases(0)->add_checked();
  checked.add_outputs(0);
  checked.set_relative(1e-4);
  checked.set_absolute(1e-5);
  task.mutable_cases(0)->add_operator_bytes(1 << 20);
  task.mutable_cases(0)->add_operator_bytes(1 << 20);
  return task;
}

JudgeOptions options_of(proto::SourceLanguage language = proto::ASCENDC) {
  JudgeOptions options{.language = language, .second_look = false};
  options.benchmark_cases.get = [](const proto::Task& task, int index) {
    BenchmarkCase made;
    proto::Tensor& input = made.inputs.emplace_back();
    input.set_dtype(proto::FLOAT32);
    *input.mutable_shape() = task.cases(index).inputs(0).shape();
    input.set_data(std::string(4 * kCount, '\0'));
    made.golden64.emplace_back();
    for (std::size_t i = 0; i < kCount; ++i) made.golden64[0].values.push_back(golden(i));
    return made;
  };
  return options;
}

// What a kernel gives that is off by `relative` everywhere.
proto::ExecutionResult result_off_by(double relative) {
  proto::ExecutionResult result;
  result.set_compiled(true);
  proto::CaseResult& one = *result.add_cases();
  one.set_ran(true);
  one.set_cycles(20000);
  proto::Tensor& output = *one.add_outputs();
  output.set_dtype(proto::FLOAT32);
  output.add_shape(kCount);
  output.set_data(std::string(4 * kCount, '\0'));
  for (std::size_t i = 0; i < kCount; ++i)
    operators::write_element(proto::FLOAT32, output.mutable_data()->data(), i, golden(i) * (1 + relative));
  return result;
}

TEST(OwnCases, ResultsAreHeldToTheBoundsOfTheCase) {
  StatedSandbox sandbox;
  sandbox.result = result_off_by(5e-5);
  proto::Verdict verdict = judge(sandbox, own_task(), "kernel", options_of());
  EXPECT_TRUE(verdict.correct()) << verdict.DebugString();
  EXPECT_EQ(verdict.cases_total(), 1u) << "sizes alone are no case";
  EXPECT_EQ(verdict.baseline_cycles(), operators_baseline_cycles(own_task().cases(0)));
  EXPECT_FALSE(verdict.has_published());
  sandbox.result = result_off_by(5e-4);
  verdict = judge(sandbox, own_task(), "kernel", options_of());
  EXPECT_EQ(verdict.stage(), proto::COMPARE);
  ASSERT_EQ(verdict.faults_size(), 1);
  EXPECT_THAT(verdict.faults(0).message(), HasSubstr("64 of 64 elements of output out are wrong"));
  EXPECT_THAT(verdict.faults(0).message(), HasSubstr("relative 0.0001, absolute 1e-05"));
}

TEST(OwnCases, TheFullSizeIsToldForProgramsInTheDslAlone) {
  StatedSandbox sandbox;
  sandbox.result = result_off_by(0);
  judge(sandbox, own_task(), "kernel", options_of());
  EXPECT_EQ(sandbox.request.lowered_for_size(), 0);
  judge(sandbox, own_task(), "kernel", options_of(proto::DSL));
  ASSERT_EQ(sandbox.request.lowered_for_size(), 1);
  EXPECT_EQ(sandbox.request.lowered_for(0).inputs(0).shape(0), 1 << 30);
  EXPECT_EQ(sandbox.request.lowered_for(0).inputs(0).name(), "x");
}

// The Cube unit: 24 cores at 1.85 GHz, each 16 x 16 products a cycle and 4 (float) or 16 (half) along k.
TEST(OwnCases, TheBaselineCountsProducts) {
  proto::TaskCase task_case = own_task().cases(0);
  const std::uint64_t moved = operators_baseline_cycles(task_case);
  task_case.add_operator_products(0);
  task_case.add_operator_products(0);
  EXPECT_EQ(operators_baseline_cycles(task_case), moved);
  const std::uint64_t steps = 1'000'000;
  task_case.set_operator_products(1, steps * 16 * 16 * 4 * 24);
  const double memory = (1 << 20) / npu::chip::kMeasuredBytesPerSecond * npu::chip::kHertz;
  EXPECT_NEAR(static_cast<double>(operators_baseline_cycles(task_case)),
              static_cast<double>(moved) + (steps - memory) / 0.8, 2);
  task_case.mutable_inputs(0)->set_dtype(proto::FLOAT16);
  EXPECT_NEAR(static_cast<double>(operators_baseline_cycles(task_case)),
              static_cast<double>(moved) + (steps / 4.0 - memory) / 0.8, 2);
}

TEST(OwnCases, TimeLimitsGrowWithTheWork) {
  StatedSandbox sandbox;
  sandbox.result = result_off_by(0);
  proto::Task task = own_task();
  judge(sandbox, task, "kernel", options_of());
  EXPECT_NEAR(sandbox.request.limits().run_seconds(), 10, 1);
  EXPECT_EQ(sandbox.request.limits().compile_seconds(), 20);
  task.mutable_cases(0)->add_operator_products(0);
  task.mutable_cases(0)->add_operator_products(2'000'000'000);
  judge(sandbox, task, std::string(1 << 16, ' '), options_of());
  EXPECT_GT(sandbox.request.limits().run_seconds(), 30);
  EXPECT_GT(sandbox.request.limits().compile_seconds(), 60);
  task.mutable_cases(0)->set_operator_products(1, 1ull << 50);
  judge(sandbox, task, std::string(1 << 20, ' '), options_of());
  EXPECT_EQ(sandbox.request.limits().run_seconds(), 600);
  EXPECT_EQ(sandbox.request.limits().compile_seconds(), 600);
  JudgeOptions options = options_of();
  options.limits.set_run_seconds(3);
  options.limits.set_compile_seconds(4);
  judge(sandbox, task, "kernel", options);
  EXPECT_EQ(sandbox.request.limits().run_seconds(), 3);
  EXPECT_EQ(sandbox.request.limits().compile_seconds(), 4);
}

TEST(OwnCases, WithoutTheirTensorsThereIsAnError) {
  StatedSandbox sandbox;
  JudgeOptions options = options_of();
  options.only_case = 1;
  EXPECT_THROW(judge(sandbox, own_task(), "kernel", options), Error);
  options.only_case = 0;
  options.benchmark_cases = {};
  EXPECT_THROW(judge(sandbox, own_task(), "kernel", options), Error);
}

}  // namespace
}  // namespace kg::reward
