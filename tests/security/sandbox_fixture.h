#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "base/file.h"
#include "sandbox/sandbox.h"
#include "tests/support/environment.h"

namespace kg::sandbox::testing {

inline constexpr const char* kHead = R"(#include "kernel_operator.h"
)";
inline constexpr const char* kSignature = R"(
extern "C" __global__ __aicore__ void probe(GM_ADDR x, GM_ADDR y, GM_ADDR z)
)";

// A kernel whose body is given, in a file that has what the C library needs declared by hand: nothing keeps a hostile
// source from doing so.
inline std::string kernel(const std::string& body, const std::string& before = "") {
  return kHead + before + kSignature + "{\n" + body + "\n}\n";
}

inline proto::ExecutionRequest request(const std::string& source, int cases = 1) {
  proto::ExecutionRequest request;
  request.set_source(source);
  request.set_entry_point("probe");
  request.set_block_dim(1);
  request.mutable_limits()->set_compile_seconds(10);
  request.mutable_limits()->set_run_seconds(2);
  request.mutable_limits()->set_run_memory_bytes(1ull << 30);
  for (int i = 0; i < cases; ++i) {
    auto* one = request.add_cases();
    for (const char* name : {"x", "y"}) {
      auto* input = one->add_inputs();
      input->set_name(name);
      input->set_dtype(proto::FLOAT32);
      input->add_shape(16);
      input->set_data(std::string(64, '\0'));
    }
    auto* output = one->add_outputs();
    output->set_name("z");
    output->set_dtype(proto::FLOAT32);
    output->add_shape(16);
  }
  return request;
}

// Only a person who has seen that this host forbids namespaces says so; the tests then cover what is left.
inline bool less_isolation() {
  const char* value = std::getenv("KGTRAIN_ALLOW_LESS_ISOLATION");
  return value != nullptr && std::string(value) == "1";
}

inline SandboxOptions options() {
  SandboxOptions options;
  options.program = std::string(KG_BINARY_DIR) + "/bin/kgtrain-sandbox";
  options.allow_less_isolation = less_isolation();
  return options;
}

class SandboxTest : public ::testing::Test {
 protected:
  SandboxTest() : sandbox_(start_sandbox(options())) {}

  proto::ExecutionResult execute(const proto::ExecutionRequest& request) {
    auto result = sandbox_->execute(request);
    EXPECT_EQ(result.sandbox_error(), "");
    return result;
  }

  // The one case's first fault, after checking that there is a verdict of a kernel that did not end.
  proto::Fault fault_of(const proto::ExecutionResult& result) {
    EXPECT_TRUE(result.compiled()) << result.compiler_output();
    if (result.cases_size() != 1) {
      ADD_FAILURE() << result.cases_size() << " cases";
      return {};
    }
    EXPECT_FALSE(result.cases(0).ran());
    EXPECT_EQ(result.cases(0).outputs_size(), 0);
    if (result.cases(0).faults_size() == 0) {
      ADD_FAILURE() << "no fault";
      return {};
    }
    return result.cases(0).faults(0);
  }

  // Whatever a kernel did, the next one is judged as ever, by the same sandbox.
  void TearDown() override { expect_next_kernel_is_judged(); }

  void expect_next_kernel_is_judged() {
    const auto result = execute(request(kernel("")));
    ASSERT_TRUE(result.compiled()) << result.compiler_output();
    ASSERT_EQ(result.cases_size(), 1);
    EXPECT_TRUE(result.cases(0).ran()) << result.cases(0).ShortDebugString();
    EXPECT_EQ(result.cases(0).outputs_size(), 1);
  }

  std::unique_ptr<Sandbox> sandbox_;
};

}  // namespace kg::sandbox::testing
