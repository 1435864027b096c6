// Numbers of whole kernels against numpy: matrix products, sorts, atomics, gathers, quantisation. The rows of
// ascendc_numpy_programs.csv say which kernel of ascendc_numpy_kernels, with which definitions, inputs and outputs;
// ascendc_numpy_programs.py computed what numpy has.

#include <gtest/gtest.h>

#include <cstring>
#include <fstream>
#include <sstream>

#include "ascendc_kernel.h"
#include "ascendc_numpy_fixture.h"

namespace kg::npu::testing {
namespace {

struct Program {
  std::string name, kernel;
  std::vector<std::string> definitions, inputs, outputs;
  std::uint32_t cores = 1;
};

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  std::istringstream in(text);
  for (std::string part; std::getline(in, part, at);) parts.push_back(part);
  return parts;
}

std::vector<Program> programs() {
  std::vector<Program> rows;
  std::ifstream in(KG_SOURCE_DIR "/tests/integration/ascendc_numpy_programs.csv");
  std::string line;
  std::getline(in, line);
  while (std::getline(in, line)) {
    const auto words = split(line, ';');
    rows.push_back({words.at(0), words.at(1), split(words.at(2), ' '), split(words.at(3), ' '), split(words.at(4), ' '),
                    static_cast<std::uint32_t>(std::stoul(words.at(5)))});
  }
  return rows;
}

std::string source_of(const Program& program) {
  std::ifstream in(KG_SOURCE_DIR "/tests/integration/ascendc_numpy_kernels/" + program.kernel + ".cpp");
  std::ostringstream source;
  source << "#include \"kernel_operator.h\"\n";
  for (const std::string& definition : program.definitions) {
    const auto parts = split(definition, '=');
    source << "#define " << parts.at(0) << ' ' << parts.at(1) << '\n';
  }
  source << in.rdbuf();
  return source.str();
}

// "half:wide:1024"
proto::Tensor input(const std::string& text, std::uint64_t operand) {
  const auto parts = split(text, ':');
  const std::size_t count = std::stoul(parts.at(2)), bytes = bytes_of(parts[0]);
  proto::Tensor tensor;
  tensor.set_name("x" + std::to_string(operand));
  tensor.set_dtype(parts[0] == "uint64_t" ? proto::INT64 : dtype_of(parts[0]));
  tensor.add_shape(static_cast<std::int64_t>(count));
  tensor.mutable_data()->resize(count * bytes);
  for (std::size_t i = 0; i < count; ++i) {
    const std::uint64_t bits = recipe_bits(parts[0], parts[1], operand, i);
    std::memcpy(tensor.mutable_data()->data() + i * bytes, &bits, bytes);
  }
  return tensor;
}

const Fixture& fixture() {
  static const Fixture read = read_fixture("ascendc_numpy_programs_fixture.txt");
  return read;
}

class NumpyProgram : public ::testing::TestWithParam<Program> {};

TEST_P(NumpyProgram, HasTheSameNumbers) {
  const Program& program = GetParam();
  proto::RunCase run_case;
  for (std::size_t k = 0; k < program.inputs.size(); ++k) *run_case.add_inputs() = input(program.inputs[k], k);
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const auto parts = split(program.outputs[k], ':');
    add_output(run_case, "z" + std::to_string(k), dtype_of(parts.at(0)), std::stol(parts.at(1)));
  }
  const bool cube = program.kernel == "mmad" || program.kernel == "matmul";
  const auto result = run_kernel(source_of(program), cube ? "k_" : "k", run_case, {.block_dim = program.cores});
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  for (std::size_t k = 0; k < program.outputs.size(); ++k) {
    const std::string type = split(program.outputs[k], ':')[0];
    expect_numbers(fixture(), program.name + "/" + std::to_string(k), type,
                   bits_of(result.outputs(static_cast<int>(k)).data(), type), /*tolerance=*/0);
  }
}
INSTANTIATE_TEST_SUITE_P(Kernels, NumpyProgram, ::testing::ValuesIn(programs()),
                         [](const auto& info) { return info.param.name; });

TEST(NumpyProgramsFixture, HoldsTheProgramsAndNoOthers) {
  std::size_t outputs = 0;
  for (const Program& program : programs()) outputs += program.outputs.size();
  EXPECT_EQ(fixture().size(), outputs);
}

}  // namespace
}  // namespace kg::npu::testing
