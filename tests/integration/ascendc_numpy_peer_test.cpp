// The committed numbers are those that numpy and mpmath compute, in the Python named by $KGTRAIN_PEER_PYTHON.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace kg::npu::testing {
namespace {

void expect_fixture_of(const std::string& program) {
  const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
  const std::string command =
      std::string("'") + python + "' '" KG_SOURCE_DIR "/tests/integration/" + program + "' --check";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

TEST(NumpyPeer, ComputesTheFixtureOfCallsAnew) { expect_fixture_of("ascendc_numpy_reference.py"); }
TEST(NumpyPeer, ComputesTheFixtureOfKernelsAnew) { expect_fixture_of("ascendc_numpy_programs.py"); }

}  // namespace
}  // namespace kg::npu::testing
