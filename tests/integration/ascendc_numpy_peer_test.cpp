// The committed numbers are those that numpy and mpmath compute, in the Python named by $KGTRAIN_PEER_PYTHON.

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

namespace kg::sandbox::ascendc::testing {
namespace {

TEST(NumpyPeer, ComputesTheFixtureAnew) {
  const char* python = std::getenv("KGTRAIN_PEER_PYTHON");
  if (python == nullptr) GTEST_SKIP() << "KGTRAIN_PEER_PYTHON is not set";
  const std::string command =
      std::string("'") + python + "' '" KG_SOURCE_DIR "/tests/integration/ascendc_numpy_reference.py' --check";
  EXPECT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace
}  // namespace kg::sandbox::ascendc::testing
