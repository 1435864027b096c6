#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "proto/rollout.pb.h"
#include "reward/judge_version.h"
#include "reward/reward_config.h"
#include "rollout/judge_queue.h"
#include "rollout/spot_checks.h"

namespace kg::rollout {

// A unit of work: `samples` answers to one task under one purpose.
struct Work {
  std::uint64_t work_id = 0;  // asked for; 0: the next of the run's durable counter
  proto::Task task;
  std::vector<proto::ChatMessage> messages;
  std::uint32_t samples = 8;
  proto::SamplingParameters sampling;
  std::string purpose = "train";
  // A further turn: `messages` ends with the answer before and what is said to it, and the prompt begins with exactly
  // these tokens: that answer's prompt, and the answer as it was drawn. Rollout.turn and after_* of proto/record.proto.
  std::vector<std::int32_t> prefix_ids;
  std::uint32_t turn = 0;
  std::uint64_t after_work_id = 0;
  std::uint32_t after_sample = 0;
  // The learner's own numbers of the weights that its rollouts may come from: where stored ones, or late ones, are of
  // others, it is made anew.
  std::uint64_t oldest_version = 0, newest_version = ~std::uint64_t{0};
};

// Whether the rollout comes from weights that the work allows.
bool version_fits(const Work& work, const proto::Rollout& rollout);

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
  double silence_seconds = 20;     // a worker not heard of for so long is given up
  double lease_seconds = 900;      // that a lease may take without coming further
  std::uint32_t max_attempts = 3;  // after so many sandbox faults a sample is stored with reward_valid false
  std::uint32_t max_losses = 8;    // after so many lost workers in a row a work is given up (lease_table.h)
  double host_fault_seconds = 600;
  // Judges on this host, which is trusted, what workers with CURVE keys report (spot_checks.h); null: nothing is
  // checked.
  JudgeQueue::Judge checker;
  SpotCheckOptions checks;
};

struct CoordinatorStats {
  std::uint32_t workers = 0, leases = 0, waiting_work = 0;
  std::uint64_t results = 0, duplicates = 0, rejected = 0, expired_leases = 0, returned_leases = 0;
  std::uint64_t invalid_rewards = 0;              // stored results whose reward does not count (sandbox faults)
  std::uint64_t checked = 0, false_verdicts = 0;  // of workers on other hosts, judged again here
  std::uint64_t unchecked = 0;                    // results that wait for such a check
  std::uint64_t given_up = 0;                     // samples of works that no worker could do, stored as invalid
  double judge_busy = 0;                          // mean over workers: the part of the time in which they judge
  std::string last_return_reason;
  std::vector<std::string> worker_names;
  struct Node {
    std::uint32_t workers = 0;  // connected
    std::uint64_t results = 0;  // stored
  };
  std::map<std::string, Node> nodes;  // by the part of a worker's name before the slash; without one: "local"
};

// The node of a worker's name, as above.
std::string node_of(const std::string& worker);

// Hands out work as leases against workers' credits, stores results durably before it acknowledges them, gives groups
// back when complete. Runs its socket on a thread of its own; all calls are thread-safe. If that thread fails, the
// calls throw what it failed of.
class Coordinator {
 public:
  static std::unique_ptr<Coordinator> start(const CoordinatorOptions& options, dataset::Dataset& data);
  // Tells workers to shut down if the run is finished, else that it will come back.
  virtual ~Coordinator() = default;
  virtual void finish() = 0;  // the run ended: nobody has to wait for it

  virtual std::string endpoint() const = 0;  // for workers of this host and user
  // As bound, with the port chosen, and this host's name for an address that stands for all; empty without `bind`.
  virtual std::string remote_endpoint() const = 0;
  // Weights that leases handed out from now on ask for; the manifest's version is the learner's own number
  // (rollout/lineage.h). Files of a version may be unlinked when its last lease is over.
  virtual void publish_weights(const proto::WeightsManifest& manifest) = 0;
  virtual std::optional<std::uint64_t> oldest_version_in_use() const = 0;  // the learner's number
  // Queues works; samples of theirs already in the data set are not made again. Returns their ids: those asked for,
  // unless such an id belongs to a work of other content (work_content.h). A work that is open already is not queued
  // twice. Reads the data set at most once for all.
  virtual std::vector<std::uint64_t> submit_all(std::vector<Work> works) = 0;
  std::uint64_t submit(Work work) {
    std::vector<Work> works;
    works.push_back(std::move(work));
    return submit_all(std::move(works)).front();
  }
  // The next complete group, in order of completion; nothing after `timeout_seconds`.
  virtual std::optional<FinishedWork> wait(double timeout_seconds) = 0;
  virtual CoordinatorStats stats() const = 0;
};

}  // namespace kg::rollout
