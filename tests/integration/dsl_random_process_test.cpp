#include <cstdlib>
#include <map>
#include <optional>

#include "dsl/refusal.h"
#include "dsl/tiling.h"
#include "tests/integration/dsl_random_programs.h"

// KG_RANDOM_PROGRAMS programs (default 10,000) from seed KG_RANDOM_FIRST, in this process alone: each lowers, or is
// refused with a line and a reason. What the compiler made of it before the lowering (lists written out, rows cut,
// optional parameters decided) gives the numbers of the program as it is written.
namespace kg::dsl::testing {
namespace {

std::uint64_t number_of(const char* variable, std::uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text == nullptr ? otherwise : std::strtoull(text, nullptr, 10);
}

// The program with one more parameter, which scales what is loaded first where it is given.
std::optional<std::string> with_optional(const std::string& source) {
  const std::size_t inputs = source.find(") ->"), body = source.find(":\n", inputs);
  if (inputs == std::string::npos || body == std::string::npos || source.find("launch") != std::string::npos)
    return std::nullopt;
  const std::string statement = "  scaled = 1.0\n  if given(extra):\n    scaled = load extra[0]\n";
  return source.substr(0, inputs) + ", extra: float[EXTRA]?" + source.substr(inputs, body + 2 - inputs) + statement +
         source.substr(body + 2);
}

std::vector<Values> rounded(const std::vector<In>& inputs) {
  std::vector<Values> made;
  for (const In& in : inputs) {
    made.push_back(in.values);
    for (double& value : made.back()) value = rounded_to(in.dtype, value);
  }
  return made;
}

double largest_of(const Values& values) {
  double largest = 1;
  for (const double value : values)
    if (std::isfinite(value)) largest = std::max(largest, std::abs(value));
  return largest;
}

double allowance(proto::DType dtype, const Values& values, bool half) {
  const double unit = half || dtype == proto::FLOAT16 ? 1.0 / 1024
                      : dtype == proto::BFLOAT16      ? 1.0 / 128
                                                      : 1.0 / (1 << 18);
  return (half ? 16 : 2) * unit * largest_of(values);
}

// What the compiler's own program gives; none if it refuses.
std::optional<std::vector<Values>> compiled(const std::string& source, const Bindings& bindings,
                                            const std::vector<Values>& inputs, std::string& refusal) {
  LowerOptions options;
  options.bindings = bindings;
  const Lowered lowered = lower(source, options);
  refusal = lowered.refusal;
  if (!lowered.ok) return std::nullopt;
  return interpret(tile_program(parse(source), bindings, /*compact=*/false).checked, inputs);
}

TEST(DslRandomProcess, WhatTheCompilerMakesOfAProgramGivesItsNumbers) {
  const std::uint64_t first = number_of("KG_RANDOM_FIRST", 0), count = number_of("KG_RANDOM_PROGRAMS", 10000);
  std::map<std::string, int> refused;
  int agreed = 0, optional = 0;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const RandomProgram program = random_program(seed);
    const Bindings bindings = bindings_for(program.inputs, program.outputs, program.cores);
    const std::vector<Values> inputs = rounded(program.inputs);
    std::string refusal;
    const auto found = compiled(program.source, bindings, inputs, refusal);
    if (!found) {
      ASSERT_TRUE(refusal.starts_with("line ")) << refusal << "\n" << program.source;
      ++refused[refusal.substr(refusal.find(": ") + 2, 40)];
      continue;
    }
    const TileSizes sizes = tile_program(parse(program.source), bindings, /*compact=*/false).checked.sizes;
    const std::vector<Values> wanted = interpret(check(parse(program.source), bindings, sizes, kAnyTile), inputs);
    ASSERT_EQ(found->size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      ASSERT_EQ(
          difference((*found)[i], wanted[i], allowance(program.outputs[i].dtype, wanted[i], program.exact_half), 1e-3),
          "")
          << "seed " << seed << "\n"
          << program.source;
    ++agreed;
    const auto longer = seed % 4 == 0 ? with_optional(program.source) : std::nullopt;
    if (!longer) continue;
    for (const bool absent : {true, false}) {
      Bindings more = bindings;
      const auto behind =
          std::find_if(more.tensors.begin(), more.tensors.end(), [](const TensorShape& one) { return one.output; });
      more.tensors.insert(behind, TensorShape{.shape = {4}, .name = "extra", .absent = absent});
      std::vector<Values> given = inputs;
      if (!absent) given.push_back(Values(4, 1.0));
      const auto same = compiled(*longer, more, given, refusal);
      ASSERT_TRUE(same) << "seed " << seed << ": " << refusal << "\n" << *longer;
      for (std::size_t i = 0; i < wanted.size(); ++i)
        ASSERT_EQ(difference((*same)[i], (*found)[i], 0, 1e-6), "") << "seed " << seed << "\n" << *longer;
    }
    ++optional;
  }
  std::printf("%d agree, %d of them with an optional parameter, too; refused:\n", agreed, optional);
  for (const auto& [reason, times] : refused) std::printf("%6d  %s\n", times, reason.c_str());
  EXPECT_GE(agreed, static_cast<int>(count * 3 / 4));
}

}  // namespace
}  // namespace kg::dsl::testing
