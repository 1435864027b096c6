// Bytes and seconds of a policy version over loopback, and what the coordinator's answers to heartbeats take meanwhile.
//
//   rollout_weights_bench --bytes N --caches C [--discard] [--sparse] [--folder FOLDER]
//
// A coordinator publishes one file of N bytes (random, or sparse: zeros that take no disk); C caches, of a host each,
// fetch it by CURVE over TCP. With --discard what arrives is counted and hashed, not kept. The file's checksum is
// compared.
#include <fcntl.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <random>
#include <thread>
#include <zmq.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/options.h"
#include "base/program.h"
#include "base/running_hash.h"
#include "proto/frame.h"
#include "rollout/coordinator.h"
#include "rollout/curve_keys.h"
#include "rollout/weights_channel.h"
#include "rollout/weights_fetcher.h"
#include "tests/integration/rollout_memory_dataset.h"

namespace kg::rollout {
namespace {

constexpr std::uint64_t kChunk = 1 << 20, kUnderWay = 8;  // as WeightsFetch

void write_file(const fs::path& path, std::uint64_t bytes, bool sparse) {
  const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
  if (sparse) {
    if (::ftruncate(file.number(), static_cast<off_t>(bytes)) != 0)
      throw Error("cannot make the file", path.string(), "");
    return;
  }
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> block(1 << 17);
  for (auto& word : block) word = random();
  for (std::uint64_t done = 0; done < bytes;) {
    const std::uint64_t now = std::min<std::uint64_t>(bytes - done, block.size() * 8);
    block[0] = done;
    if (!write_fully(file.number(), {reinterpret_cast<const char*>(block.data()), now}))
      throw Error("cannot write", path.string(), "free disk space");
    done += now;
  }
}

// Fetches the file as a worker does, and keeps nothing.
std::string discard(const std::string& coordinator, const fs::path& keys, std::uint64_t version, std::uint64_t bytes) {
  zmq::context_t context(1);
  zmq::socket_t socket(context, zmq::socket_type::dealer);
  secure_client(socket, keys, "worker");
  socket.connect(weights_endpoint(coordinator));
  RunningHash128 hash;
  std::uint64_t offset = 0, asked = 0;
  while (offset < bytes) {
    for (; asked < std::min(bytes, offset + kUnderWay * kChunk); asked += kChunk) {
      proto::RolloutMessage message;
      message.set_protocol(proto::kProtocolVersion);
      message.mutable_fetch()->set_version(version);
      message.mutable_fetch()->set_file("model.safetensors");
      message.mutable_fetch()->set_offset(asked);
      message.mutable_fetch()->set_length(kChunk);
      socket.send(zmq::buffer(message.SerializeAsString()));
    }
    const auto payload = proto::receive_payload(socket, 60000);
    proto::RolloutMessage message;
    if (!payload || !message.ParseFromString(*payload) || !message.chunk().error().empty())
      throw Error("no chunk came: " + message.chunk().error(), coordinator, "");
    hash.add(message.chunk().data());
    offset += message.chunk().data().size();
  }
  return hash.hex();
}

// Longest wait for the answer to a heartbeat, of a worker that sends one each 100 ms.
struct Heartbeats {
  double longest = 0;
  int count = 0;
  std::atomic<bool> stop{false};
  std::thread thread;
  explicit Heartbeats(const std::string& endpoint) : thread([this, endpoint] { beat(endpoint); }) {}
  ~Heartbeats() {
    stop = true;
    thread.join();
  }
  void beat(const std::string& endpoint) {
    zmq::context_t context(1);
    zmq::socket_t socket(context, zmq::socket_type::dealer);
    socket.set(zmq::sockopt::linger, 0);
    socket.connect(endpoint);
    const auto send = [&](proto::RolloutMessage message) {
      message.set_protocol(proto::kProtocolVersion);
      proto::send_message(socket, message);
    };
    proto::RolloutMessage hello;
    hello.mutable_hello()->set_worker("w");
    hello.mutable_hello()->set_judge_version(reward::judge_version());
    send(hello);
    proto::receive_payload(socket, 10000);
    while (!stop) {
      proto::RolloutMessage message;
      message.mutable_heartbeat();
      const double sent = monotonic_seconds();
      send(message);
      if (!proto::receive_payload(socket, 60000)) return;
      longest = std::max(longest, monotonic_seconds() - sent);
      ++count;
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
  }
};

int bench(int argc, char** argv) {
  std::uint64_t bytes = 540000000;
  int caches = 1;
  bool sparse = false, thrown_away = false;
  std::string parent = "/tmp";
  Options options("rollout_weights_bench", "Bytes and seconds of a policy version over loopback.");
  options.add("bytes", bytes, "size of the file");
  options.add("caches", caches, "hosts that fetch it at once").range(1, 64);
  options.add("sparse", sparse, "a file without blocks on the disk");
  options.add("discard", thrown_away, "keep nothing of what arrives");
  options.add("folder", parent, "where the file and the caches lie");
  if (!options.parse(argc, argv)) return 0;
  ::setenv("TMPDIR", parent.c_str(), 1);
  const TemporaryFolder folder("kgweights");
  make_keys(folder.path() / "keys", "worker");
  const fs::path weights = folder.path() / "version";
  fs::create_directories(weights);
  const double begin_writing = monotonic_seconds();
  write_file(weights / "model.safetensors", bytes, sparse);
  const std::string checksum = hash128_hex_of_file(weights / "model.safetensors");
  write_file_atomically(weights / kVersionFiles, list_to_text({{"model.safetensors", bytes, checksum}}));
  std::printf("written and hashed in %.1f s\n", monotonic_seconds() - begin_writing);
  MemoryDataset data;
  CoordinatorOptions coordinator_options{.run = "bench", .run_folder = folder.path() / "run"};
  fs::create_directories(coordinator_options.run_folder);
  coordinator_options.bind = "tcp://127.0.0.1:*";
  coordinator_options.keys_folder = folder.path() / "keys";
  const auto coordinator = Coordinator::start(coordinator_options, data);
  proto::WeightsManifest manifest;
  manifest.set_version(1);
  manifest.set_path(weights.string());
  manifest.set_bytes(bytes);
  manifest.set_checksum(checksum);
  coordinator->publish_weights(manifest);
  zmq::context_t context(1);  // the version with its lineage, as a worker is told
  zmq::socket_t asker(context, zmq::socket_type::dealer);
  asker.connect(coordinator->endpoint());
  proto::RolloutMessage hello;
  hello.set_protocol(proto::kProtocolVersion);
  hello.mutable_hello()->set_worker("asker");
  hello.mutable_hello()->set_judge_version(reward::judge_version());
  proto::send_message(asker, hello);
  proto::RolloutMessage welcome;
  welcome.ParseFromString(proto::receive_payload(asker, 10000).value());
  proto::WeightsManifest remote = welcome.welcome().weights();
  remote.clear_path();
  std::atomic<int> wrong{0};
  double seconds = 0;
  {
    Heartbeats heartbeats(coordinator->endpoint());
    const double begin = monotonic_seconds();
    std::vector<std::thread> threads;
    for (int i = 0; i < caches; ++i)
      threads.emplace_back([&, i] {
        try {
          if (thrown_away) {
            wrong +=
                discard(coordinator->remote_endpoint(), folder.path() / "keys", remote.version(), bytes) != checksum;
            return;
          }
          WeightsFetcher fetcher(remote, folder.path() / ("cache-" + std::to_string(i)),
                                 {.coordinator = coordinator->remote_endpoint(),
                                  .keys_folder = folder.path() / "keys",
                                  .key_name = "worker"});
          while (!fetcher.finished() && fetcher.error().empty())
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
          if (!fetcher.finished()) throw Error(fetcher.error(), "fetcher", "");
        } catch (const std::exception& error) {
          std::fprintf(stderr, "cache %d: %s\n", i, error.what());
          ++wrong;
        }
      });
    for (std::thread& thread : threads) thread.join();
    seconds = monotonic_seconds() - begin;
    heartbeats.stop = true;
    std::printf(
        "%d cache(s) of %.3f GB: %.1f s, %.3f GB sent, %.0f MB/s; %d heartbeats, longest answer %.0f ms; %d wrong\n",
        caches, static_cast<double>(bytes) / 1e9, seconds, static_cast<double>(bytes) * caches / 1e9,
        static_cast<double>(bytes) * caches / 1e6 / seconds, heartbeats.count, 1000 * heartbeats.longest, wrong.load());
  }
  return wrong == 0 ? 0 : 1;
}

}  // namespace
}  // namespace kg::rollout

int main(int argc, char** argv) {
  return kg::run_program([&] { return kg::rollout::bench(argc, argv); });
}
