#include <gtest/gtest.h>

#include "ascendc_kernel.h"
#include "base/file.h"

namespace kg::npu::testing {
namespace {

TEST(AddCustom, AddsOnEightCoresWithoutAFault) {
  std::vector<double> x(8 * 2048), y(8 * 2048);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = static_cast<double>(i % 100) / 4, y[i] = static_cast<double>(i % 37);
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", proto::FLOAT16, x);
  *run_case.add_inputs() = tensor("y", proto::FLOAT16, y);
  add_output(run_case, "z", proto::FLOAT16, static_cast<std::int64_t>(x.size()));
  const std::string source =
      read_file(std::string(KG_SOURCE_DIR) + "/tests/integration/ascendc_kernels/add_custom.cpp");
  const proto::CaseResult result = run_kernel(source, "add_custom", run_case, {.block_dim = 8});
  ASSERT_TRUE(result.ran());
  EXPECT_EQ(result.faults_size(), 0) << result.faults(0).ShortDebugString();
  const std::vector<double> z = values_of(result.outputs(0));
  for (std::size_t i = 0; i < x.size(); ++i) ASSERT_EQ(z[i], x[i] + y[i]) << i;
  EXPECT_GT(result.cycles(), 9250u);  // the launch alone
  EXPECT_LT(result.cycles(), 20000u);
  EXPECT_EQ(result.bytes_read(), 2 * 2 * x.size());
  EXPECT_EQ(result.bytes_written(), 2 * x.size());
}

}  // namespace
}  // namespace kg::npu::testing
