// The coordinator's process killed at random moments, with the real data set; its workers live on.
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <map>
#include <random>

#include "base/clock.h"
#include "dataset/store/dataset.h"
#include "rollout/endpoint.h"
#include "rollout/local_fleet.h"

namespace kg::rollout {
namespace {

TEST(Restart, AKilledCoordinatorLosesNothingAndMakesNothingTwice) {
  TemporaryFolder folder;
  const fs::path run = folder.path() / "run", programs = folder.path() / "programs", data = folder.path() / "data.h5";
  fs::create_directories(run);
  fs::create_directories(programs);
  const fs::path bin = fs::path(KG_BINARY_DIR) / "bin";
  fs::create_symlink(bin / "rollout_fake_generator", programs / "kgtrain-generator");
  fs::create_symlink(bin / "rollout_test_worker", programs / "kgtrain-worker");
  LocalFleet fleet({.run_folder = run,
                    .model = "none",
                    .coordinator = local_endpoint(run, "coordinator"),
                    .workers = 4,
                    .generator_arguments = {"--seconds", "0.1"},
                    .programs = programs});
  constexpr int kWorks = 80, kSamples = 4, kKills = 12;
  const std::vector<std::string> arguments{"--data",  data.string(),          "--folder",  run.string(),
                                           "--works", std::to_string(kWorks), "--samples", std::to_string(kSamples)};
  const auto start = [&] { return start_logged(bin / "rollout_test_learner", arguments, run / "learner.log"); };
  std::mt19937 random(11);
  const double deadline = monotonic_seconds() + 100;
  int kills = 0;
  ChildProcess learner = start();
  double kill_at = monotonic_seconds() + 0.5;
  std::optional<ChildEnd> end;
  while (monotonic_seconds() < deadline) {
    fleet.check();
    ::poll(nullptr, 0, /*timeout=*/5);
    end = learner.ended();
    if (end && end->text() != "signal 9") break;
    if (end) {
      learner = start();
      kill_at = monotonic_seconds() + std::uniform_real_distribution<>(0.05, 0.8)(random);
    } else if (kills < kKills && monotonic_seconds() > kill_at) {
      learner.signal(SIGKILL);
      ++kills;
      kill_at = deadline;
    }
  }
  ASSERT_TRUE(end.has_value()) << "still running";
  ASSERT_EQ(end->text(), "exit status 0") << read_file(run / "learner.log");
  std::printf("%d kills\n", kills);
  EXPECT_GE(kills, 5);
  std::map<std::pair<std::uint64_t, std::uint32_t>, int> copies;
  const auto stored = dataset::Dataset::open(data, dataset::OpenMode::kRead);
  stored->for_each_rollout([&](const proto::Rollout& rollout) {
    ++copies[{rollout.work_id(), rollout.sample()}];
    EXPECT_EQ(rollout.kernel(),
              "sample " + std::to_string(rollout.sample()) + " of work " + std::to_string(rollout.work_id()));
    return true;
  });
  EXPECT_EQ(copies.size(), static_cast<std::size_t>(kWorks * kSamples));
  for (const auto& [key, count] : copies) EXPECT_EQ(count, 1) << key.first << "/" << key.second;
}

}  // namespace
}  // namespace kg::rollout
