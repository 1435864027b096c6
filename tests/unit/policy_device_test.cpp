#include <ATen/ops/ones.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "base/file.h"
#include "policy/model/device.h"

namespace kg::policy {
namespace {

using testing::AllOf;
using testing::HasSubstr;

std::string refusal(const std::string& name) {
  try {
    open_device(name);
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

TEST(PolicyDevice, CpuNeedsNothing) { EXPECT_TRUE(open_device("cpu").is_cpu()); }

TEST(PolicyDevice, OtherNamesAreRefused) {
  for (const char* name : {"", "gpu", "cuda:", "cuda:-1", "cuda:1x", "cuda:200", "npu:one", "cpu:0", "CUDA"})
    EXPECT_THAT(refusal(name), AllOf(HasSubstr("there is no device"), HasSubstr("cuda:1"))) << name;
}

// Where the device is there, it computes; where it is not, the error says what was looked for and where.
void expect_device_or_reason(const std::string& name, const std::string& library) {
  try {
    const at::Device device = open_device(name);
    EXPECT_EQ(at::ones({3}).to(device).sum().item<float>(), 3.0f);
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), Error::Kind::kEnvironment);
    EXPECT_THAT(error.full_message(),
                AllOf(testing::AnyOf(HasSubstr(library), HasSubstr("cannot be used")), HasSubstr("--device cpu")));
  }
}

TEST(PolicyDevice, CudaOrTheReasonWhyNot) { expect_device_or_reason("cuda", "libtorch_cuda.so"); }

TEST(PolicyDevice, NpuOrTheReasonWhyNot) { expect_device_or_reason("npu:0", "libtorch_npu.so"); }

TEST(PolicyDevice, NamedFoldersAreSearchedFirst) {
  const TemporaryFolder folder;
  std::ofstream(folder.path() / "libtorch_npu.so") << "not a library";
  ::setenv("KGTRAIN_DEVICE_LIBRARIES", ("/nowhere:" + folder.path().string()).c_str(), 1);
  const std::string said = refusal("npu");
  ::unsetenv("KGTRAIN_DEVICE_LIBRARIES");
  if (said == "no error") GTEST_SKIP() << "this machine has an NPU";
  EXPECT_THAT(said, AllOf(HasSubstr("/nowhere/libtorch_npu.so: not there"),
                          HasSubstr((folder.path() / "libtorch_npu.so").string()), HasSubstr("set_env.sh")));
}

}  // namespace
}  // namespace kg::policy
