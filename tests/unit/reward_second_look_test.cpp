#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "operators/golden.h"
#include "operators/number_format.h"
#include "reward/imported_look.h"
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

// Two elements of 4096 are off, which were not with the task's own inputs; then eight.
TEST(SecondLook, RoundingDecidesNothing) {
  int off = 2;
  ComputingSandbox sandbox([&](const proto::RunCase& one, std::uint64_t order) {
    int left = order == 0 ? 0 : off;
    return each(one, [&](double x) { return x > 0.01 && left-- > 0 ? relu(x) * 1.0001 : relu(x); });
  });
  EXPECT_EQ(judge(sandbox, relu_task(), "kernel", {}).stage(), proto::CORRECT);
  off = 8;
  EXPECT_EQ(judge(sandbox, relu_task(), "kernel", {}).stage(), proto::COMPARE);
}

// The mean of |x| over 8000 numbers, in bfloat16: a constant passes for the inputs of the task.
proto::Task mean_task(double low, double high, proto::DType dtype) {
  proto::Task task;
  task.set_id("mean");
  task.set_entry_point("custom_op");
  task.set_block_dim(8);
  task.mutable_graph()->set_input_count(1);
  for (const char* op : {"abs", "mean_all"}) {
    proto::GraphNode& node = *task.mutable_graph()->add_nodes();
    node.set_op(op);
    node.add_inputs(task.graph().nodes_size() - 1);
  }
  task.mutable_graph()->add_outputs(2);
  proto::TaskCase& one = *task.add_cases();
  one.set_seed(1);
  proto::TensorSpec& input = *one.add_inputs();
  input.set_dtype(dtype);
  input.add_shape(8000);
  input.mutable_distribution()->set_low(low);
  input.mutable_distribution()->set_high(high);
  proto::TensorSpec& output = *one.add_outputs();
  output.set_dtype(dtype);
  output.add_shape(1);
  return task;
}

proto::CaseResult number(proto::DType dtype, double value) {
  proto::CaseResult result;
  result.set_ran(true);
  result.set_cycles(20000);
  proto::Tensor& output = *result.add_outputs();
  output.set_dtype(dtype);
  output.add_shape(1);
  output.mutable_data()->resize(dtype == proto::FLOAT32 ? 4 : 2);
  operators::write_element(dtype, output.mutable_data()->data(), 0, value);
  return result;
}

// Every `step`th number alone.
double mean_size(const proto::Tensor& x, std::size_t step) {
  double sum = 0;
  std::size_t count = 0;
  const std::size_t all = static_cast<std::size_t>(x.shape(0));
  for (std::size_t n = 0; n < all; n += step, ++count)
    sum += std::abs(operators::read_element(x.dtype(), x.data().data(), n));
  return sum / static_cast<double>(count);
}

TEST(SecondLook, MeanInBfloat16IsNeitherAConstantNorThatOfAFewOrHalfOfTheNumbers) {
  const proto::Task task = mean_task(-2, 2, proto::BFLOAT16);
  const auto stage = [&](const std::string& kernel, const std::function<double(const proto::Tensor&)>& mean) {
    ComputingSandbox sandbox(
        [&](const proto::RunCase& one, std::uint64_t) { return number(proto::BFLOAT16, mean(one.inputs(0))); });
    return judge(sandbox, task, kernel, {}).stage();
  };
  int constants = 0, few = 0, half = 0;
  for (int program = 0; program < 200; ++program) {  // the inputs of a second look depend on the program
    const std::string kernel = "kernel " + std::to_string(program);
    EXPECT_EQ(stage(kernel, [](const proto::Tensor& x) { return mean_size(x, 1); }), proto::CORRECT) << program;
    constants += stage(kernel, [](const proto::Tensor&) { return 1.0; }) == proto::CORRECT;
    few += stage(kernel, [](const proto::Tensor& x) { return mean_size(x, 125); }) == proto::CORRECT;
    half += stage(kernel, [](const proto::Tensor& x) { return mean_size(x, 2); }) == proto::CORRECT;
  }
  EXPECT_EQ(constants, 0);
  EXPECT_EQ(few, 0);
  RecordProperty("half", half);
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
  // `reference`: of the benchmark on other inputs; none: it is not at hand.
  std::string doubt(const ComputingSandbox::Compute& compute, const ComputingSandbox::Compute& reference = {}) {
    ComputingSandbox sandbox(compute);
    const BenchmarkCase expected = expected_of(first_);
    proto::Check check;
    check.set_name("exact");
    const ImportedCase one{
        .check = check,
        .asked = run_case_,
        .given = first_,
        .passes = [](const proto::CaseResult& found, const BenchmarkCase& wanted,
                     const std::vector<JudgedBy>&) { return found.outputs(0).data() == wanted.golden[0].data(); },
        .expected = expected,
        .other = [&](const OtherInputs& inputs) -> std::optional<BenchmarkCase> {
          if (!reference) return std::nullopt;
          proto::RunCase other = run_case_;
          *other.mutable_inputs(0) = shaken(run_case_.inputs(0), inputs.seed);
          BenchmarkCase made = expected_of(reference(other, 0));
          made.inputs = {other.inputs(0)};
          return made;
        },
        .large = large_};
    std::string reason = second_look_imported(sandbox, one, {}).reason;
    asked_ = sandbox.requests.at(0).cases_size();
    return reason;
  }
  static BenchmarkCase expected_of(const proto::CaseResult& result) {
    return {.inputs = {}, .golden = {result.outputs(0)}, .golden64 = {}, .no_golden64 = ""};
  }
  // The sum of all numbers.
  static proto::CaseResult sum(const proto::RunCase& one, std::uint64_t) {
    return number(proto::FLOAT32, mean_size(one.inputs(0), 1));
  }
  proto::RunCase run_case_;
  proto::CaseResult first_;
  int asked_ = 0;
  bool large_ = false;
};

TEST_F(ImportedSecondLook, OutputsMustDependOnTheInputs) {
  EXPECT_EQ(doubt(right), "");
  EXPECT_NE(doubt([&](const proto::RunCase&, std::uint64_t) { return first_; }).find("do not depend on the inputs"),
            std::string::npos);
}

TEST_F(ImportedSecondLook, OneNumberByHeartIsNoResult) {
  first_ = sum(run_case_, 0);
  EXPECT_EQ(doubt(sum), "");
  EXPECT_NE(doubt([&](const proto::RunCase&, std::uint64_t) { return first_; }).find("do not depend on the inputs"),
            std::string::npos);
}

TEST_F(ImportedSecondLook, OtherInputsMustGiveWhatTheReferenceGives) {
  first_ = sum(run_case_, 0);
  EXPECT_EQ(doubt(sum, sum), "");
  EXPECT_EQ(asked_, 5);  // again, drawn again, three times wide
  // By heart for the inputs that it knows, nearly right for others.
  const auto by_heart = [&](const proto::RunCase& one, std::uint64_t) {
    return one.inputs(0).data() == run_case_.inputs(0).data()
               ? first_
               : number(proto::FLOAT32, mean_size(one.inputs(0), 1) * 1.001);
  };
  EXPECT_NE(doubt(by_heart, sum).find("not what the benchmark's reference gives"), std::string::npos);
  // Nobody has the reference: all that can be said is that the outputs differ.
  EXPECT_EQ(doubt(by_heart), "");
}

TEST_F(ImportedSecondLook, LargeCaseIsRunOnceMore) {
  large_ = true;
  EXPECT_EQ(doubt(right, right), "");
  EXPECT_EQ(asked_, 1);  // wide
  EXPECT_NE(doubt([&](const proto::RunCase&, std::uint64_t) { return first_; }, right).find("with other inputs"),
            std::string::npos);
  EXPECT_EQ(doubt(right), "");
  EXPECT_EQ(asked_, 2);  // again, and blindly: nobody knows more
}

TEST_F(ImportedSecondLook, WholeNumbersSayNothing) {
  const auto constant = [](const proto::RunCase& one, std::uint64_t) { return each(one, [](double) { return 1.0; }); };
  first_ = constant(run_case_, 0);
  EXPECT_EQ(doubt(constant), "");
}

TEST_F(ImportedSecondLook, IndicesAreLeftAlone) {
  proto::Tensor& input = *run_case_.mutable_inputs(0);
  input.set_dtype(proto::INT32);
  first_ = each(run_case_, relu);
  EXPECT_EQ(doubt(right), "");
  EXPECT_EQ(asked_, 1);
}

TEST_F(ImportedSecondLook, AnotherOrderOfTheCoresMustPassAgain) {
  EXPECT_NE(doubt([](const proto::RunCase& one, std::uint64_t order) {
              return each(one, [&](double x) { return order == 0 ? relu(x) : x; });
            }).find("another order of the cores"),
            std::string::npos);
}

// Shaken inputs may break what an operator asks of them.
TEST_F(ImportedSecondLook, RunWithShakenInputsThatDoesNotEndSaysNothing) {
  EXPECT_EQ(doubt([&](const proto::RunCase& one, std::uint64_t) {
              return one.inputs(0).data() == run_case_.inputs(0).data() ? first_ : proto::CaseResult();
            }),
            "");
}

TEST(Shaken, ScalesEachNumberByAFactorOfItsOwn) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::FLOAT32);
  tensor.set_data(std::string(12, '\0'));
  for (std::size_t i = 0; i < 3; ++i) operators::write_element(proto::FLOAT32, tensor.mutable_data()->data(), i, -8);
  const proto::Tensor other = shaken(tensor, 7);
  std::set<double> values;
  for (std::size_t i = 0; i < 3; ++i) {
    values.insert(operators::read_element(proto::FLOAT32, other.data().data(), i));
    EXPECT_LE(*values.begin(), -4);
    EXPECT_GE(*values.begin(), -8);
  }
  EXPECT_EQ(values.size(), 3u);
}

}  // namespace
}  // namespace kg::reward
