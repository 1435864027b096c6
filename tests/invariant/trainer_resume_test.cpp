// A run that was killed and resumed ends with the bytes of a run that never stopped.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/clock.h"
#include "base/exit_status.h"
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

  pid_t start(const std::string& run, const std::vector<std::string>& more,
              const std::vector<std::pair<std::string, std::string>>& environment = {}) {
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
    ::setenv("KGTRAIN_HOME", (folder.path() / "home").c_str(), 1);
    for (const auto& [name, value] : environment) ::setenv(name.c_str(), value.c_str(), 1);
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

TEST_F(Resume, AFolderThatARefusalLeftBehindHoldsNoRun) {
  fs::create_directories(folder.path() / "left" / "checkpoints");
  write_file_durably(folder.path() / "left" / "config.json", R"({"command": "sft", "options": {}})");
  EXPECT_EQ(wait_for(start("left", {"--steps", "1"})), 0) << read_file(folder.path() / "left.log");
  EXPECT_NE(wait_for(start("left", {"--steps", "1"})), 0);  // now it does
  EXPECT_NE(read_file(folder.path() / "left.log").find("the folder already holds a run"), std::string::npos);
}

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
  EXPECT_EQ(WEXITSTATUS(status), kStoppedStatus) << log("stopped");
  const auto state = nlohmann::json::parse(bytes("stopped", "status.json"));
  EXPECT_EQ(state["state"], "stopped");
  EXPECT_GE(state["checkpoint"].get<int>(), 12);
  ASSERT_EQ(wait_for(start("stopped", {"--resume"})), 0) << log("stopped");
  expect_equal_runs("straight", "stopped");
}

TEST_F(Resume, ARunOfAdaptersThatIsStoppedEndsWithTheSameAdaptersAndTrainsNothingElse) {
  // In fp32: a learner in bf16, which some CPUs have, rounds the weights that it does not train.
  const std::vector<std::string> lora{"--lora-rank",       "4",         "--lora-targets", "q_proj",
                                      "--lora-targets",    "down_proj", "--dtype",        "float32",
                                      "--recompute-layers"};
  ASSERT_EQ(wait_for(start("straight", lora)), 0) << log("straight");
  const pid_t pid = start("stopped", lora);
  await_steps("stopped", 12, pid);
  ::kill(pid, SIGTERM);
  EXPECT_EQ(WEXITSTATUS(wait_for(pid)), kStoppedStatus) << log("stopped");
  ASSERT_EQ(wait_for(start("stopped", {"--resume"})), 0) << log("stopped");
  expect_equal_runs("straight", "stopped");
  EXPECT_TRUE(bytes("straight", "adapter/adapter_model.safetensors") ==
              bytes("stopped", "adapter/adapter_model.safetensors"));
  for (const policy::NamedTensor& weight : policy::read_weights(folder.path() / "straight/model/model.safetensors"))
    for (const policy::NamedTensor& base : tiny_model().weights)
      if (base.name == weight.name) {
        const bool target =
            weight.name.find("q_proj") != std::string::npos || weight.name.find("down_proj") != std::string::npos;
        EXPECT_EQ(weight.tensor.equal(base.tensor), !target) << weight.name;
      }
}

int free_port() {
  const int listener = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  ::bind(listener, reinterpret_cast<sockaddr*>(&address), size);
  ::getsockname(listener, reinterpret_cast<sockaddr*>(&address), &size);
  ::close(listener);
  return ntohs(address.sin_port);
}

TEST_F(Resume, TwoLearnersTogetherAreOneAndMayBeStoppedAndResumed) {
  const auto start_two = [&](const std::string& run, std::vector<std::string> more) {
    more.insert(more.end(), {"--learning-rate", "2e-4"});
    const std::string port = std::to_string(free_port());
    std::vector<pid_t> both;
    for (const char* rank : {"0", "1"})
      both.push_back(
          start(run, more, {{"RANK", rank}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "127.0.0.1"}, {"MASTER_PORT", port}}));
    return both;
  };
  ASSERT_EQ(wait_for(start("one", {"--learning-rate", "2e-4"})), 0) << log("one");
  for (const pid_t pid : start_two("two", {})) ASSERT_EQ(wait_for(pid), 0) << log("two");
  ASSERT_EQ(lines("two"), 30u) << log("two");
  std::ifstream one(folder.path() / "one/metrics.jsonl"), two(folder.path() / "two/metrics.jsonl");
  for (std::string a, b; std::getline(one, a) && std::getline(two, b);) {
    const auto x = nlohmann::json::parse(a), y = nlohmann::json::parse(b);
    EXPECT_NEAR(x["loss"], y["loss"], 2e-4 * x["loss"].get<double>()) << a << b;
    EXPECT_NEAR(x["grad_norm"], y["grad_norm"], 2e-3 * x["grad_norm"].get<double>()) << a << b;
    EXPECT_EQ(x["tokens"], y["tokens"]);
  }
  const std::vector<pid_t> stopped = start_two("stopped", {"--checkpoint-every", "0"});
  await_steps("stopped", 12, stopped[0]);
  ::kill(stopped[1], SIGTERM);  // either of them is enough
  for (const pid_t pid : stopped) EXPECT_TRUE(WIFEXITED(wait_for(pid))) << log("stopped");
  for (const pid_t pid : start_two("stopped", {"--resume"})) ASSERT_EQ(wait_for(pid), 0) << log("stopped");
  expect_equal_runs("two", "stopped");
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
