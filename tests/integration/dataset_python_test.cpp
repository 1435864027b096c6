// The page says that h5py alone reads the data set: the script in docs/ must do so, from file and folder and from a
// packed file.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "base/file.h"
#include "dataset/store/dataset.h"
#include "dataset/store/pack.h"
#include "tests/dataset_examples.h"

namespace kg::dataset {
namespace {

const fs::path kScript = fs::path(KG_SOURCE_DIR) / "docs" / "read_rewards.py";

std::string output_of(const std::string& command) {
  std::string output;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return output;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) output.append(buffer, n);
  ::pclose(pipe);
  return output;
}

// A Python with h5py: $KGTRAIN_PEER_PYTHON, else the first of the path's and Debian's that has it. Empty if there is
// none.
std::string python() {
  const char* named = std::getenv("KGTRAIN_PEER_PYTHON");
  for (const std::string program : {named != nullptr ? named : "", "python3", "/usr/bin/python3"})
    if (!program.empty() && output_of("'" + program + "' -c 'import h5py; print(\"yes\")' 2>/dev/null") == "yes\n")
      return program;
  return "";
}

TEST(ReadRewardsScript, HasAtMostTwentyLines) {
  const std::string script = read_file(kScript);
  EXPECT_LE(std::count(script.begin(), script.end(), '\n'), 20);
}

TEST(ReadRewardsScript, PrintsEachRewardBesideItsTaskAndKernel) {
  const std::string program = python();
  if (program.empty()) GTEST_SKIP() << "no Python with h5py: set KGTRAIN_PEER_PYTHON to one";
  TemporaryFolder folder;
  const fs::path path = folder.path() / "ascend_cot.h5", packed = folder.path() / "packed.h5";
  std::string expected;
  {
    const auto data = Dataset::open(path, OpenMode::kCreate);
    for (int i = 0; i < 12; ++i) {  // twelve folds: a merged segment and four more
      data->append({record(example_task(i)), record(example_rollout(i, 0)), record(example_rollout(i, 1))});
      data->fold();
      for (const int sample : {0, 1}) {
        const proto::Rollout rollout = example_rollout(i, sample);
        char reward[32];
        std::snprintf(reward, sizeof reward, "reward %.3f", rollout.verdict().reward());
        expected += std::string(reward) + " | " + rollout.task() + " | " + example_task(i).prompt_short() + "\n" +
                    rollout.kernel() + "\n\n";
      }
    }
  }
  const std::string command = "PYTHONIOENCODING=utf-8 '" + program + "' '" + kScript.string() + "' ";
  EXPECT_EQ(output_of(command + path.string()), expected);
  pack(path, packed);
  EXPECT_EQ(output_of(command + packed.string()), expected);

  // A packed file goes on as a data set of its own.
  EXPECT_EQ(
      Dataset::open(packed, OpenMode::kAppend)->append({record(example_rollout(0, 1)), record(example_rollout(99, 0))}),
      1u);
  EXPECT_THAT(output_of(command + packed.string()), testing::StartsWith(expected + "reward"));
}

}  // namespace
}  // namespace kg::dataset
