#include <gtest/gtest.h>

#include <algorithm>

#include "trainer/rl_setup.h"
#include "trainer/run_request.h"
#include "trainer/sft_options.h"

namespace kg::trainer {
namespace {

RunRequest parsed(std::vector<const char*> words, SftOptions& options) {
  words.insert(words.begin(), "sft");
  RunRequest request;
  EXPECT_TRUE(parse_run_options(static_cast<int>(words.size()), words.data(), "sft", options, request));
  return request;
}

TEST(RunRequest, AResumedRunTakesTheOptionsThatItsConfigRecordedUnlessTheyAreGivenAnew) {
  const TemporaryFolder folder;
  const std::string run = (folder.path() / "run").string();
  SftOptions first;
  RunRequest request = parsed({"--out", run.c_str(), "--steps", "7", "--decay", "linear", "--lora-rank", "2",
                               "--lora-targets", "q_proj", "--lora-targets", "v_proj"},
                              first);
  EXPECT_FALSE(request.resume);
  request.data = "/data.h5";
  request.model = "/model";
  request.threads = 3;
  request.dtype = "float32";
  fs::create_directories(run);
  write_file_durably(request.folder / "config.json", config_of(request).dump());

  SftOptions again;
  const RunRequest resumed = parsed({"--resume", "--out", run.c_str(), "--steps", "9"}, again);
  EXPECT_TRUE(resumed.resume);
  EXPECT_TRUE(again.resume);
  EXPECT_EQ(resumed.folder, request.folder);
  EXPECT_EQ(again.steps, 9);
  EXPECT_EQ(again.decay, "linear");
  EXPECT_EQ(again.lora_targets, (std::vector<std::string>{"q_proj", "v_proj"}));
  EXPECT_EQ(again.threads, 3);
  EXPECT_EQ(again.dtype, "float32");
  EXPECT_EQ(again.data, "/data.h5");
  EXPECT_EQ(again.model, "/model");
  EXPECT_EQ(resumed.options.at("steps"), 9);
}

// Tasks of one's own have their inputs and expected outputs in the data set; without it all that workers could say was
// that "the task's tensors are missing".
TEST(RlFleet, WorkersReadTheTensorsOfTasksFromTheRunsDataSet) {
  RunRequest request;
  request.data = "/data/own.h5";
  const std::vector<std::string> words = rl_fleet({}, request, "/run").worker_arguments;
  const auto at = std::find(words.begin(), words.end(), "--cases");
  ASSERT_LT(at + 1, words.end());
  EXPECT_EQ(at[1], "/data/own.h5");
}

}  // namespace
}  // namespace kg::trainer
