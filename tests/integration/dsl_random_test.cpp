#include <algorithm>
#include <cstdlib>
#include <map>

#include "dsl/refusal.h"
#include "dsl/tiling.h"
#include "tests/integration/dsl_random_programs.h"

// KG_RANDOM_PROGRAMS programs (default 60) from seed KG_RANDOM_FIRST: each lowers to a kernel that compiles, runs
// without an error and agrees with the interpreter, or is refused with a reason.
namespace kg::dsl::testing {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}
std::uint64_t wanted() { return number_of("KG_RANDOM_PROGRAMS", 36); }

// Rounding of the largest value, as often as a program of this size rounds.
double allowance(const Values& values, proto::DType dtype, bool half) {
  double largest = 1;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  const double unit = half || dtype == proto::FLOAT16 ? 1.0 / 1024
                      : dtype == proto::BFLOAT16      ? 1.0 / 128
                                                      : 1.0 / (1 << 18);
  return (half ? 16 : 2) * unit * largest;
}

TEST(DslRandom, ProgramsAgreeWithTheInterpreterOrAreRefusedWithAReason) {
  std::map<std::string, int> refused;
  int agreed = 0;
  const std::uint64_t count = wanted();
  const std::uint64_t first = number_of("KG_RANDOM_FIRST", 0);
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram program = random_program(seed);
    const Bindings bindings = bindings_for(program.inputs, program.outputs, program.cores);
    const proto::ExecutionResult result =
        shared_sandbox().execute(request_for(program.source, program.inputs, program.outputs, program.cores));
    ASSERT_EQ(result.sandbox_error(), "") << program.source;
    if (result.rejected()) {
      const std::string& reason = result.compiler_output();
      ASSERT_TRUE(reason.starts_with("kernel.dsl:")) << reason;
      ++refused[reason.substr(reason.find(": ", 14) + 2, 40)];
      continue;
    }
    ASSERT_EQ(errors_of(result), "") << "seed " << seed << "\n"
                                     << program.source
                                     << lowered_text(program.source, program.inputs, program.outputs, program.cores);
    // The program as it is written, so that what cuts its rows is tested, too.
    const Checked checked =
        check(parse(program.source), bindings,
              tile_program(parse(program.source), bindings, /*compact=*/false).checked.sizes, kAnyTile);
    std::vector<Values> inputs;
    for (const In& in : program.inputs) {
      inputs.push_back(in.values);
      for (double& value : inputs.back()) value = rounded_to(in.dtype, value);
    }
    const std::vector<Values> outputs = interpret(checked, inputs);
    for (std::size_t i = 0; i < outputs.size(); ++i) {
      const Values &wanted = outputs[i], found = values_of(result.cases(0).outputs(static_cast<int>(i)));
      ASSERT_EQ(difference(found, wanted, allowance(wanted, program.outputs[i].dtype, program.exact_half), 1e-3), "")
          << "seed " << seed << ", " << program.cores << " cores\n"
          << program.source << lowered_text(program.source, program.inputs, program.outputs, program.cores);
    }
    ++agreed;
    if (agreed % 250 == 0) {
      std::printf("seed %llu: %d agree\n", static_cast<unsigned long long>(seed), agreed);
      std::fflush(stdout);
    }
  }
  std::printf("%d agree, refused:\n", agreed);
  for (const auto& [reason, times] : refused) std::printf("%6d  %s\n", times, reason.c_str());
  EXPECT_GE(agreed, static_cast<int>(count * 3 / 4));
}

// The compact form of the same program gives the same numbers.
TEST(DslRandom, CompactKernelsGiveTheNumbersOfFullOnes) {
  const std::uint64_t count = std::max<std::uint64_t>(1, wanted() / 6);
  for (std::uint64_t seed = 1000; seed < 1000 + count; ++seed) {
    const RandomProgram program = random_program(seed);
    const auto full =
        shared_sandbox().execute(request_for(program.source, program.inputs, program.outputs, program.cores));
    if (full.rejected()) continue;
    const Lowered lowered =
        lowered_of(program.source, program.inputs, program.outputs, program.cores, /*compact=*/true);
    if (!lowered.ok) continue;  // without queues it may need a place more
    const std::string& compact = lowered.source;
    const auto request = compact_request(lowered, program.inputs, program.outputs, program.cores);
    const auto result = shared_sandbox().execute(request);
    ASSERT_EQ(errors_of(result), "") << "seed " << seed << "\n" << program.source << compact;
    const Values wanted = values_of(full.cases(0).outputs(0)), found = values_of(result.cases(0).outputs(0));
    ASSERT_EQ(difference(found, wanted, allowance(wanted, program.outputs[0].dtype, program.exact_half), 1e-3), "")
        << "seed " << seed << "\n"
        << program.source << compact;
  }
}

}  // namespace
}  // namespace kg::dsl::testing
