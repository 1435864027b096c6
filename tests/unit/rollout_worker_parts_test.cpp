// The parts of worker and coordinator that need neither sockets nor processes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstdlib>

#include "base/error.h"
#include "base/hash.h"
#include "rollout/curve_keys.h"
#include "rollout/endpoint.h"
#include "rollout/outbox.h"
#include "rollout/weights_fetch.h"
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
    for (int i = 0; i < 1500; ++i) {
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
  EXPECT_EQ(read_file(fs::path(fetch.local().path()) / "model.safetensors"), bytes);
  EXPECT_EQ(read_file(fs::path(fetch.local().path()) / "config.json"), "{}");
  EXPECT_EQ(find_weights(remote(), cache)->path(), fetch.local().path());
}

TEST_F(FetchTest, ABrokenChunkIsAnErrorAndLeavesNothing) {
  std::optional<proto::FetchWeights> asked;
  WeightsFetch fetch(remote(), cache, [&](const proto::FetchWeights& request) { asked = request; });
  fetch.tick(1);
  for (int round = 0; round < 100 && fetch.error().empty() && !fetch.finished(); ++round) {
    proto::WeightsChunk chunk = server.answer(*asked);
    if (chunk.file() == "model.safetensors" && chunk.offset() > 0) (*chunk.mutable_data())[7] ^= 1;
    fetch.receive(chunk, 1);
  }
  EXPECT_THAT(fetch.error(), testing::HasSubstr("checksum"));
  EXPECT_TRUE(fs::is_empty(cache));
}

TEST_F(FetchTest, AVersionNoLongerServedIsAnError) {
  std::optional<proto::FetchWeights> asked;
  manifest.set_version(9);
  WeightsFetch fetch(remote(), cache, [&](const proto::FetchWeights& request) { asked = request; });
  fetch.tick(1);
  fetch.receive(server.answer(*asked), 1);
  EXPECT_THAT(fetch.error(), testing::HasSubstr("version 9 is not served"));
}

TEST(WeightsList, ANameWithAFolderIsRefused) {
  EXPECT_THROW(list_from_text("../evil 1 0\n"), Error);
  EXPECT_EQ(list_from_text("a 1 00\nb 2 11\n").size(), 2u);
}

}  // namespace
}  // namespace kg::rollout
