// A run that was killed and resumed ends with the bytes of a run that never stopped.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "tests/support/trainer_tiny_model.h"
#include "trainer/checkpoint.h"

namespace kg::trainer {
namespace {

class Resume : public testing::Test {
 protected:
  Resume() {
    write_tiny_model(folder.path() / "model");
    write_tiny_dataset(folder.path() / "data.h5", 60);
  }

  pid_t start(const std::string& run, const std::vector<std::string>& more) {
    std::vector<std::string> words = {KG_BINARY_DIR "/bin/kgtrain-learner",
                                      "sft",
                                      "--data",
                                      (folder.path() / "data.h5").string(),
                                      "--model",
                                      (folder.path() / "model").string(),
                                      "--out",
                                      (folder.path() / run).string(),
                                      "--steps",
                                      "30",
                                      "--batch-tokens",
                                      "600",
                                      "--sequence-length",
                                      "256",
                                      "--threads",
                                      "2",
                                      "--checkpoint-every",
                                      "4"};
    words.insert(words.end(), more.begin(), more.end());
    const pid_t pid = ::fork();
    if (pid != 0) return pid;
    ::setenv("OMP_WAIT_POLICY", "passive", 1);  // tests run side by side: threads that spin would starve each other
    ::setenv("KGTRAIN_HOME", (folder.path() / "home").c_str(), 1);
    const int log = ::open((folder.path() / (run + ".log")).c_str(), O_WRONLY | O_CREAT | O_APPEND, 0644);
    ::dup2(log, 1);
    ::dup2(log, 2);
    std::vector<char*> arguments;
    for (std::string& word : words) arguments.push_back(word.data());
    arguments.push_back(nullptr);
    ::execv(arguments[0], arguments.data());
    ::_exit(127);
  }

  static int wait_for(pid_t pid) {
    int status = 0;
    ::waitpid(pid, &status, 0);
    return status;
  }

  std::size_t lines(const std::string& run) const {
    std::ifstream file(folder.path() / run / "metrics.jsonl");
    std::size_t count = 0;
    for (std::string line; std::getline(file, line);) ++count;
    return count;
  }

  // Until the run has said that many steps, or has ended.
  void await_steps(const std::string& run, std::size_t steps, pid_t pid) const {
    const double deadline = monotonic_seconds() + 100;
    while (lines(run) < steps && ::kill(pid, 0) == 0 && monotonic_seconds() < deadline)
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }

  std::string bytes(const std::string& run, const std::string& file) const {
    return read_file(folder.path() / run / file);
  }
  std::string log(const std::string& run) const { return read_file(folder.path() / (run + ".log")); }

  void expect_equal_runs(const std::string& a, const std::string& b) {
    EXPECT_TRUE(bytes(a, "model/model.safetensors") == bytes(b, "model/model.safetensors")) << log(b);
    EXPECT_TRUE(bytes(a, "checkpoints/step-000030/optimizer.safetensors") ==
                bytes(b, "checkpoints/step-000030/optimizer.safetensors"));
    EXPECT_EQ(lines(a), 30u);
    EXPECT_EQ(lines(b), 30u);
  }

  TemporaryFolder folder{"kgtrain-resume"};
};

TEST_F(Resume, SftKilledThreeTimesEndsWithTheWeightsOfARunThatNeverStopped) {
  const int straight = wait_for(start("straight", {}));
  ASSERT_EQ(straight, 0) << log("straight");
  for (const std::size_t steps : {6, 13, 22}) {
    const pid_t pid = start("killed", steps == 6 ? std::vector<std::string>{} : std::vector<std::string>{"--resume"});
    await_steps("killed", steps, pid);
    ::kill(pid, SIGKILL);
    const int status = wait_for(pid);
    EXPECT_TRUE(WIFSIGNALED(status)) << "the run ended before it was killed\n" << log("killed");
  }
  ASSERT_EQ(wait_for(start("killed", {"--resume"})), 0) << log("killed");
  expect_equal_runs("straight", "killed");
}

TEST_F(Resume, ATerminatedRunWritesACheckpointSaysSoAndGoesOn) {
  ASSERT_EQ(wait_for(start("straight", {})), 0) << log("straight");
  const pid_t pid = start("stopped", {"--checkpoint-every", "0"});
  await_steps("stopped", 12, pid);
  ::kill(pid, SIGTERM);
  const int status = wait_for(pid);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 128 + SIGTERM) << log("stopped");
  const auto state = nlohmann::json::parse(bytes("stopped", "status.json"));
  EXPECT_EQ(state["state"], "stopped");
  EXPECT_GE(state["checkpoint"].get<int>(), 12);
  ASSERT_EQ(wait_for(start("stopped", {"--resume"})), 0) << log("stopped");
  expect_equal_runs("straight", "stopped");
}

TEST_F(Resume, ASecondLearnerOnTheSameRunIsRefusedAndACheckpointOfAnotherFormatIsTooWithBothVersionsNamed) {
  const pid_t pid = start("run", {"--steps", "100000"});
  await_steps("run", 8, pid);
  EXPECT_EQ(WEXITSTATUS(wait_for(start("run", {"--resume"}))), 1);
  EXPECT_NE(log("run").find(std::to_string(pid)), std::string::npos) << log("run");
  ::kill(pid, SIGTERM);
  wait_for(pid);
  for (const auto& entry : fs::directory_iterator(folder.path() / "run" / "checkpoints")) {
    auto state = nlohmann::json::parse(read_file(entry.path() / "state.json"));
    state["format"] = 99;
    write_file_atomically(entry.path() / "state.json", state.dump());
  }
  EXPECT_EQ(WEXITSTATUS(wait_for(start("run", {"--resume"}))), 2);
  EXPECT_NE(log("run").find("format 99"), std::string::npos) << log("run");
  EXPECT_NE(log("run").find("reads format " + std::to_string(kCheckpointFormat)), std::string::npos);
}

}  // namespace
}  // namespace kg::trainer
