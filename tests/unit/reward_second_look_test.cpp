#include <gtest/gtest.h>

#include <algorithm>
#include <functional>

#include "operators/golden.h"
#include "operators/number_format.h"
#include "reward/judge.h"
#include "reward/second_look.h"

namespace kg::reward {
namespace {

// A device that computes what the test says, in C++; it keeps what it was asked.
class ComputingSandbox : public sandbox::Sandbox {
 public:
  using Compute = std::function<proto::CaseResult(const proto::RunCase&, std::uint64_t order)>;
  explicit ComputingSandbox(Compute compute) : compute_(std::move(compute)) {}
  proto::ExecutionResult execute(const proto::ExecutionRequest& request) override {
    requests.push_back(request);
    proto::ExecutionResult result;
    result.set_compiled(true);
    if (fails_from > 0 && requests.size() >= fails_from) {
      result.set_sandbox_error("no room");
      return result;
    }
    for (const proto::RunCase& one : request.cases()) *result.add_cases() = compute_(one, request.core_order_seed());
    return result;
  }
  std::vector<proto::ExecutionRequest> requests;
  std::size_t fails_from = 0;

 private:
  Compute compute_;
};

proto::CaseResult each(const proto::RunCase& run_case, const std::function<double(double)>& f) {
  proto::CaseResult result;
  result.set_ran(true);
  result.set_cycles(20000);
  proto::Tensor& output = *result.add_outputs();
  output = run_case.inputs(0);
  output.set_dtype(proto::FLOAT32);
  for (std::size_t i = 0; i < output.data().size() / 4; ++i)
    operators::write_element(
        proto::FLOAT32, output.mutable_data()->data(), i,
        f(operators::read_element(run_case.inputs(0).dtype(), run_case.inputs(0).data().data(), i)));
  return result;
}
double relu(double x) { return std::max(x, 0.0); }
proto::CaseResult right(const proto::RunCase& one, std::uint64_t) { return each(one, relu); }

proto::Task relu_task() {
  proto::Task task;
  task.set_id("relu");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.mutable_graph()->set_input_count(1);
  task.mutable_graph()->add_nodes()->set_op("relu");
  task.mutable_graph()->mutable_nodes(0)->add_inputs(0);
  task.mutable_graph()->add_outputs(1);
  proto::TaskCase& one = *task.add_cases();
  one.set_seed(1);
  for (proto::TensorSpec* spec : {one.add_inputs(), one.add_outputs()}) {
    spec->set_dtype(proto::FLOAT32);
    spec->add_shape(4096);
  }
  one.mutable_inputs(0)->mutable_distribution()->set_kind(proto::Distribution::NORMAL);
  one.mutable_inputs(0)->mutable_distribution()->set_high(1);
  return task;
}

TEST(SecondLook, KernelThatComputesIsBelievedAndSawOtherInputsInAnotherOrder) {
  ComputingSandbox sandbox(right);
  EXPECT_EQ(judge(sandbox, relu_task(), "kernel", {}).stage(), proto::CORRECT);
  ASSERT_EQ(sandbox.requests.size(), 2u);
  EXPECT_NE(sandbox.requests[0].cases(0).inputs(0).data(), sandbox.requests[1].cases(0).inputs(0).data());
  EXPECT_NE(sandbox.requests[1].core_order_seed(), 0u);
  // The same for the same program, another for another.
  judge(sandbox, relu_task(), "kernel", {});
  judge(sandbox, relu_task(), "kernel ", {});
  EXPECT_EQ(sandbox.requests[1].SerializeAsString(), sandbox.requests[3].SerializeAsString());
  EXPECT_NE(sandbox.requests[1].cases(0).inputs(0).data(), sandbox.requests[5].cases(0).inputs(0).data());
}

TEST(SecondLook, OutputsByHeartAreNotCorrect) {
  const proto::Task task = relu_task();
  proto::RunCase known;
  *known.add_inputs() = operators::make_inputs(task.cases(0))[0];
  ComputingSandbox sandbox([&](const proto::RunCase&, std::uint64_t) { return each(known, relu); });
  const proto::Verdict verdict = judge(sandbox, task, "kernel", {});
  EXPECT_EQ(verdict.stage(), proto::COMPARE);
  EXPECT_EQ(verdict.cases_passed(), 0u);
  ASSERT_EQ(verdict.faults_size(), 1);
  EXPECT_EQ(verdict.faults(0).fault_class(), "second look");
}

TEST(SecondLook, RoundingDecidesNothing) {
  ComputingSandbox sandbox([](const proto::RunCase& one, std::uint64_t order) {
    return each(one, [&](double x) { return relu(x) * (order == 0 ? 1.0005 : 1.005); });
  });
  EXPECT_EQ(judge(sandbox, relu_task(), "kernel", {}).stage(), proto::CORRECT);
}

TEST(SecondLook, WrongKernelsAreRunOnce) {
  ComputingSandbox sandbox(
      [](const proto::RunCase& one, std::uint64_t) { return each(one, [](double x) { return x; }); });
  EXPECT_EQ(judge(sandbox, relu_task(), "kernel", {}).stage(), proto::COMPARE);
  EXPECT_EQ(sandbox.requests.size(), 1u);
}

TEST(SecondLook, SandboxFaultInItIsNoVerdict) {
  ComputingSandbox sandbox(right);
  sandbox.fails_from = 2;
  const proto::Verdict verdict = judge(sandbox, relu_task(), "kernel", {});
  EXPECT_FALSE(verdict.reward_valid());
  EXPECT_EQ(verdict.sandbox_error(), "no room");
}

class ImportedSecondLook : public ::testing::Test {
 protected:
  ImportedSecondLook() {
    *run_case_.add_inputs() = operators::make_inputs(relu_task().cases(0))[0];
    first_ = each(run_case_, relu);
  }
  std::string doubt(const ComputingSandbox::Compute& compute) {
    ComputingSandbox sandbox(compute);
    return second_look_imported(
               sandbox, run_case_, first_, {},
               [&](const proto::CaseResult& found) { return found.outputs(0).data() == first_.outputs(0).data(); })
        .reason;
  }
  proto::RunCase run_case_;
  proto::CaseResult first_;
};

TEST_F(ImportedSecondLook, OutputsMustHangOnTheInputs) {
  EXPECT_EQ(doubt(right), "");
  EXPECT_NE(doubt([&](const proto::RunCase&, std::uint64_t) { return first_; }).find("do not hang on the inputs"),
            std::string::npos);
}

TEST_F(ImportedSecondLook, OutputsThatAreAllAlikeSayNothing) {
  const auto constant = [](const proto::RunCase& one, std::uint64_t) { return each(one, [](double) { return 1.0; }); };
  first_ = constant(run_case_, 0);
  EXPECT_EQ(doubt(constant), "");
}

TEST_F(ImportedSecondLook, IndicesAreLeftAlone) {
  proto::Tensor& input = *run_case_.mutable_inputs(0);
  input.set_dtype(proto::INT32);
  first_ = each(run_case_, relu);
  ComputingSandbox sandbox(right);
  EXPECT_EQ(second_look_imported(sandbox, run_case_, first_, {}, [](const proto::CaseResult&) { return true; }).reason,
            "");
  EXPECT_EQ(sandbox.requests.at(0).cases_size(), 1);
}

TEST_F(ImportedSecondLook, AnotherOrderOfTheCoresMustPassAgain) {
  EXPECT_NE(doubt([](const proto::RunCase& one, std::uint64_t order) {
              return each(one, [&](double x) { return order == 0 ? relu(x) : x; });
            }).find("another order of the cores"),
            std::string::npos);
}

// Other inputs may break what an operator asks of them.
TEST_F(ImportedSecondLook, RunWithOtherInputsThatDoesNotEndSaysNothing) {
  EXPECT_EQ(doubt([&](const proto::RunCase& one, std::uint64_t) {
              return one.inputs(0).data() == run_case_.inputs(0).data() ? first_ : proto::CaseResult();
            }),
            "");
}

TEST(Turned, IsAReversalAndAScale) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::FLOAT32);
  tensor.set_data(std::string(12, '\0'));
  for (std::size_t i = 0; i < 3; ++i)
    operators::write_element(proto::FLOAT32, tensor.mutable_data()->data(), i, static_cast<double>(i + 1));
  const proto::Tensor other = turned(tensor);
  for (std::size_t i = 0; i < 3; ++i)
    EXPECT_EQ(operators::read_element(proto::FLOAT32, other.data().data(), i), 0.75 * static_cast<double>(3 - i));
}

}  // namespace
}  // namespace kg::reward
