#include <algorithm>
#include <cstdio>
#include <ctime>

#include "tests/integration/dsl_fixture.h"

namespace kg::dsl::testing {
namespace {

using ::testing::Eq;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr const char* kScale =
    "kernel k(x: half[R, C]) -> z: half[R, C]:\n  for r in cores(R):\n    store z[r, :] = load x[r, :] * 2\n";

TEST(DslSandbox, ProgramThatCannotBeLoweredIsRejectedWithItsReason) {
  const auto result = shared_sandbox().execute(
      request_for("kernel k(x: half[N]) -> z: half[N]:\n  store z[:] = expp(load x[:])\n",
                  {{proto::FLOAT16, {64}, numbers(64, 0, 1, 1)}}, {{proto::FLOAT16, {64}}}, 1));
  EXPECT_TRUE(result.rejected());
  EXPECT_FALSE(result.compiled());
  EXPECT_EQ(result.sandbox_error(), "");
  EXPECT_THAT(result.compiler_output(),
              Eq("kernel.dsl:2: expp(load x[:]): there is no function expp; did you mean exp?\n"));
}

TEST(DslSandbox, CasesOfOtherShapesAreLoweredApart) {
  auto request =
      request_for(kScale, {{proto::FLOAT16, {6, 100}, numbers(600, -1, 1, 1)}}, {{proto::FLOAT16, {6, 100}}}, 4);
  *request.add_cases() =
      request_for(kScale, {{proto::FLOAT16, {2, 3, 64}, numbers(384, -1, 1, 2)}}, {{proto::FLOAT16, {2, 3, 64}}}, 4)
          .cases(0);
  const auto result = shared_sandbox().execute(request);
  ASSERT_EQ(errors_of(result), "");
  ASSERT_EQ(result.cases_size(), 2);
  for (int i = 0; i < 2; ++i) {
    const Values in = values_of(request.cases(i).inputs(0)), out = values_of(result.cases(i).outputs(0));
    for (std::size_t n = 0; n < in.size(); ++n) ASSERT_EQ(out[n], 2 * in[n]);
  }
}

TEST(DslSandbox, FaultsNameLinesOfTheProgram) {
  // Where the index comes from data only the run can tell.
  In where{proto::INT32, {1}, {1 << 20}};
  const auto result = shared_sandbox().execute(request_for(
      "kernel k(x: float[8, 64], i: int32[1]) -> z: float[64]:\n  n = load i[0]\n  store z[:] = load x[n, :]\n",
      {{proto::FLOAT32, {8, 64}, numbers(512, 0, 1, 1)}, where}, {{proto::FLOAT32, {64}}}, 1));
  ASSERT_TRUE(result.compiled()) << result.compiler_output();
  ASSERT_EQ(result.cases_size(), 1);
  ASSERT_GE(result.cases(0).faults_size(), 1);
  EXPECT_EQ(result.cases(0).faults(0).fault_class(), "gm");
  EXPECT_EQ(result.cases(0).faults(0).line(), 3);
}

TEST(DslSandbox, ShortTilesMayLieOutsideAPaddedTensor) {
  // The last tile of 0 .. 68 has 5 elements, those 6 in front of 0 and 6 behind 67 none inside.
  const auto request = request_for(
      "kernel k(x: float[R, C]) -> z: float[R, M]:\n  for r, t in cores(R, tiles(M, 64)):\n    a = load x[r, t + 6] "
      "pad 2\n"
      "    b = load x[r, t - 6] pad 3\n    store z[r, t] = a - b\n",
      {{proto::FLOAT32, {3, 67}, numbers(201, -1, 1, 5)}}, {{proto::FLOAT32, {3, 69}}}, 4);
  const auto result = shared_sandbox().execute(request);
  ASSERT_EQ(errors_of(result), "");
  const Values in = values_of(request.cases(0).inputs(0)), out = values_of(result.cases(0).outputs(0));
  const auto at = [&](int row, int i, double pad) {
    return i < 0 || i >= 67 ? pad : in[static_cast<std::size_t>(row * 67 + i)];
  };
  for (int row = 0; row < 3; ++row)
    for (int i = 0; i < 69; ++i)
      ASSERT_FLOAT_EQ(static_cast<float>(out[static_cast<std::size_t>(row * 69 + i)]),
                      static_cast<float>(at(row, i + 6, 2) - at(row, i - 6, 3)));
}

TEST(DslSandbox, ProjectsLaunchWhatTheyWereLoweredForAndRefuseOtherShapes) {
  const std::string source =
      "kernel MeanSquare(x: float[N]) -> z: float[1]:\n  s = 0\n  for t in cores(tiles(N)):\n    s += sum(load x[t] ** "
      "2)\n"
      "  store z[0] = all_sum(s) / N\n";
  const In in{proto::FLOAT32, {3000}, numbers(3000, -1, 1, 1)};
  LowerOptions options;
  options.bindings = bindings_for({in}, {{proto::FLOAT32, {1}}}, 6);
  options.want_project = true;
  const Lowered lowered = lower(source, options);
  ASSERT_TRUE(lowered.ok) << lowered.refusal;
  proto::ExecutionRequest request = request_for("", {in}, {{proto::FLOAT32, {1}}}, 6, proto::ASCENDC);
  request.mutable_cases(0)->mutable_inputs(0)->set_name("x");
  request.mutable_cases(0)->mutable_outputs(0)->set_name("z");
  for (const ProjectPart& part : lowered.project) {
    proto::ProjectFile& file = *request.add_project();
    file.set_path(part.path);
    file.set_content(part.text);
  }
  const auto result = shared_sandbox().execute(request);
  ASSERT_EQ(errors_of(result), "") << result.compiler_output() << lowered.project[1].text << lowered.project[2].text;
  EXPECT_EQ(result.cases(0).host().block_dim(), 6u);
  double wanted = 0;
  for (const double value : in.values) wanted += value * value / 3000;
  EXPECT_NEAR(values_of(result.cases(0).outputs(0)).at(0), wanted, 1e-5);
  const In other{proto::FLOAT32, {1000}, numbers(1000, -1, 1, 1)};
  *request.mutable_cases(0) = request_for("", {other}, {{proto::FLOAT32, {1}}}, 6).cases(0);
  request.mutable_cases(0)->mutable_inputs(0)->set_name("x");
  request.mutable_cases(0)->mutable_outputs(0)->set_name("z");
  EXPECT_THAT(errors_of(shared_sandbox().execute(request)), HasSubstr("[host]"));
}

TEST(DslSandbox, ExamplesOfTheLanguagePageRun) {
  const std::string page = read_file(std::string(KG_SOURCE_DIR) + "/docs/reference/dsl.md");
  int examples = 0;
  for (std::size_t at = page.find("```dsl\n"); at != std::string::npos; at = page.find("```dsl\n", at + 1)) {
    const std::size_t begin = at + 7, end = page.find("```", begin);
    const std::string source = page.substr(begin, end - begin);
    LowerOptions options;
    options.bindings.names = {{"R", 20}, {"C", 1000}, {"M", 300}, {"N", 20000}, {"K", 500}};
    if (source.find("gemm") != std::string::npos) options.bindings.names["N"] = 700;
    options.bindings.cores = 8;
    if (source.find("tensors(") != std::string::npos)  // lists are a task's
      for (const char* name : {"x", "x", "y", "y", "z", "z"})
        options.bindings.tensors.push_back(
            {.dtype = proto::FLOAT16, .shape = {20, 100}, .name = name, .output = name[0] == 'z', .listed = true});
    options.entry_point = "custom_op";
    for (const bool compact : {false, true}) {
      options.compact = compact;
      const Lowered lowered = lower(source, options);
      ASSERT_TRUE(lowered.ok) << lowered.refusal << "\n" << source;
      proto::ExecutionRequest request;
      request.set_source(lowered.source);
      request.set_entry_point("custom_op");
      request.mutable_limits()->set_compile_seconds(60);
      const auto result = shared_sandbox().execute(request);
      EXPECT_TRUE(result.compiled()) << result.compiler_output() << result.sandbox_error() << lowered.source;
    }
    ++examples;
  }
  EXPECT_GE(examples, 6);
}

TEST(DslSandbox, LoweringTakesLessThanFiveMilliseconds) {
  std::vector<double> times;
  for (const char* name : {"activation/softmax", "activation/relu", "pooling/max_pooling_3d", "optimizer/adam",
                           "reduce/sum_reduction_over_a_dimension", "normalization/batch_norm", "loss/mse_loss"}) {
    const std::string source =
        read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/dsl_programs/" + name + ".dsl");
    LowerOptions options;
    for (const char* extent : {"B", "D", "E", "F", "H", "I", "J", "L", "M", "P", "R", "W"})
      options.bindings.names[extent] = 64;
    options.bindings.names["J"] = 32;
    options.bindings.names["C"] = options.bindings.names["N"] = 1 << 16;
    for (int i = 0; i < 5; ++i) {
      const std::clock_t begin = std::clock();  // of the processor: other tests run beside this one
      const Lowered lowered = lower(source, options);
      times.push_back(1000.0 * static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
      EXPECT_TRUE(lowered.ok) << name << ": " << lowered.refusal;
    }
  }
  std::sort(times.begin(), times.end());
  std::printf("median %.3f ms\n", times[times.size() / 2]);
  EXPECT_LT(times[times.size() / 2], 5);
}

}  // namespace
}  // namespace kg::dsl::testing
