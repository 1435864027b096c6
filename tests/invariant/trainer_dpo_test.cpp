// kgtrain dpo as a whole, on a tiny model and rollouts whose correct answers are made of even tokens.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "base/child_process.h"
#include "base/clock.h"
#include "base/descriptor.h"
#include "tests/support/trainer_tiny_model.h"

namespace kg::trainer {
namespace {

class DpoProgram : public testing::Test {
 protected:
  DpoProgram() {
    write_tiny_model(folder.path() / "model");
    const auto data = dataset::Dataset::open(data_file(), dataset::OpenMode::kCreate);
    std::vector<proto::JournalRecord> records;
    Philox random(5, 0);
    for (std::uint64_t work = 1; work <= 12; ++work)
      for (std::uint32_t sample = 0; sample < 4; ++sample) {
        proto::Rollout& rollout = *records.emplace_back().mutable_rollout();
        rollout.set_work_id(work);
        rollout.set_sample(sample);
        rollout.set_run("run-1");
        rollout.set_task("task");
        rollout.set_kernel("kernel");
        rollout.mutable_verdict()->set_reward_valid(true);
        rollout.mutable_verdict()->set_compiled(sample != 3);
        rollout.mutable_verdict()->set_correct(sample < 2);
        proto::Completion& completion = *rollout.mutable_completion();
        for (std::uint64_t i = 0; i < 10; ++i)
          completion.add_prompt_ids(static_cast<std::int32_t>(40 + (work * 7 + i * 3) % 50));
        for (std::uint32_t i = 0; i < 8 + sample; ++i) {
          const auto token = static_cast<std::int32_t>(100 + 2 * (random.next_u64() % 20));
          completion.add_token_ids(sample < 2 ? token : token + 1);
        }
      }
    data->append(records);
  }

  fs::path data_file() const { return folder.path() / "data.h5"; }
  std::string log(const std::string& run) const { return read_file(folder.path() / (run + ".log")); }

  ChildProcess start(const std::string& run, std::vector<std::string> more) {
    const Descriptor output(
        ::open((folder.path() / (run + ".log")).c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644));
    ChildCommand child{
        .words = {KG_BINARY_DIR "/bin/kgtrain-learner", "dpo", "--data", data_file().string(), "--model",
                  (folder.path() / "model").string(), "--out", (folder.path() / run).string(), "--steps", "40",
                  "--threads", "1", "--dtype", "float32", "--learning-rate", "2e-3", "--checkpoint-every", "3"},
        .output = output.number(),
        .errors = ChildCommand::kSameAsOutput,
        .dies_with_this_thread = true};
    child.words.insert(child.words.end(), more.begin(), more.end());
    child.environment = {"KGTRAIN_HOME=" + (folder.path() / "home").string()};
    return ChildProcess(child);
  }
  void run(const std::string& name, std::vector<std::string> more) {
    EXPECT_TRUE(start(name, std::move(more)).wait().success()) << log(name);
  }
  std::vector<nlohmann::json> metrics(const std::string& run) const {
    std::vector<nlohmann::json> result;
    std::ifstream file(folder.path() / run / "metrics.jsonl");
    for (std::string line; std::getline(file, line);) result.push_back(nlohmann::json::parse(line, nullptr, false));
    return result;
  }

  TemporaryFolder folder{"kgtrain-dpo"};
};

TEST_F(DpoProgram, EachLossLearnsTheOrderOfTheVerdictsAndStoresThePairsOnce) {
  for (const std::string loss : {"dpo", "ipo", "kto"}) {
    run(loss, {"--loss", loss});
    const auto lines = metrics(loss);
    ASSERT_EQ(lines.size(), 40u) << log(loss);
    EXPECT_EQ(lines.front()["margin"], 0) << "the policy begins as its own reference";
    EXPECT_EQ(lines.back()["accuracy"], 1) << loss;
    EXPECT_LT(lines.back()["loss"], lines.front()["loss"]) << loss;
    EXPECT_TRUE(fs::exists(folder.path() / loss / "model/model.safetensors"));
  }
  const auto data = dataset::Dataset::open(data_file(), dataset::OpenMode::kRead);
  EXPECT_EQ(data->counts().preferences, 48u);  // four of each prompt, however often they were trained on
}

TEST_F(DpoProgram, KilledAndResumedEndsWithTheWeightsOfARunThatNeverStopped) {
  run("straight", {});
  ChildProcess child = start("killed", {});
  const double deadline = monotonic_seconds() + 100;
  while (metrics("killed").size() < 8 && !child.wait_for(0.002) && monotonic_seconds() < deadline) continue;
  child.kill();
  run("killed", {"--resume"});
  EXPECT_EQ(read_file(folder.path() / "straight/model/model.safetensors"),
            read_file(folder.path() / "killed/model/model.safetensors"));
  EXPECT_EQ(metrics("killed").size(), 40u);
}

}  // namespace
}  // namespace kg::trainer
