#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "dataset/store/rollout_keys.h"
#include "rollout/coordinator.h"

namespace kg::rollout {

// What of a run's work is durable, and the groups that are being completed. Which samples the data set holds is kept
// for all works of the run, the rollouts themselves for open and finished groups, and for the last works found at the
// start: those a resumed run submits again. Not thread-safe.
class WorkBook {
 public:
  // Reads the data set's keys, and the rollouts of the run's last works alone.
  WorkBook(const dataset::Dataset& data, std::string run);

  std::uint64_t largest_work_id() const { return durable_.largest_work(); }
  bool is_durable(std::uint64_t work_id, std::uint32_t sample) const { return durable_.contains(work_id, sample); }
  std::set<std::uint32_t> durable_samples(std::uint64_t work_id, std::uint32_t samples) const {
    return durable_.samples(work_id, samples);
  }
  // The data set has this sample, but damage keeps it from being read: it is made again.
  void unreadable(std::uint64_t work_id, std::uint32_t sample) { durable_.erase(work_id, sample); }
  // Of this work's durable samples, the rollouts that were kept at the start; nothing if some were not.
  std::optional<std::vector<proto::Rollout>> recent_rollouts(std::uint64_t work_id,
                                                             const std::set<std::uint32_t>& samples) const;
  // The work of this content among those kept at the start.
  std::optional<std::uint64_t> recent_work_of(std::uint64_t content) const;
  bool is_open(std::uint64_t work_id) const { return open_.contains(work_id); }
  const Work* find(std::uint64_t work_id) const;
  std::uint64_t content(std::uint64_t work_id) const { return open_.at(work_id).content; }  // of an open work

  // `durable` are its rollouts that the data set holds already. True if the group is complete with them, and finished.
  bool open(Work work, std::uint64_t content, std::vector<proto::Rollout> durable);
  // The data set holds this rollout now. Completes the group it belongs to, if it is open.
  void stored(proto::Rollout rollout);
  std::optional<FinishedWork> take_finished();
  bool has_finished() const { return !finished_.empty(); }

 private:
  struct OpenGroup {
    Work work;
    std::uint64_t content = 0;
    std::map<std::uint32_t, proto::Rollout> rollouts;
  };

  void finish_if_complete(std::uint64_t work_id);

  std::string run_;
  dataset::RolloutKeySet durable_;
  std::map<std::uint64_t, std::map<std::uint32_t, proto::Rollout>> recent_;
  std::unordered_map<std::uint64_t, std::uint64_t> recent_contents_;  // content to work id
  std::map<std::uint64_t, OpenGroup> open_;
  std::deque<FinishedWork> finished_;
};

// The rollouts of these samples of works that the data set holds, first copies only; those that damage has hit are left
// out. Reads only where these works are.
std::map<std::uint64_t, std::vector<proto::Rollout>> read_rollouts(
    const dataset::Dataset& data, const std::string& run,
    const std::map<std::uint64_t, std::set<std::uint32_t>>& samples);

}  // namespace kg::rollout
