// A node with real processes: it keeps them running, finds the run again, and ends with it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <future>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "rollout/coordinator.h"
#include "rollout/curve_keys.h"
#include "rollout/fleet_keys.h"
#include "rollout/node.h"
#include "rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

struct NodeTest : testing::Test {
  TemporaryFolder folder;
  MemoryDataset data;
  CoordinatorOptions options;
  NodeOptions node;
  int stop = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);

  NodeTest() {
    add_task(data, test_task());
    options.run = "run-1";
    options.run_folder = folder.path() / "run";
    options.heartbeat_seconds = 0.2;
    options.silence_seconds = 2;
    fs::create_directories(options.run_folder);
    write_file_atomically(
        options.run_folder / "config.json",
        nlohmann::json{{"model", folder.path().string()}, {"options", {{"dtype", "float32"}}}}.dump());
    const fs::path programs = folder.path() / "programs";
    fs::create_directories(programs);
    fs::create_symlink(fs::path(KG_BINARY_DIR) / "bin/rollout_fake_generator", programs / "kgtrain-generator");
    fs::create_symlink(fs::path(KG_BINARY_DIR) / "bin/rollout_test_worker", programs / "kgtrain-worker");
    node = {.run_folder = options.run_folder, .name = "n", .workers = 2, .programs = programs};
    node.keys_folder = options.run_folder / "keys";
    node.weights_cache = folder.path() / "cache";
  }
  ~NodeTest() override { ::close(stop); }

  std::future<NodeEnd> start() {
    return std::async(std::launch::async, [this] { return run_node(node, stop); });
  }
  nlohmann::json report() const {
    const fs::path file = options.run_folder / "nodes" / "n" / "node.json";
    return fs::exists(file) ? nlohmann::json::parse(read_file(file)) : nlohmann::json::object();
  }
  static bool await(const std::function<bool()>& condition) {
    const double deadline = monotonic_seconds() + 30;
    while (!condition() && monotonic_seconds() < deadline) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return condition();
  }
  void expect_work(Coordinator& coordinator, std::uint32_t samples) {
    Work work{
        .work_id = 0, .task = test_task(), .messages = {}, .samples = samples, .sampling = {}, .purpose = "train"};
    work.messages.emplace_back().set_content("work");
    coordinator.submit(work);
    const auto done = coordinator.wait(30);
    ASSERT_TRUE(done);
    for (const proto::Rollout& rollout : done->rollouts)
      EXPECT_THAT(rollout.worker(), testing::StartsWith("n/worker-"));
  }
};

TEST_F(NodeTest, ItWaitsForTheRunKeepsItsProcessesRunningAndEndsWithTheRun) {
  auto end = start();
  ASSERT_TRUE(await([&] { return report().value("state", "") == "waiting"; }));
  auto coordinator = Coordinator::start(options, data);
  expect_work(*coordinator, 3);
  ASSERT_TRUE(await([&] { return report().value("state", "") == "running"; }));
  // An exception here would wait for the node that nobody stops.
  ASSERT_TRUE(await([&] { return report().value("processes", nlohmann::json::array()).size() > 1; }));
  const int worker = report()["processes"][1]["pid"];
  ASSERT_EQ(::kill(worker, SIGKILL), 0);
  ASSERT_TRUE(await([&] { return report().value("restarts", 0) == 1; }));
  coordinator.reset();  // stopped, and comes back
  coordinator = Coordinator::start(options, data);
  expect_work(*coordinator, 3);
  EXPECT_EQ(coordinator->stats().nodes.at("n").results, 3u);
  coordinator->finish();
  ASSERT_EQ(end.wait_for(std::chrono::seconds(20)), std::future_status::ready);
  EXPECT_EQ(end.get(), NodeEnd::kRunEnded);
  EXPECT_EQ(report()["state"], "finished");
  EXPECT_EQ(start().get(), NodeEnd::kRunEnded) << "one that comes too late has nothing to do";
}

TEST_F(NodeTest, AskedToStopItEndsItsProcesses) {
  const auto coordinator = Coordinator::start(options, data);
  auto end = start();
  ASSERT_TRUE(await([&] { return coordinator->stats().workers == 2; }));
  // An exception here would wait for the node that nobody stops.
  ASSERT_TRUE(await([&] { return report().value("processes", nlohmann::json::array()).size() > 1; }));
  const int worker = report()["processes"][1]["pid"];
  const std::uint64_t one = 1;
  ASSERT_EQ(::write(stop, &one, sizeof(one)), static_cast<ssize_t>(sizeof(one)));
  EXPECT_EQ(end.get(), NodeEnd::kStopped);
  EXPECT_EQ(::kill(worker, 0), -1) << "its workers are gone";
  EXPECT_EQ(report()["state"], "stopped");
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const Error& error) {
    return error.full_message();
  }
  return "no error";
}

TEST_F(NodeTest, WhatKeepsAHostFromWorkingIsSaid) {
  using testing::HasSubstr;
  Rendezvous run{.run = "run-1", .endpoint = "ipc:///x", .remote_endpoint = "tcp://h:1", .host = "elsewhere"};
  run.judge_version = reward::judge_version();
  const auto said = [&] { return message_of([&] { require_fit(node, run); }); };
  EXPECT_THAT(said(), testing::AllOf(HasSubstr("needs CURVE keys"), HasSubstr("node.key")));
  make_fleet_keys(node.keys_folder, 2, /*rotate=*/false);
  node.key_name = "node-1";
  run.server_public = std::string(40, 'x');
  EXPECT_THAT(said(), HasSubstr("the run's public key is"));
  run.server_public = read_public_key(node.keys_folder / "server.pub");
  EXPECT_EQ(said(), "no error");
  run.judge_version = "other";
  EXPECT_THAT(said(), HasSubstr("judge version other"));
  run.protocol = 99;
  EXPECT_THAT(said(), HasSubstr("protocol 99"));
  run.remote_endpoint.clear();
  run.protocol = 0;
  run.judge_version.clear();
  EXPECT_THAT(said(), HasSubstr("listens for no other hosts"));
  node.patience_seconds = 0.5;
  EXPECT_THAT(message_of([&] { run_node(node, stop); }), HasSubstr("has had no learner"));
  write_file_atomically(options.run_folder / "config.json", R"({"model": "/nowhere/model"})");
  const auto coordinator = Coordinator::start(options, data);
  EXPECT_THAT(message_of([&] { run_node(node, stop); }),
              testing::AllOf(HasSubstr("/nowhere/model"), HasSubstr("--model")));
}

TEST(FleetKeys, EachNodeHasAKeyOfItsOwnAndNewOnesReplaceThem) {
  TemporaryFolder folder;
  const fs::path keys = folder.path() / "keys";
  make_fleet_keys(keys, 2, /*rotate=*/false);
  struct stat info{};
  ASSERT_EQ(::stat(keys.c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
  const std::string server = read_public_key(keys / "server.pub"), first = worker_public_key(keys, "node-0");
  make_keys(keys, "by-hand");
  EXPECT_EQ(read_allowed_workers(keys).size(), 3u);
  make_fleet_keys(keys, 4, /*rotate=*/false);
  EXPECT_EQ(read_allowed_workers(keys).size(), 5u);
  EXPECT_EQ(worker_public_key(keys, "node-0"), first);
  make_fleet_keys(keys, 3, /*rotate=*/true);
  const auto allowed = read_allowed_workers(keys);
  EXPECT_EQ(allowed.size(), 4u);
  EXPECT_FALSE(allowed.contains(first)) << "the old one is refused";
  EXPECT_TRUE(allowed.contains(worker_public_key(keys, "node-0")));
  EXPECT_TRUE(allowed.contains(worker_public_key(keys, "by-hand")));
  EXPECT_EQ(read_public_key(keys / "server.pub"), server);
}

}  // namespace
}  // namespace kg::rollout
