// Benchmarks whose bounds are wider than the outputs are large: what the judge does where zeros would pass.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numeric>

#include "operators/number_format.h"
#include "reward/check_width.h"
#include "reward/judge.h"

namespace kg::reward {
namespace {

constexpr int kCount = 512;

proto::Tensor tensor_of(proto::DType dtype, const std::vector<double>& values) {
  proto::Tensor made;
  made.set_dtype(dtype);
  made.add_shape(static_cast<std::int64_t>(values.size()));
  made.mutable_data()->resize(values.size() * (dtype == proto::FLOAT32 ? 4 : 2));
  for (std::size_t n = 0; n < values.size(); ++n)
    operators::write_element(dtype, made.mutable_data()->data(), n, values[n]);
  return made;
}

std::vector<double> inputs_from(std::uint64_t seed) {
  std::vector<double> x(kCount);
  for (int n = 0; n < kCount; ++n) x[n] = std::sin(0.37 * n + static_cast<double>(seed % 1000));
  return x;
}

// An operator that the benchmark gives: from x, in fp64.
using Operator = std::function<double(double)>;

BenchmarkCase case_of(const Operator& f, proto::DType dtype, std::uint64_t seed) {
  BenchmarkCase made;
  made.inputs = {tensor_of(dtype, inputs_from(seed))};
  const operators::GoldenTensor x = operators::to_golden(made.inputs[0]);
  operators::GoldenTensor wanted{{kCount}, x.values};
  for (double& value : wanted.values) value = f(value);
  made.golden = {tensor_of(dtype, wanted.values)};
  made.golden64 = {wanted};
  return made;
}

class ComputingDevice : public sandbox::Sandbox {
 public:
  ComputingDevice(Operator f, proto::DType dtype) : f_(std::move(f)), dtype_(dtype) {}
  proto::ExecutionResult execute(const proto::ExecutionRequest& request) override {
    proto::ExecutionResult result;
    result.set_compiled(true);
    for (const proto::RunCase& one : request.cases()) {
      proto::CaseResult& given = *result.add_cases();
      given.set_ran(true);
      given.set_cycles(50000);
      std::vector<double> values = operators::to_golden(one.inputs(0)).values;
      for (double& value : values) value = f_(value);
      *given.add_outputs() = tensor_of(dtype_, values);
    }
    return result;
  }

 private:
  Operator f_;
  proto::DType dtype_;
};

proto::Task task_of(proto::DType dtype) {
  proto::Task task;
  task.set_id("level2/Loss/Small");
  task.set_suite("npukernelbench");
  task.set_entry_point("custom_op");
  proto::TaskCase& one = *task.add_cases();
  for (proto::TensorSpec* spec : {one.add_inputs(), one.add_outputs()}) {
    spec->set_dtype(dtype);
    spec->add_shape(kCount);
  }
  one.mutable_check()->set_name("both");
  one.mutable_check()->set_absolute(1e-3);
  one.mutable_check()->set_relative(1e-3);
  proto::CheckedTensor& checked = *one.add_checked();
  checked.add_outputs(0);
  checked.set_dtype(dtype);
  checked.add_shape(kCount);
  checked.set_golden_dtype(dtype);
  checked.add_golden_shape(kCount);
  return task;
}

proto::Verdict verdict_on(const Operator& kernel, const Operator& reference, proto::DType dtype = proto::FLOAT32) {
  ComputingDevice device(kernel, dtype);
  JudgeOptions options;
  options.benchmark_cases.get = [&](const proto::Task&, int) { return case_of(reference, dtype, 1); };
  options.benchmark_cases.other = [&](const proto::Task&, int, const OtherInputs& inputs) {
    return std::optional(case_of(reference, dtype, inputs.seed));
  };
  return judge(device, task_of(dtype), "kernel", options);
}

double tiny(double x) { return 1e-4 * x * x * x; }  // below the checker's 1e-3

TEST(CheckWidth, ZerosAreNotRightWhereAllOutputsAreBelowTheCheckersBound) {
  EXPECT_TRUE(verdict_on(tiny, tiny).correct());
  const proto::Verdict zeros = verdict_on([](double) { return 0.0; }, tiny);
  EXPECT_EQ(zeros.stage(), proto::COMPARE);
  EXPECT_EQ(zeros.published().cases_passed(), 1u);  // the benchmark's own rule lets them pass
  EXPECT_EQ(verdict_on([](double x) { return 1e-4 * x; }, tiny).stage(), proto::COMPARE);
  EXPECT_EQ(verdict_on([](double x) { return 1.01 * tiny(x); }, tiny).stage(), proto::COMPARE);
}

TEST(CheckWidth, ConstantBesideTheOutputsIsNotRightEither) {
  const Operator flat = [](double x) { return 0.5 + 4e-4 * std::tanh(3 * x); };
  EXPECT_TRUE(verdict_on(flat, flat).correct());
  EXPECT_EQ(verdict_on([](double) { return 0.5; }, flat).stage(), proto::COMPARE);
}

TEST(CheckWidth, RoundingOfAKernelInHalfIsForgiven) {
  const auto rounded = [](double value) { return operators::round_to(proto::FLOAT16, value); };
  const Operator by_steps = [&](double x) { return rounded(rounded(rounded(x * x) * x) * 1e-3); };
  const Operator cube = [](double x) { return 1e-3 * x * x * x; };
  EXPECT_TRUE(verdict_on(by_steps, cube, proto::FLOAT16).correct());
  EXPECT_EQ(verdict_on([](double) { return 0.0; }, cube, proto::FLOAT16).stage(), proto::COMPARE);
}

TEST(CheckWidth, OperatorsThatAreSuchFunctionsStayWithTheirChecker) {
  for (const Operator& f : {Operator([](double) { return 0.25; }), Operator([](double x) { return 2 * x + 1; }),
                            Operator([](double x) { return x; }), Operator([](double x) { return std::exp(x); })}) {
    const BenchmarkCase first = case_of(f, proto::FLOAT32, 1), second = case_of(f, proto::FLOAT32, 2);
    google::protobuf::RepeatedPtrField<proto::Tensor> x, y;
    *x.Add() = first.inputs[0];
    *y.Add() = second.inputs[0];
    const proto::Task task = task_of(proto::FLOAT32);
    EXPECT_EQ(judged_by(task.cases(0).check(), {{x, first}, {y, second}}), std::vector{JudgedBy::kChecker});
  }
}

TEST(CheckWidth, CaseThatDoesNotTellIsNoResult) {
  // In half nobody can tell x + 3e-5 x^3 from x.
  const Operator nearly = [](double x) { return x + 3e-5 * x * x * x; };
  const proto::Verdict verdict = verdict_on(nearly, nearly, proto::FLOAT16);
  EXPECT_FALSE(verdict.reward_valid());
  EXPECT_NE(verdict.invalid_reason().find("case 0 of level2/Loss/Small"), std::string::npos)
      << verdict.invalid_reason();
}

TEST(CheckWidth, OutputsByHeartForTheTasksOwnInputsSaveNoTime) {
  class ByHeart : public ComputingDevice {
   public:
    using ComputingDevice::ComputingDevice;
    proto::ExecutionResult execute(const proto::ExecutionRequest& request) override {
      proto::ExecutionResult result = ComputingDevice::execute(request);
      for (int c = 0; c < result.cases_size(); ++c)
        if (request.cases(c).inputs(0).data() == case_of(tiny, proto::FLOAT32, 1).inputs[0].data())
          result.mutable_cases(c)->set_cycles(10000);
      return result;
    }
  } device(tiny, proto::FLOAT32);
  JudgeOptions options;
  options.benchmark_cases.get = [](const proto::Task&, int) { return case_of(tiny, proto::FLOAT32, 1); };
  options.benchmark_cases.other = [](const proto::Task&, int, const OtherInputs& inputs) {
    return std::optional(case_of(tiny, proto::FLOAT32, inputs.seed));
  };
  EXPECT_EQ(judge(device, task_of(proto::FLOAT32), "kernel", options).cycles(), 50000u);
}

}  // namespace
}  // namespace kg::reward
