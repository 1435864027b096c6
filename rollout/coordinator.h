#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "proto/rollout.pb.h"
#include "reward/judge_version.h"
#include "reward/reward_config.h"

namespace kg::rollout {

// A unit of work: `samples` answers to one task under one purpose. `work_id` comes from the durable counter of the run.
struct Work {
  std::uint64_t work_id = 0;  // 0: the coordinator takes the next
  proto::Task task;
  std::vector<proto::ChatMessage> messages;
  std::uint32_t samples = 8;
  proto::SamplingParameters sampling;
  std::string purpose = "train";
};

struct FinishedWork {
  Work work;
  std::vector<proto::Rollout> rollouts;  // ordered by sample, complete
};

struct CoordinatorOptions {
  std::string run;        // name stored with each rollout
  fs::path run_folder;    // durable counter, local socket
  std::string bind = "";  // besides the local ipc:// socket: tcp://ADDRESS:PORT for other hosts; requires CURVE keys
  fs::path keys_folder;   // of `kgtrain-worker keys`; empty: run_folder/keys
  reward::RewardConfig reward;
  proto::ResourceLimits limits;
  proto::SourceLanguage language = proto::ASCENDC;
  // Workers with another judge are refused: rewards of one run, and of one group, must be comparable.
  std::string judge_version = reward::judge_version();
  double heartbeat_seconds = 2;
  double silence_seconds = 20;  // a worker not heard of for so long is given up
  double lease_seconds = 900;
  std::uint32_t max_attempts = 3;  // after so many sandbox faults a sample is stored with reward_valid false
};

struct CoordinatorStats {
  std::uint32_t workers = 0, leases = 0, waiting_work = 0;
  std::uint64_t results = 0, duplicates = 0, rejected = 0, expired_leases = 0, returned_leases = 0;
  std::uint64_t invalid_rewards = 0;  // stored results whose reward does not count (sandbox faults)
  double judge_busy = 0;              // mean over workers: the part of the time in which they judge
  std::string last_return_reason;
  std::vector<std::string> worker_names;
};

// Hands out work as leases against workers' credits, stores results durably before it acknowledges them, gives groups
// back when complete. Runs its socket on a thread of its own; all calls are thread-safe.
class Coordinator {
 public:
  static std::unique_ptr<Coordinator> start(const CoordinatorOptions& options, dataset::Dataset& data);
  virtual ~Coordinator() = default;  // tells workers to shut down

  virtual std::string endpoint() const = 0;         // for workers of this host and user
  virtual std::string remote_endpoint() const = 0;  // as bound, with the port chosen; empty without `bind`
  // Weights that leases handed out from now on ask for. Files of a version may be unlinked when its last lease is over.
  virtual void publish_weights(const proto::WeightsManifest& manifest) = 0;
  virtual std::optional<std::uint64_t> oldest_version_in_use() const = 0;
  // Queues work; samples of it already in the data set are not made again. Returns its work_id. A work whose id is open
  // already is not queued twice.
  virtual std::uint64_t submit(Work work) = 0;
  // The next complete group, in order of completion; nothing after `timeout_seconds`.
  virtual std::optional<FinishedWork> wait(double timeout_seconds) = 0;
  virtual CoordinatorStats stats() const = 0;
};

}  // namespace kg::rollout
