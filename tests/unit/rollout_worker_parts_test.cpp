// The parts of worker and coordinator that need neither sockets nor processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <deque>
#include <memory>
#include <thread>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"
#include "rollout/judge_slots.h"
#include "rollout/lineage.h"
#include "rollout/outbox.h"
#include "rollout/rendezvous.h"
#include "rollout/weights_channel.h"
#include "rollout/weights_fetch.h"
#include "rollout/weights_fetcher.h"
#include "rollout/work_counter.h"

namespace kg::rollout {
namespace {

proto::Result result(std::uint64_t lease_id, std::uint64_t work_id, std::uint32_t sample) {
  proto::Result result;
  result.set_lease_id(lease_id);
  result.mutable_rollout()->set_work_id(work_id);
  result.mutable_rollout()->set_sample(sample);
  return result;
}

TEST(Outbox, KeepsAndSendsAgainUntilAcknowledged) {
  Outbox outbox(10);
  outbox.add(result(5, 1, 0));
  outbox.add(result(5, 1, 1));
  EXPECT_EQ(outbox.due(0).size(), 2u);
  outbox.sent({1, 0}, 0);
  outbox.sent({1, 1}, 0);
  EXPECT_TRUE(outbox.due(9).empty());
  EXPECT_EQ(outbox.due(10).size(), 2u);
  EXPECT_EQ(outbox.acknowledged({1, 0}), 5u);
  EXPECT_EQ(outbox.acknowledged({1, 0}), 0u) << "a second acknowledgement says nothing new";
  EXPECT_TRUE(outbox.holds_result_of(5));
  outbox.sent({1, 1}, 10);
  outbox.send_all_again();
  EXPECT_EQ(outbox.due(10).size(), 1u);
  outbox.acknowledged({1, 1});
  EXPECT_FALSE(outbox.holds_result_of(5));
  EXPECT_EQ(outbox.size(), 0u);
}

TEST(WorkCounter, NeverGivesAnIdTwiceHoweverItIsKilled) {
  TemporaryFolder folder;
  const fs::path file = folder.path() / "work_counter";
  std::uint64_t last = 0;
  for (int life = 0; life < 4; ++life) {
    WorkCounter counter(file);  // a kill is no destructor call: nothing is written at the end
    for (int i = 0; i < 17000; ++i) {
      const std::uint64_t id = counter.next();
      EXPECT_GT(id, last);
      last = id;
    }
  }
  WorkCounter counter(file);
  counter.skip_to(1000000);
  EXPECT_EQ(counter.next(), 1000000u);
  EXPECT_GT(WorkCounter(file).next(), 1000000u);
}

TEST(WorkCounter, ABrokenFileIsAnErrorThatSaysWhatToWrite) {
  TemporaryFolder folder;
  write_file_atomically(folder.path() / "work_counter", "twelve\n");
  EXPECT_THROW(WorkCounter(folder.path() / "work_counter"), Error);
}

TEST(Endpoint, ALongRunFolderGetsAShortSocketPath) {
  TemporaryFolder folder;
  const fs::path deep = folder.path() / std::string(60, 'a') / std::string(60, 'b');
  const std::string endpoint = local_endpoint(deep, "coordinator");
  EXPECT_LE(endpoint.size(), std::string("ipc://").size() + 107);
  EXPECT_EQ(endpoint, local_endpoint(deep, "coordinator")) << "a restarted process binds the same";
  EXPECT_NE(endpoint, local_endpoint(deep.string() + "c", "coordinator"));
  fs::remove_all(fs::path(endpoint.substr(6)).parent_path());
}

TEST(Endpoint, TheFolderOfASocketIsPrivate) {
  TemporaryFolder folder;
  const std::string endpoint = local_endpoint(folder.path(), "generator");
  EXPECT_EQ(endpoint, "ipc://" + (folder.path() / "sockets/generator").string());
  struct stat info{};
  ASSERT_EQ(::stat((folder.path() / "sockets").c_str(), &info), 0);
  EXPECT_EQ(info.st_mode & 0777, 0700u);
}

TEST(CurveKeys, AReadableSecretIsRefused) {
  TemporaryFolder folder;
  make_keys(folder.path(), "a");
  make_keys(folder.path(), "b");
  EXPECT_EQ(read_allowed_workers(folder.path()).size(), 2u);
  EXPECT_TRUE(read_allowed_workers(folder.path()).contains(read_key_pair(folder.path() / "b.key").public_key));
  fs::permissions(folder.path() / "a.key", fs::perms::group_read, fs::perm_options::add);
  EXPECT_THROW(read_key_pair(folder.path() / "a.key"), Error);
  EXPECT_THROW(make_keys(folder.path(), "server"), Error);
}

// "a b\nc" wrote two lines into allowed_workers, of which the second was no key: no coordinator started any more.
TEST(CurveKeys, ANameThatWouldBreakALineOfTheListIsRefused) {
  TemporaryFolder folder;
  for (const std::string name : {"a b\nc", "a b", "", ".", "..", "a/b", "-a", "a\tb", "\x7f"})
    EXPECT_THROW(make_keys(folder.path(), name), Error) << name;
  EXPECT_THROW(make_keys(folder.path(), std::string(65, 'a')), Error);
  make_keys(folder.path(), "node-7.gpu_2");
  EXPECT_EQ(read_allowed_workers(folder.path()).size(), 1u);
  EXPECT_EQ(worker_public_key(folder.path(), "node-7.gpu_2"), *read_allowed_workers(folder.path()).begin());
}

TEST(Lineage, EachStartOfARunHasVersionsAboveAllBefore) {
  TemporaryFolder folder;
  const Lineage begun = begin_lineage(folder.path());
  EXPECT_TRUE(begun.first);
  const Lineage again = begin_lineage(folder.path());
  EXPECT_FALSE(again.first);
  const std::uint64_t first = begun.number, second = again.number;
  EXPECT_GT(second, first) << "though both began in one second";
  EXPECT_GT(version_in(second, 1), version_in(first, 1000000));
  EXPECT_EQ(number_of(version_in(second, 5)), 5u);
  EXPECT_EQ(lineage_of(version_in(second, 5)), second);
  EXPECT_GT(first_lease_of(second), first_lease_of(first) + 1000000000);
  EXPECT_LT(version_in(second, ~std::uint32_t{0}), std::uint64_t{1} << 63);
  write_file_atomically(folder.path() / "lineage", std::to_string(second + 1000000) + "\n");
  EXPECT_EQ(begin_lineage(folder.path()).number, second + 1000000) << "though the clock was set back";
  write_file_atomically(folder.path() / "lineage", "three\n");
  EXPECT_THROW(begin_lineage(folder.path()), Error);
  TemporaryFolder another;
  write_file_atomically(folder.path() / "lineage", std::to_string(first) + "\n");
  EXPECT_GE(begin_lineage(another.path()).number, first) << "of a run that begins later";
}

TEST(Rendezvous, TheRunsFolderSaysWhereItsCoordinatorListens) {
  TemporaryFolder folder;
  EXPECT_THROW(endpoint_of_run(folder.path()), Error);
  write_rendezvous(folder.path(), {.run = "r", .lineage = 1, .endpoint = "ipc:///x", .remote_endpoint = "tcp://h:1"});
  EXPECT_EQ(endpoint_of_run(folder.path()), "ipc:///x") << "on the same host";
  std::string text = read_file(folder.path() / "coordinator.json");
  const std::string host = "\"host\": \"";
  text.insert(text.find(host) + host.size(), "not-");
  write_file_atomically(folder.path() / "coordinator.json", text);
  EXPECT_EQ(endpoint_of_run(folder.path()), "tcp://h:1");
  mark_run_finished(folder.path());
  EXPECT_TRUE(read_rendezvous(folder.path()).value().finished);
  EXPECT_THROW(endpoint_of_run(folder.path()), Error);
  EXPECT_EQ(with_host_name("tcp://10.0.0.1:5"), "tcp://10.0.0.1:5");
  EXPECT_THAT(with_host_name("tcp://0.0.0.0:5"),
              testing::AllOf(testing::EndsWith(":5"), testing::Not(testing::HasSubstr("0.0.0.0"))));
}

// A worker that found all slots busy waited at one of them, though another became free.
TEST(JudgeSlots, AWaiterTakesWhicheverSlotBecomesFree) {
  TemporaryFolder folder;
  std::unique_ptr<JudgeSlot> held[3];
  for (auto& slot : held) slot = std::make_unique<JudgeSlot>(folder.path(), 3);
  for (std::size_t freed = 0; freed < 3; ++freed) {
    std::unique_ptr<JudgeSlot> taken;
    std::thread waiter([&] { taken = std::make_unique<JudgeSlot>(folder.path(), 3); });
    held[freed].reset();
    waiter.join();
    std::swap(held[freed], taken);
  }
}

struct FetchTest : testing::Test {
  TemporaryFolder folder;
  fs::path cache = folder.path() / "cache";
  WeightsServer server;
  proto::WeightsManifest manifest;
  std::string bytes;

  FetchTest() {
    const fs::path path = folder.path() / "v4";
    fs::create_directories(path);
    for (int i = 0; i < 2500000; ++i) bytes.push_back(static_cast<char>(i * 2654435761u >> 13));
    write_file_atomically(path / "model.safetensors", bytes);
    write_file_atomically(path / "config.json", "{}");
    manifest.set_version(4);
    manifest.set_path(path.string());
    manifest.set_bytes(bytes.size());
    manifest.set_checksum(hash128_hex(bytes));
    server.publish(manifest);
  }
  // As another host sees it: the path is not there.
  proto::WeightsManifest remote() const {
    proto::WeightsManifest elsewhere = manifest;
    elsewhere.set_path("/nowhere/v4");
    return elsewhere;
  }
};

TEST_F(FetchTest, WeightsArriveInChunksThoughSomeAreLostOrComeTwice) {
  EXPECT_TRUE(find_weights(manifest, cache)) << "on one host the path itself serves";
  EXPECT_FALSE(find_weights(remote(), cache));
  std::vector<proto::FetchWeights> asked;
  WeightsFetch fetch(remote(), cache, [&](const proto::FetchWeights& request) { asked.push_back(request); });
  double now = 1;
  for (std::size_t round = 0; !fetch.finished() && round < 100; ++round) {
    fetch.tick(now);
    const auto requests = std::exchange(asked, {});
    for (const proto::FetchWeights& request : requests) {
      if (round % 3 == 1) continue;  // lost
      const proto::WeightsChunk chunk = server.answer(request);
      fetch.receive(chunk, now);
      fetch.receive(chunk, now);
    }
    now += 6;
  }
  ASSERT_TRUE(fetch.finished()) << fetch.error();
  const LocalWeights local = fetch.take();
  EXPECT_EQ(read_file(fs::path(local.manifest.path()) / "model.safetensors"), bytes);
  EXPECT_EQ(read_file(fs::path(local.manifest.path()) / "config.json"), "{}");
  EXPECT_EQ(find_weights(remote(), cache)->manifest.path(), local.manifest.path());
}

TEST_F(FetchTest, ABrokenChunkIsAnErrorAndLeavesNothing) {
  std::deque<proto::FetchWeights> asked;
  WeightsFetch fetch(remote(), cache, [&](const proto::FetchWeights& request) { asked.push_back(request); });
  fetch.tick(1);
  for (; !asked.empty() && fetch.error().empty() && !fetch.finished(); asked.pop_front()) {
    proto::WeightsChunk chunk = server.answer(asked.front());
    if (chunk.file() == "model.safetensors" && chunk.offset() > 0) (*chunk.mutable_data())[7] ^= 1;
    fetch.receive(chunk, 1);
  }
  EXPECT_THAT(fetch.error(), testing::HasSubstr("checksum"));
  for (const auto& entry : fs::directory_iterator(cache)) EXPECT_FALSE(entry.is_directory()) << entry.path();
}

TEST_F(FetchTest, AVersionNoLongerServedIsAnError) {
  std::optional<proto::FetchWeights> asked;
  manifest.set_version(9);
  WeightsFetch fetch(remote(), cache, [&](const proto::FetchWeights& request) { asked = request; });
  fetch.tick(1);
  fetch.receive(server.answer(*asked), 1);
  EXPECT_THAT(fetch.error(), testing::HasSubstr("version 9 is not served"));
}

// Four and more processes of a host removed each other's downloads, or the folder that had just been finished.
TEST_F(FetchTest, EightFetchersOfAHostShareOneDownloadAndKeepWhatTheyUse) {
  std::vector<std::vector<proto::FetchWeights>> asked(8);
  std::vector<std::unique_ptr<WeightsFetch>> fetchers;
  for (std::size_t i = 0; i < 8; ++i)
    fetchers.push_back(std::make_unique<WeightsFetch>(
        remote(), cache, [&, i](const proto::FetchWeights& request) { asked[i].push_back(request); }));
  std::uint64_t chunks = 0;
  double now = 1;
  bool killed = false;
  const auto all_done = [&] {
    return std::all_of(fetchers.begin(), fetchers.end(),
                       [](const auto& fetch) { return fetch == nullptr || fetch->finished(); });
  };
  for (int round = 0; round < 100 && !all_done(); ++round, now += 0.2)
    for (std::size_t i = 0; i < 8; ++i) {
      if (fetchers[i] == nullptr) continue;
      fetchers[i]->tick(now);
      for (const proto::FetchWeights& request : std::exchange(asked[i], {})) {
        ++chunks;
        fetchers[i]->receive(server.answer(request), now);
        if (!killed && chunks == 4) {  // the one that fetches dies in the middle
          killed = true;
          fetchers[i].reset();
          break;
        }
      }
    }
  EXPECT_TRUE(killed);
  ASSERT_TRUE(all_done());
  EXPECT_EQ(chunks, 4u + 1u + 1u) << "the list again, and what was missing, by one of the others";
  std::vector<LocalWeights> held;
  for (auto& fetch : fetchers)
    if (fetch != nullptr) {
      EXPECT_EQ(fetch->error(), "");
      held.push_back(fetch->take());
    }
  // Newer versions come; what is in use stays, what is not goes.
  const WeightsCache weights(cache);
  const auto add_version = [&](std::uint64_t version) {
    proto::WeightsManifest newer = remote();
    newer.set_version(version);
    const WeightsCache::Part part = weights.make_part(newer);
    write_file_atomically(part.folder / "model.safetensors", bytes);
    weights.keep(part.folder, newer);
    weights.thin_out();
  };
  for (std::uint64_t version = 5; version < 12; ++version) add_version(version);
  EXPECT_EQ(read_file(fs::path(held.front().manifest.path()) / "model.safetensors"), bytes);
  held.clear();
  add_version(12);
  EXPECT_FALSE(find_weights(remote(), cache));
}

// Chunks from a thread and a socket of their own, on both sides.
TEST_F(FetchTest, AFetcherGoesOnWhereAnEarlierOneWasKilled) {
  zmq::context_t context(2);
  const std::string coordinator = "ipc://" + (folder.path() / "coordinator").string();
  WeightsChannel channel(context, server, coordinator);
  channel.start();
  EXPECT_EQ(weights_endpoint("tcp://10.0.0.1:7000"), "tcp://10.0.0.1:7001");
  {  // what a killed process leaves
    const WeightsCache::Part part = WeightsCache(cache).make_part(remote());
    write_file_atomically(part.folder / "config.json", "{}");
    write_file_atomically(part.folder / "model.safetensors", bytes.substr(0, 1500000));
  }
  WeightsFetcher fetcher(remote(), cache, {.coordinator = coordinator});
  const double deadline = monotonic_seconds() + 30;
  while (!fetcher.finished() && fetcher.error().empty() && monotonic_seconds() < deadline)
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ASSERT_TRUE(fetcher.finished()) << fetcher.error();
  EXPECT_LE(fetcher.progress(), 2u) << "one chunk was missing";
  EXPECT_EQ(read_file(fs::path(fetcher.take().manifest.path()) / "model.safetensors"), bytes);
}

TEST(WeightsList, AVersionsOwnListSparesReadingItsFiles) {
  TemporaryFolder folder;
  write_file_atomically(folder.path() / "adapter_model.safetensors", "abc");
  EXPECT_EQ(version_checksum(list_weights(folder.path())), hash128_hex("abc"));
  write_file_atomically(folder.path() / kVersionFiles,
                        "adapter_model.safetensors 3 00112233445566778899aabbccddeeff\n");
  EXPECT_EQ(version_checksum(list_weights(folder.path())), "00112233445566778899aabbccddeeff");
  EXPECT_EQ(list_weights(folder.path()).size(), 2u) << "the list travels too";
}

TEST(WeightsList, ANameWithAFolderIsRefused) {
  EXPECT_THROW(list_from_text("../evil 1 0\n"), Error);
  EXPECT_EQ(list_from_text("a 1 00\nb 2 11\n").size(), 2u);
}

}  // namespace
}  // namespace kg::rollout
