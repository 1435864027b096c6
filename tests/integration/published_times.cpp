#include "published_times.h"

#include <gtest/gtest.h>

#include "ascendc_kernel.h"
#include "npu/chip.h"
#include "proto/dtype.h"

namespace kg::npu::testing {
namespace {

constexpr double kMicrosecond = chip::kHertz / 1e6;

proto::Tensor zeros(const std::string& name, const PublishedInput& input) {
  proto::Tensor made;
  made.set_name(name);
  made.set_dtype(dtype_of(input.type));
  made.add_shape(input.elements);
  made.set_data(std::string(static_cast<std::size_t>(input.elements) * proto::element_size(made.dtype()), '\0'));
  return made;
}

}  // namespace

double microseconds_of(const std::string& before, const std::string& body, const std::vector<PublishedInput>& inputs,
                       const PublishedInput& output, std::uint32_t cores, double share, L2Before l2) {
  std::string source = before + "extern \"C\" __global__ __aicore__ void kernel(";
  proto::RunCase run_case;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    source += "GM_ADDR in" + std::to_string(i) + ", ";
    *run_case.add_inputs() = zeros("in" + std::to_string(i), inputs[i]);
  }
  add_output(run_case, "out", dtype_of(output.type), output.elements);
  source += "GM_ADDR out, GM_ADDR workspace) {\n" + body + "}\n";
  const proto::CaseResult result = run_kernel(source, "kernel", run_case, {.block_dim = cores, .l2 = l2});
  EXPECT_TRUE(result.ran()) << source << result.ShortDebugString().substr(0, 1000);
  EXPECT_EQ(errors_of(result), "") << source << result.faults(0).message();
  const double launch = chip::kLaunch;
  return (launch + (static_cast<double>(result.cycles()) - launch) / share) / kMicrosecond;
}

L2Before behind_a_fill(double share) {
  return {.dirty_bytes = static_cast<std::uint64_t>(static_cast<double>(chip::kL2Bytes) * share)};
}

std::string constants(const std::vector<std::pair<const char*, std::int64_t>>& values) {
  std::string text;
  for (const auto& [name, value] : values)
    text += std::string("constexpr int ") + name + " = " + std::to_string(value) + ";\n";
  return text;
}

std::string vector_source(const std::vector<std::pair<const char*, std::int64_t>>& values) {
  return "#include \"kernel_operator.h\"\nusing namespace AscendC;\n" + constants(values);
}

std::string vector_tensors(const char* type, int inputs, const char* result) {
  std::string text;
  const char* names[] = {"x", "y", "w"};
  for (int i = 0; i < inputs; ++i)
    text += std::string("  GlobalTensor<") + type + "> " + names[i] + "; " + names[i] + ".SetGlobalBuffer((__gm__ " +
            type + "*)in" + std::to_string(i) + ");\n";
  return text + "  GlobalTensor<" + result + "> z; z.SetGlobalBuffer((__gm__ " + result + "*)out);\n";
}

}  // namespace kg::npu::testing
