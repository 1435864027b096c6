// Real worker processes and a real coordinator, killed at random moments.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>

#include <nlohmann/json.hpp>
#include <random>
#include <zmq.hpp>

#include "base/clock.h"
#include "base/hash.h"
#include "rollout/coordinator.h"
#include "rollout/curve_keys.h"
#include "rollout/lineage.h"
#include "rollout/local_fleet.h"
#include "rollout/rendezvous.h"
#include "rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

struct FleetTest : testing::Test {
  TemporaryFolder folder;
  MemoryDataset data;
  CoordinatorOptions options;
  LocalFleetOptions fleet_options;
  std::unique_ptr<Coordinator> coordinator;
  std::unique_ptr<LocalFleet> fleet;

  FleetTest() {
    add_task(data, test_task());
    options.run = "run-1";
    options.run_folder = folder.path() / "run";
    options.heartbeat_seconds = 0.2;
    fs::create_directories(options.run_folder);
    const fs::path programs = folder.path() / "programs";
    fs::create_directories(programs);
    fs::create_symlink(fs::path(KG_BINARY_DIR) / "bin/rollout_fake_generator", programs / "kgtrain-generator");
    fs::create_symlink(fs::path(KG_BINARY_DIR) / "bin/rollout_test_worker", programs / "kgtrain-worker");
    fleet_options = {.run_folder = options.run_folder, .model = "none", .workers = 4, .programs = programs};
    fleet_options.worker_arguments = {"--weights-cache", (folder.path() / "cache").string()};
  }
  ~FleetTest() override {
    if (HasFailure())
      for (const auto& log : fs::directory_iterator(options.run_folder / "logs"))
        std::printf("== %s\n%s\n", log.path().filename().c_str(), read_file(log.path()).c_str());
  }
  void start() {
    coordinator = Coordinator::start(options, data);
    fleet_options.coordinator = coordinator->endpoint();
    fleet = std::make_unique<LocalFleet>(fleet_options);
  }
  std::uint64_t submit(std::uint32_t samples, const std::string& text = "work") {
    Work work{
        .work_id = 0, .task = test_task(), .messages = {}, .samples = samples, .sampling = {}, .purpose = "train"};
    work.messages.emplace_back().set_content(text);
    return coordinator->submit(work);
  }
  proto::WeightsManifest weights(std::uint64_t version) {
    const fs::path path = options.run_folder / "weights" / std::to_string(version);
    fs::create_directories(path);
    const std::string bytes = "weights of version " + std::to_string(version);
    write_file_atomically(path / "model.safetensors", bytes);
    proto::WeightsManifest manifest;
    manifest.set_version(version);
    manifest.set_path(path.string());
    manifest.set_bytes(bytes.size());
    manifest.set_checksum(hash128_hex(bytes));
    return manifest;
  }
  // Every sample of every finished work once, and the data set holds nothing else.
  void expect_each_once(const std::vector<FinishedWork>& finished, std::size_t works, std::uint32_t samples) {
    std::set<std::pair<std::uint64_t, std::uint32_t>> seen;
    for (const FinishedWork& work : finished)
      for (const proto::Rollout& rollout : work.rollouts)
        EXPECT_TRUE(seen.emplace(rollout.work_id(), rollout.sample()).second);
    EXPECT_EQ(finished.size(), works);
    EXPECT_EQ(seen.size(), works * samples);
    EXPECT_EQ(data.rollouts().size(), works * samples);
  }
};

TEST_F(FleetTest, GroupsComeBackFromWorkersWithTheWeightsAskedFor) {
  start();
  coordinator->publish_weights(weights(3));
  for (int i = 0; i < 6; ++i) submit(4, "prompt " + std::to_string(i));
  std::vector<FinishedWork> finished;
  while (finished.size() < 6) {
    fleet->check();
    if (auto work = coordinator->wait(30))
      finished.push_back(std::move(*work));
    else
      FAIL() << "nothing finished";
  }
  expect_each_once(finished, 6, 4);
  for (const FinishedWork& work : finished)
    for (std::uint32_t i = 0; i < 4; ++i) {
      const proto::Rollout& rollout = work.rollouts[i];
      EXPECT_EQ(number_of(rollout.policy_version()), 3u);
      EXPECT_EQ(number_of(rollout.completion().policy_versions(0)), 3u);
      EXPECT_EQ(rollout.kernel(), "sample " + std::to_string(i) + " of " + work.work.messages[0].content());
      EXPECT_EQ(rollout.prompt(), work.work.messages[0].content());
      EXPECT_EQ(rollout.verdict().cycles(), i);
      EXPECT_EQ(rollout.purpose(), "train");
      EXPECT_THAT(rollout.worker(), testing::StartsWith("worker-"));
    }
}

TEST_F(FleetTest, WorkersAndGeneratorKilledAtRandomMomentsLoseNothing) {
  fleet_options.generator_arguments = {"--seconds", "0.15"};
  start();
  std::mt19937 random(7);
  constexpr int kKills = 24;
  constexpr std::uint32_t kSamples = 4;
  std::size_t submitted = 0;
  std::vector<FinishedWork> finished;
  int kills = 0;
  const double deadline = monotonic_seconds() + 100;
  while ((kills < kKills || finished.size() < submitted) && monotonic_seconds() < deadline) {
    fleet->check();
    for (; kills < kKills && submitted < finished.size() + 8; ++submitted) {
      if (submitted % 16 == 0) coordinator->publish_weights(weights(submitted / 16 + 1));
      submit(kSamples);
    }
    const double until = monotonic_seconds() + std::uniform_real_distribution<>(0, 0.4)(random);
    while (monotonic_seconds() < until)
      if (auto work = coordinator->wait(until - monotonic_seconds())) finished.push_back(std::move(*work));
    if (kills == kKills) continue;
    // 21 times a worker, and the generator now and then.
    const auto members = fleet->members();
    const std::size_t victim = kills % 8 == 7 ? 0 : 1 + random() % (members.size() - 1);
    if (members[victim].pid > 0 && ::kill(members[victim].pid, SIGKILL) == 0) ++kills;
  }
  EXPECT_EQ(kills, kKills);
  expect_each_once(finished, submitted, kSamples);
  const CoordinatorStats stats = coordinator->stats();
  EXPECT_GT(stats.expired_leases, 5u);
  std::printf("%zu works; %llu leases expired, %llu duplicates\n", submitted,
              static_cast<unsigned long long>(stats.expired_leases), static_cast<unsigned long long>(stats.duplicates));
}

TEST_F(FleetTest, ASandboxFaultThatStaysIsStoredAsInvalidInTheEnd) {
  fleet_options.workers = 2;
  fleet_options.worker_arguments.insert(fleet_options.worker_arguments.end(), {"--sandbox-fault", "sample 1"});
  start();
  submit(3);
  const auto finished = coordinator->wait(60);
  ASSERT_TRUE(finished);
  EXPECT_TRUE(finished->rollouts[0].verdict().reward_valid());
  EXPECT_FALSE(finished->rollouts[1].verdict().reward_valid());
  EXPECT_EQ(finished->rollouts[1].verdict().sandbox_error(), "asked for");
  EXPECT_NE(finished->rollouts[1].completion().text(), "");
  EXPECT_EQ(coordinator->stats().returned_leases, 2u);
  EXPECT_EQ(coordinator->stats().results, 3u) << "the good samples were made once";
}

TEST_F(FleetTest, AWorkerOverTcpFetchesTheWeights) {
  const fs::path keys = folder.path() / "keys";
  make_keys(keys, "worker");
  options.keys_folder = keys;
  options.bind = "tcp://127.0.0.1:*";
  coordinator = Coordinator::start(options, data);
  // Its path is not there for the worker: what the coordinator reads is elsewhere than the manifest's checksum says.
  proto::WeightsManifest manifest = weights(2);
  coordinator->publish_weights(manifest);
  fleet_options.workers = 1;
  fleet_options.coordinator = coordinator->remote_endpoint();
  fleet_options.worker_arguments.insert(fleet_options.worker_arguments.end(), {"--keys", keys.string()});
  fleet = std::make_unique<LocalFleet>(fleet_options);
  submit(2);
  const auto finished = coordinator->wait(60);
  ASSERT_TRUE(finished);
  EXPECT_EQ(number_of(finished->rollouts[0].policy_version()), 2u);
}

TEST_F(FleetTest, AProgramThatDiesAtOnceIsAnErrorNamingItsLog) {
  fleet_options.worker_arguments = {"--no-such-option"};
  fleet_options.workers = 1;
  start();
  const double deadline = monotonic_seconds() + 60;
  try {
    while (monotonic_seconds() < deadline) {
      fleet->check();
      coordinator->wait(0.05);
    }
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("worker-0 died 5 times"));
    EXPECT_THAT(read_file(error.where()), testing::HasSubstr("no-such-option"));
  }
}

// Workers of a run that was killed, and their generator, took the weights of the next run for older than their own:
// their results were called lies, and they were refused.
TEST_F(FleetTest, WorkersChangeOverToAnotherRunAtTheSameAddressWhoseVersionsBeginAnew) {
  start();
  coordinator->publish_weights(weights(7));
  submit(2, "of the first run");
  ASSERT_TRUE(coordinator->wait(30));
  const std::string endpoint = coordinator->endpoint();
  coordinator.reset();
  fs::remove(options.run_folder / "lineage");
  fs::remove(options.run_folder / "work_counter");
  options.run = "run-2";
  const double later = monotonic_seconds() + 1.1;  // lineages count seconds
  while (monotonic_seconds() < later) ::poll(nullptr, 0, /*timeout=*/50);
  coordinator = Coordinator::start(options, data);
  ASSERT_EQ(coordinator->endpoint(), endpoint);
  coordinator->publish_weights(weights(1));
  for (int i = 0; i < 4; ++i) submit(2, "of the second " + std::to_string(i));
  for (int i = 0; i < 4; ++i) {
    const auto work = coordinator->wait(30);
    ASSERT_TRUE(work);
    for (const proto::Rollout& rollout : work->rollouts) {
      EXPECT_EQ(rollout.run(), "run-2");
      EXPECT_EQ(number_of(rollout.completion().policy_versions(0)), 1u);
    }
  }
  EXPECT_EQ(coordinator->stats().rejected, 0u);
}

// One worker that could not live ended the run.
TEST_F(FleetTest, OneWorkerThatDiesAtOnceAgainAndAgainLeavesItsWorkToTheOthers) {
  const fs::path worker = fleet_options.programs / "kgtrain-worker";
  fs::remove(worker);
  write_file_atomically(worker, "#!/bin/sh\ncase \" $* \" in *' worker-0 '*) exit 3;; esac\nexec " KG_BINARY_DIR
                                "/bin/rollout_test_worker \"$@\"\n");
  fs::permissions(worker, fs::perms::owner_all);
  fleet_options.workers = 2;
  start();
  const double deadline = monotonic_seconds() + 60;
  std::size_t submitted = 0, finished = 0;
  while ((fleet->members()[1].restarts < 5 || finished < 5) && monotonic_seconds() < deadline) {
    ASSERT_NO_THROW(fleet->check());
    if (submitted == finished) submit(1, "prompt " + std::to_string(submitted++));
    if (coordinator->wait(0.1)) ++finished;
  }
  EXPECT_EQ(fleet->members()[1].name, "worker-0");
  EXPECT_EQ(fleet->members()[1].last_end, "exit status 3");
  EXPECT_GE(finished, 5u) << "the other one works";
  ASSERT_NO_THROW(fleet->check());
  write_file_atomically(worker, "#!/bin/sh\nexit 3\n");
  fs::permissions(worker, fs::perms::owner_all);
  ASSERT_EQ(::kill(fleet->members()[2].pid, SIGTERM), 0);
  const auto check_for_long = [&] {
    while (monotonic_seconds() < deadline) {
      fleet->check();
      coordinator->wait(0.05);
    }
  };
  EXPECT_THROW(check_for_long(), Error) << "with none left there is nobody to wait for";
}

// Where other hosts reach the run was told to nobody, and a learner on another port or host was not found again.
TEST_F(FleetTest, AWorkerFindsTheRunByItsFolderThoughItComesBackOnAnotherPort) {
  const fs::path keys = folder.path() / "keys";
  make_keys(keys, "worker");
  options.keys_folder = keys;
  options.bind = "tcp://127.0.0.1:*";
  fleet_options.workers = 0;
  // As another host sees the file.
  const auto start_elsewhere = [&] {
    coordinator = Coordinator::start(options, data);
    const fs::path file = options.run_folder / "coordinator.json";
    auto json = nlohmann::json::parse(read_file(file));
    EXPECT_EQ(json["remote_endpoint"], coordinator->remote_endpoint());
    EXPECT_EQ(json["server_public"], read_public_key(keys / "server.pub"));
    json["host"] = "elsewhere";
    write_file_durably(file, json.dump());
    return coordinator->remote_endpoint();
  };
  const std::string first = start_elsewhere();
  fleet = std::make_unique<LocalFleet>(fleet_options);
  ChildProcess worker =
      start_logged(fleet_options.programs / "kgtrain-worker",
                   {"--run", options.run_folder, "--generator", fleet->generator_endpoint(), "--name", "w", "--keys",
                    keys.string(), "--weights-cache", (folder.path() / "cache").string()},
                   options.run_folder / "logs" / "w.log");
  submit(1);
  ASSERT_TRUE(coordinator->wait(30));
  coordinator.reset();
  zmq::context_t context;
  zmq::socket_t squatter(context, zmq::socket_type::router);
  squatter.bind(first);  // so that it cannot come back there
  ASSERT_NE(start_elsewhere(), first);
  submit(1);
  ASSERT_TRUE(coordinator->wait(60));
  EXPECT_FALSE(worker.ended());
  coordinator->finish();
  coordinator.reset();
  EXPECT_TRUE(read_rendezvous(options.run_folder).value().finished);
  const auto end = worker.wait_for(30);
  ASSERT_TRUE(end);
  EXPECT_EQ(end->text(), "exit status 0");
}

// SIGTERM to the learner ended the whole fleet of other hosts.
TEST_F(FleetTest, WorkersWaitForACoordinatorThatWasStoppedAndWorkForTheOneThatComesBack) {
  fleet_options.workers = 0;
  fleet_options.generator_arguments = {"--seconds", "0.3"};
  start();
  std::vector<ChildProcess> workers;
  for (const std::string name : {"a", "b", "c"})
    workers.push_back(
        start_logged(fleet_options.programs / "kgtrain-worker",
                     {"--connect", coordinator->endpoint(), "--generator", fleet->generator_endpoint(), "--name", name},
                     options.run_folder / "logs" / (name + ".log")));
  std::vector<std::uint64_t> ids;
  for (int i = 0; i < 12; ++i) ids.push_back(submit(2, "prompt " + std::to_string(i)));
  std::size_t finished = 0;
  for (int life = 0; life < 4; ++life) {
    if (life > 0) {
      coordinator = Coordinator::start(options, data);
      for (std::size_t i = 0; i < ids.size(); ++i) {
        Work work{.work_id = ids[i], .task = test_task(), .messages = {}, .samples = 2, .sampling = {}};
        work.messages.emplace_back().set_content("prompt " + std::to_string(i));
        EXPECT_EQ(coordinator->submit(work), ids[i]);
      }
    }
    const std::size_t wanted = life == 3 ? ids.size() : 2u * static_cast<std::size_t>(life + 1);
    for (finished = 0; finished < wanted; ++finished) ASSERT_TRUE(coordinator->wait(30)) << life;
    for (ChildProcess& worker : workers) EXPECT_FALSE(worker.ended()) << life;
    if (life == 3) coordinator->finish();
    coordinator.reset();
  }
  EXPECT_EQ(data.rollouts().size(), 2 * ids.size());
  const double deadline = monotonic_seconds() + 30;
  for (ChildProcess& worker : workers) {
    std::optional<ChildEnd> end;
    while (!(end = worker.ended()) && monotonic_seconds() < deadline) ::poll(nullptr, 0, /*timeout=*/5);
    EXPECT_TRUE(end && end->text() == "exit status 0");
    worker.signal(SIGKILL);
  }
}

TEST_F(FleetTest, WorkersEndWhenTheCoordinatorDoes) {
  fleet_options.workers = 0;
  start();
  std::vector<ChildProcess> workers;
  for (const std::string name : {"a", "b", "c"})
    workers.push_back(
        start_logged(fleet_options.programs / "kgtrain-worker",
                     {"--connect", coordinator->endpoint(), "--generator", fleet->generator_endpoint(), "--name", name},
                     options.run_folder / "logs" / (name + ".log")));
  const double deadline = monotonic_seconds() + 30;
  while (coordinator->stats().workers < 3 && monotonic_seconds() < deadline) coordinator->wait(0.01);
  submit(2);
  ASSERT_TRUE(coordinator->wait(30));
  coordinator->finish();
  coordinator.reset();
  for (ChildProcess& worker : workers) {
    std::optional<ChildEnd> end;
    while (!(end = worker.ended()) && monotonic_seconds() < deadline) ::poll(nullptr, 0, /*timeout=*/5);
    ASSERT_TRUE(end.has_value()) << "still running";
    EXPECT_EQ(end->text(), "exit status 0");
    worker.signal(SIGKILL);
  }
}

TEST_F(FleetTest, AtTheEndNoProcessIsLeft) {
  start();
  submit(1);
  ASSERT_TRUE(coordinator->wait(30));
  const auto members = fleet->members();
  fleet.reset();
  for (const FleetMember& member : members) EXPECT_NE(::kill(member.pid, 0), 0) << member.name;
}

}  // namespace
}  // namespace kg::rollout
