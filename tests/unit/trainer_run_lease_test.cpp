// Two learners of one run cannot both go on, though no lock of the file system keeps them apart.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <vector>

#include "base/clock.h"
#include "base/error.h"
#include "trainer/run_lease.h"

namespace kg::trainer {
namespace {

struct RunLeaseTest : testing::Test {
  TemporaryFolder folder;
  std::atomic<int> lost{0};

  RunLeaseOptions on(const std::string& host, const std::string& job = "") {
    RunLeaseOptions options{
        .host = host, .job = job, .beat_seconds = 0.05, .patience_seconds = 0.5, .settle_seconds = 0.1};
    options.lost = [this](const std::string&) { ++lost; };
    return options;
  }
  void expect_lost(int count) {
    const double deadline = monotonic_seconds() + 10;
    while (lost < count && monotonic_seconds() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    EXPECT_EQ(lost, count);
  }
  // A squeue that knows the jobs of the words given, as "ID STATE".
  void fake_slurm(const std::string& body) {
    const fs::path program = folder.path() / "bin" / "squeue";
    fs::create_directories(program.parent_path());
    write_file_atomically(program, "#!/bin/sh\n" + body);
    fs::permissions(program, fs::perms::owner_all);
    ::setenv("PATH", (program.parent_path().string() + ":" + std::getenv("PATH")).c_str(), 1);
  }
};

TEST_F(RunLeaseTest, WhoComesSecondIsRefusedAndToldWhoHasTheRun) {
  const RunLease first(folder.path(), on("a", "12"));
  try {
    const RunLease second(folder.path(), on("b"));
    FAIL() << "two have the run";
  } catch (const Error& error) {
    EXPECT_THAT(error.full_message(), testing::AllOf(testing::HasSubstr("on a, Slurm job 12"),
                                                     testing::HasSubstr("another learner has the run")));
  }
  EXPECT_NO_THROW(first.require_held());
  EXPECT_EQ(lost, 0);
}

TEST_F(RunLeaseTest, ARunThatWasGivenBackOrWhoseHolderDiedGoesToTheNextOne) {
  {
    const RunLease first(folder.path(), on("a"));
  }
  const double begin = monotonic_seconds();
  {
    const RunLease second(folder.path(), on("b"));
  }
  EXPECT_LT(monotonic_seconds() - begin, 0.4) << "nobody to wait for";
  std::string left;
  {
    const RunLease third(folder.path(), on("c"));
    left = read_file(folder.path() / "lease.json");
  }
  write_file_atomically(folder.path() / "lease.json", left);  // as a killed one leaves it
  const RunLease fourth(folder.path(), on("d"));
  EXPECT_THAT(read_file(folder.path() / "lease.json"), testing::HasSubstr("\"host\":\"d\",\"job\":\"\",\"lineage\":2"));
}

TEST_F(RunLeaseTest, SlurmIsAskedWhetherTheHoldersJobLives) {
  auto holder = std::make_unique<RunLease>(folder.path(), on("a", "41"));
  const std::string left = read_file(folder.path() / "lease.json");
  fake_slurm("echo RUNNING\n");
  EXPECT_THROW(RunLease(folder.path(), on("b", "42")), Error) << "without a wait";
  // Slurm has given the job's host up, but its learner lives on behind a broken network: it notices and ends.
  fake_slurm("echo 'slurm_load_jobs error: Invalid job id specified' >&2; exit 1\n");
  const RunLease second(folder.path(), on("b", "42"));
  expect_lost(1);
  EXPECT_THROW(holder->require_held(), Error);
  EXPECT_NO_THROW(second.require_held());
  holder.reset();
  EXPECT_NO_THROW(second.require_held()) << "whoever lost the run leaves the file alone";
}

TEST_F(RunLeaseTest, ARequeuedJobTakesItsOwnRunAtOnceAndItsOlderSelfEnds) {
  const RunLease before(folder.path(), on("a", "7"));
  const RunLease after(folder.path(), on("b", "7"));
  expect_lost(1);
}

TEST_F(RunLeaseTest, OfManyThatBeginAtOnceAtMostOneGoesOn) {
  for (int round = 0; round < 5; ++round) {
    const fs::path run = folder.path() / std::to_string(round);
    fs::create_directories(run);
    std::atomic<int> hold{0}, refused{0};
    std::vector<std::thread> threads;
    lost = 0;
    std::vector<std::unique_ptr<RunLease>> leases(6);
    for (std::size_t i = 0; i < leases.size(); ++i)
      threads.emplace_back([&, i] {
        try {
          leases[i] = std::make_unique<RunLease>(run, on("host-" + std::to_string(i)));
          ++hold;
        } catch (const Error&) {
          ++refused;
        }
      });
    for (std::thread& thread : threads) thread.join();
    EXPECT_LE(hold - lost, 1);
    EXPECT_EQ(hold + refused, 6);
  }
}

}  // namespace
}  // namespace kg::trainer
