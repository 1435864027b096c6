#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "proto/message_json.h"
#include "reward/baseline.h"
#include "reward/judge.h"
#include "reward/judge_version.h"
#include "reward/tolerance.h"
#include "reward/verdict.h"

namespace kg::reward {
namespace {

// A sandbox whose result the test states; it also keeps what it was asked.
class StatedSandbox : public sandbox::Sandbox {
 public:
  proto::ExecutionResult result;
  proto::ExecutionRequest request;
  proto::ExecutionResult execute(const proto::ExecutionRequest& asked) override {
    request = asked;
    return result;
  }
};

// Stated results know nothing of other inputs.
const JudgeOptions kOnce{.second_look = false};

proto::Task relu_task() {
  proto::Task task;
  task.set_id("relu");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.mutable_graph()->set_input_count(1);
  proto::GraphNode& node = *task.mutable_graph()->add_nodes();
  node.set_op("relu");
  node.add_inputs(0);
  task.mutable_graph()->add_outputs(1);
  for (int i = 0; i < 2; ++i) {
    proto::TaskCase& task_case = *task.add_cases();
    task_case.set_seed(static_cast<std::uint64_t>(i + 1));
    for (proto::TensorSpec* spec : {task_case.add_inputs(), task_case.add_outputs()}) {
      spec->set_dtype(proto::FLOAT32);
      spec->add_shape(4096);
    }
    task_case.mutable_inputs(0)->mutable_distribution()->set_low(-1);
    task_case.mutable_inputs(0)->mutable_distribution()->set_high(1);
  }
  return task;
}

proto::ExecutionResult right_result(const proto::Task& task) {
  proto::ExecutionResult result;
  result.set_compiled(true);
  for (const proto::TaskCase& task_case : task.cases()) {
    proto::CaseResult& case_result = *result.add_cases();
    case_result.set_ran(true);
    case_result.set_cycles(12000);
    proto::Tensor& output = *case_result.add_outputs();
    output = operators::make_inputs(task_case)[0];
    for (std::size_t i = 0; i < 4096; ++i)
      operators::write_element(proto::FLOAT32, output.mutable_data()->data(), i,
                               std::max(0.0, operators::read_element(proto::FLOAT32, output.data().data(), i)));
  }
  return result;
}

TEST(Judge, CorrectKernelGetsSpeedupAgainstTheBaseline) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  const proto::Verdict verdict = judge(sandbox, task, "kernel", kOnce);
  EXPECT_EQ(verdict.stage(), proto::CORRECT);
  EXPECT_TRUE(verdict.correct());
  EXPECT_TRUE(verdict.reward_valid());
  EXPECT_EQ(verdict.reward(), 1.0);
  EXPECT_EQ(verdict.cases_passed(), 2u);
  // By hand: 32,768 bytes at 1.46 TB/s are 22.44 ns, / 0.8 = 28.05 ns, + 5,000 ns, at 1.85 GHz 9,301.9 cycles.
  EXPECT_EQ(verdict.baseline_cycles(), 2u * 9302u);
  EXPECT_DOUBLE_EQ(verdict.speedup(), 2.0 * 9302 / 24000);
  const nlohmann::json json = proto::to_json(verdict);
  EXPECT_EQ(json["stage"], "correct");
  EXPECT_TRUE(json["sandbox_error"].is_null());
}

TEST(Judge, VerdictNamesTheJudge) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  const proto::Verdict verdict = judge(sandbox, task, "kernel", kOnce);
  EXPECT_EQ(verdict.judge_version(), judge_version());
  EXPECT_EQ(proto::to_json(verdict).at("judge_version"), judge_version());
}

TEST(Judge, ExpectedOutputsAreNotInTheRequest) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  judge(sandbox, task, "kernel", kOnce);
  for (const proto::RunCase& run_case : sandbox.request.cases()) EXPECT_EQ(run_case.inputs_size(), 1);
  EXPECT_EQ(sandbox.request.SerializeAsString().find(sandbox.result.cases(0).outputs(0).data()), std::string::npos);
}

TEST(Judge, OneWrongElementInOneCaseEndsAtCompareAndNamesIt) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  operators::write_element(proto::FLOAT32, sandbox.result.mutable_cases(1)->mutable_outputs(0)->mutable_data()->data(),
                           77, 5.0);
  const proto::Verdict verdict = judge(sandbox, task, "kernel", kOnce);
  EXPECT_EQ(verdict.stage(), proto::COMPARE);
  EXPECT_EQ(verdict.cases_passed(), 1u);
  ASSERT_EQ(verdict.faults_size(), 1);
  EXPECT_NE(verdict.faults(0).message().find("element 77"), std::string::npos) << verdict.faults(0).message();
  EXPECT_DOUBLE_EQ(verdict.reward(), 0.2 + 0.1 * 0.5);
  EXPECT_EQ(verdict.speedup(), 0);
}

TEST(Judge, RightNumbersWithAnErrorFaultEndAtCheck) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  proto::Fault& fault = *sandbox.result.mutable_cases(0)->add_faults();
  fault.set_severity(proto::WARNING);
  EXPECT_EQ(judge(sandbox, task, "kernel", kOnce).stage(), proto::CORRECT);
  fault.set_severity(proto::ERROR);
  EXPECT_EQ(judge(sandbox, task, "kernel", kOnce).stage(), proto::CHECK);
}

TEST(Judge, SandboxFaultIsNeverARewardOfZero) {
  StatedSandbox sandbox;
  sandbox.result.set_sandbox_error("no compiler");
  const proto::Verdict verdict = judge(sandbox, relu_task(), "kernel", kOnce);
  EXPECT_FALSE(verdict.reward_valid());
  EXPECT_EQ(verdict.sandbox_error(), "no compiler");
}

TEST(Judge, FasterThanTheRooflineMakesTheRewardInvalid) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result = right_result(task);
  sandbox.result.mutable_cases(0)->set_cycles(20);
  const proto::Verdict verdict = judge(sandbox, task, "kernel", kOnce);
  EXPECT_FALSE(verdict.reward_valid());
  EXPECT_NE(verdict.invalid_reason().find("roofline"), std::string::npos);
}

TEST(Judge, CompileErrorAndTrapEndWhereTheyHappened) {
  const proto::Task task = relu_task();
  StatedSandbox sandbox;
  sandbox.result.set_compiler_output("kernel.cpp:3: error");
  EXPECT_EQ(judge(sandbox, task, "kernel", kOnce).stage(), proto::COMPILE);
  sandbox.result = right_result(task);
  sandbox.result.mutable_cases(1)->set_ran(false);
  EXPECT_EQ(judge(sandbox, task, "kernel", kOnce).stage(), proto::RUN);
  EXPECT_EQ(verdict_without_kernel(task, "no code block", {}).stage(), proto::REJECTED);
}

TEST(Tolerance, BoundsAreTheDesignPages) {
  proto::Tensor found;
  found.set_dtype(proto::FLOAT16);
  found.mutable_data()->resize(2);
  const auto passes = [&](double value, double wanted, double bound) {
    operators::write_element(proto::FLOAT16, found.mutable_data()->data(), 0, value);
    return compare(found, {{1}, {wanted}}, bound).equal;
  };
  EXPECT_TRUE(passes(1.0 + 2.0 / 1024, 1.0, 0));  // two units in the last place, above 1e-3
  EXPECT_FALSE(passes(1.0 + 3.0 / 1024, 1.0, 0));
  EXPECT_TRUE(passes(1.0 + 3.0 / 1024, 1.0, 0.003));
  EXPECT_TRUE(passes(INFINITY, 70000.0, 0));  // overflows in half
  EXPECT_FALSE(passes(INFINITY, 60000.0, 1e9));
  EXPECT_TRUE(passes(NAN, NAN, 0));
  EXPECT_FALSE(passes(0.0, NAN, 1e9));
  EXPECT_FALSE(passes(NAN, 0.0, 1e9));
}

// A computation in half rounds numbers off by up to 2^-11, one in float by 2^-24 a step.
TEST(Tolerance, HalfIsSeenWhereFloatIsAskedFor) {
  proto::Tensor found;
  found.set_dtype(proto::FLOAT32);
  found.mutable_data()->resize(4 * 1000);
  operators::GoldenTensor wanted{{1000}, std::vector<double>(1000)};
  for (std::size_t n = 0; n < 1000; ++n) wanted.values[n] = std::exp(-2 + 0.004 * static_cast<double>(n));
  for (const auto& [dtype, equal] :
       {std::pair(proto::FLOAT32, true), {proto::FLOAT16, false}, {proto::BFLOAT16, false}}) {
    for (std::size_t n = 0; n < 1000; ++n)
      operators::write_element(proto::FLOAT32, found.mutable_data()->data(), n,
                               operators::round_to(dtype, wanted.values[n]));
    EXPECT_EQ(compare(found, wanted, 1e-6).equal, equal) << proto::dtype_name(dtype);
  }
}

TEST(RewardConfig, PresetsOrderAndRoundTrip) {
  for (const std::string& name : reward_presets()) {
    const RewardConfig config = reward_preset(name);
    EXPECT_EQ(to_json(reward_config_from_json(to_json(config))), to_json(config));
    proto::Verdict verdict;
    verdict.set_speedup(1.2);
    verdict.set_cases_total(1);
    double last = -10;
    for (const proto::Stage stage :
         {proto::REJECTED, proto::COMPILE, proto::RUN, proto::COMPARE, proto::CHECK, proto::CORRECT}) {
      verdict.set_stage(stage);
      EXPECT_GE(reward_of(verdict, config), last) << name;
      last = reward_of(verdict, config);
    }
  }
  proto::Verdict correct;
  correct.set_stage(proto::CORRECT);
  correct.set_speedup(1.2);
  EXPECT_DOUBLE_EQ(reward_of(correct, reward_preset("binary")), 1);
  EXPECT_DOUBLE_EQ(reward_of(correct, reward_preset("kevin")), 1.5);
  EXPECT_DOUBLE_EQ(reward_of(correct, reward_preset("cuda-agent")), 3);
  correct.set_speedup(50);
  EXPECT_DOUBLE_EQ(reward_of(correct, reward_preset("kevin")), 5.3);
  EXPECT_THROW(reward_preset("kevn"), Error);
}

}  // namespace
}  // namespace kg::reward
