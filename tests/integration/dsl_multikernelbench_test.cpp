#include "tests/integration/dsl_multikernelbench.h"

#include <cstdio>

#include "tests/integration/dsl_fixture.h"

// MultiKernelBench's seven categories that AscendCraft (arXiv 2601.22760) reports: 52 tasks as programs in the DSL, on
// 48 cores, at full size where that takes seconds, else with fewer rows. Expected values are computed here, in double,
// from the definitions of the operators.
namespace kg::dsl::testing {
namespace {

constexpr int kCores = 48;
constexpr double kHertz = 1.85e9;

// The baseline of the design page: each operator from and to global memory, 80 % efficient, 5 us a launch.
double baseline_cycles(const std::vector<Operator>& operators) {
  double seconds = 0;
  for (const Operator& each : operators) {
    const double memory = each.bytes / 1.46e12;
    const double vector = each.work * (each.simple / 64 + each.slow / 32) / kCores / kHertz;
    seconds += std::max(memory, vector) / 0.8 + 5e-6;
  }
  return seconds * kHertz;
}

std::string program_text(const std::string& name) {
  return read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/dsl_programs/" + name + ".dsl");
}

class MultiKernelBench : public ::testing::TestWithParam<std::string> {};

TEST_P(MultiKernelBench, ProgramIsCorrect) {
  const BenchmarkTask task = benchmark_task(GetParam());
  const std::string source = program_text(GetParam());
  const proto::ExecutionResult result =
      shared_sandbox().execute(request_for(source, task.inputs, {task.output}, kCores));
  ASSERT_EQ(errors_of(result), "") << lowered_text(source, task.inputs, {task.output}, kCores);
  std::vector<Values> inputs;
  for (const In& in : task.inputs) {
    inputs.push_back(in.values);
    for (double& value : inputs.back()) value = rounded_to(in.dtype, value);
  }
  // MultiKernelBench's own bound.
  EXPECT_EQ(difference(values_of(result.cases(0).outputs(0)), task.reference(inputs), 1e-4, 1e-4), "");
  const double baseline = baseline_cycles(task.operators), cycles = static_cast<double>(result.cases(0).cycles());
  std::printf("%-46s cycles %9.0f baseline %9.0f speed-up %.2f\n", GetParam().c_str(), cycles, baseline,
              baseline / cycles);
  RecordProperty("speedup", std::to_string(baseline / cycles));
}

std::string test_name(const ::testing::TestParamInfo<std::string>& info) {
  std::string name = info.param.substr(info.param.find('/') + 1);
  return name;
}

// Programs whose rows do not fit UB: the passes that the compiler writes, and those that a person wrote (by_hand/).
class WholeRows : public ::testing::TestWithParam<std::string> {};

TEST_P(WholeRows, TakeNoMoreCyclesThanByHand) {
  const BenchmarkTask task = benchmark_task(GetParam());
  const auto cycles = [&](const std::string& name) {
    const proto::ExecutionResult result =
        shared_sandbox().execute(request_for(program_text(name), task.inputs, {task.output}, kCores));
    EXPECT_EQ(errors_of(result), "");
    return result.cases_size() == 0 ? 0.0 : static_cast<double>(result.cases(0).cycles());
  };
  const double whole = cycles(GetParam()), by_hand = cycles("by_hand" + GetParam().substr(GetParam().find('/')));
  std::printf("%-46s cycles %9.0f by hand %9.0f: %.3f times\n", GetParam().c_str(), whole, by_hand, whole / by_hand);
  // Of a mean and a variance the compiler reads the row once more than a person who takes E[x^2] - E[x]^2, which
  // cancels.
  const bool varies =
      GetParam().ends_with("group_norm") || GetParam().ends_with("instance_norm") || GetParam().ends_with("layer_norm");
  EXPECT_LE(whole, (varies ? 1.45 : 1.05) * by_hand);
}

INSTANTIATE_TEST_SUITE_P(Dsl, WholeRows,
                         ::testing::Values("activation/log_softmax", "activation/softmax", "math/cumprod",
                                           "math/cumsum", "math/cumsum_exclusive", "math/cumsum_reverse",
                                           "math/masked_cumsum", "normalization/batch_norm", "normalization/group_norm",
                                           "normalization/instance_norm", "normalization/l1_norm",
                                           "normalization/l2_norm", "normalization/layer_norm"),
                         test_name);

INSTANTIATE_TEST_SUITE_P(Dsl, MultiKernelBench, ::testing::ValuesIn(benchmark_names()), test_name);

}  // namespace
}  // namespace kg::dsl::testing
