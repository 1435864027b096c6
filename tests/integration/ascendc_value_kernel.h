#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "ascendc_kernel.h"

// Tables of vector kernels with their expected numbers.
namespace kg::npu::testing {

using Values = std::vector<double>;

struct ValueKernel {
  const char* name;
  const char* in;
  const char* out;
  const char* compute;  // of vector_kernel() over kValues elements; z is zero before it
  std::function<Values(const Values& x, const Values& y)> expected;  // the first values of z; NaN: not looked at
  double tolerance = 0;
};

constexpr int kValues = 1024;

inline Values map(std::size_t n, const std::function<double(std::size_t)>& f) {
  Values values(n);
  for (std::size_t i = 0; i < n; ++i) values[i] = f(i);
  return values;
}

// Whole numbers from 0 on, each once, in no order.
inline Values shuffled_values(std::size_t multiplier, std::size_t shift) {
  return map(kValues, [&](std::size_t i) { return static_cast<double>((i * multiplier + shift) % kValues); });
}

inline void expect_values(const ValueKernel& kernel, const Values& x, const Values& y) {
  proto::RunCase run_case;
  *run_case.add_inputs() = tensor("x", dtype_of(kernel.in), x);
  *run_case.add_inputs() = tensor("y", dtype_of(kernel.in), y);
  add_output(run_case, "z", dtype_of(kernel.out), kValues);
  const std::string clear =
      std::string("Duplicate(z.template ReinterpretCast<int16_t>(), (int16_t)0, n * sizeof(O) / 2);\n") +
      "LocalTensor<uint8_t> scratch = work.template ReinterpretCast<uint8_t>();\n" + kernel.compute;
  const auto result = run_kernel(vector_kernel(kernel.in, kernel.out, kValues, clear), "k", run_case);
  ASSERT_TRUE(result.ran()) << result.ShortDebugString().substr(0, 2000);
  EXPECT_EQ(errors_of(result), "") << result.faults(0).message();
  const Values z = values_of(result.outputs(0));
  const Values expected = kernel.expected(values_of(run_case.inputs(0)), values_of(run_case.inputs(1)));
  ASSERT_LE(expected.size(), z.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    if (expected[i] != expected[i]) continue;
    ASSERT_NEAR(z[i], expected[i], kernel.tolerance * std::max(1.0, std::fabs(expected[i]))) << i;
  }
}

}  // namespace kg::npu::testing
