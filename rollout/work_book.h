#pragma once

#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "rollout/coordinator.h"
#include "rollout/durable_samples.h"

namespace kg::rollout {

// What of a run's work is durable, and the groups that are being completed. Which samples the data set holds is kept
// for all works of the run, the rollouts themselves for open and finished groups, and for the last works found at the
// start: those a resumed run submits again. Not thread-safe.
class WorkBook {
 public:
  // Reads the data set once.
  WorkBook(const dataset::Dataset& data, std::string run);

  std::uint64_t largest_work_id() const { return largest_; }
  bool is_durable(std::uint64_t work_id, std::uint32_t sample) const { return durable_.contains(work_id, sample); }
  std::set<std::uint32_t> durable_samples(std::uint64_t work_id, std::uint32_t samples) const {
    return durable_.of(work_id, samples);
  }
  // Of this work's durable samples, the rollouts that were kept at the start; nothing if some were not.
  std::optional<std::vector<proto::Rollout>> recent_rollouts(std::uint64_t work_id,
                                                             const std::set<std::uint32_t>& samples) const;
  // The work of this content among those kept at the start.
  std::optional<std::uint64_t> recent_work_of(std::uint64_t content) const;
  bool is_open(std::uint64_t work_id) const { return open_.contains(work_id); }
  const Work* find(std::uint64_t work_id) const;

  // `durable` are its rollouts that the data set holds already. True if the group is complete with them, and finished.
  bool open(Work work, std::vector<proto::Rollout> durable);
  // The data set holds this rollout now. Completes the group it belongs to, if it is open.
  void stored(proto::Rollout rollout);
  std::optional<FinishedWork> take_finished();
  bool has_finished() const { return !finished_.empty(); }
  std::size_t entries() const { return durable_.entries() + recent_.size() + open_.size(); }  // that take memory

 private:
  struct OpenGroup {
    Work work;
    std::map<std::uint32_t, proto::Rollout> rollouts;
  };

  void finish_if_complete(std::uint64_t work_id);

  std::string run_;
  std::uint64_t largest_ = 0;
  DurableSamples durable_;
  std::map<std::uint64_t, std::map<std::uint32_t, proto::Rollout>> recent_;
  std::unordered_map<std::uint64_t, std::uint64_t> recent_contents_;  // content to work id
  std::map<std::uint64_t, OpenGroup> open_;
  std::deque<FinishedWork> finished_;
};

// The rollouts of these samples of works that the data set holds, first copies only; reads the data set once.
std::map<std::uint64_t, std::vector<proto::Rollout>> read_rollouts(
    const dataset::Dataset& data, const std::string& run,
    const std::map<std::uint64_t, std::set<std::uint32_t>>& samples);

}  // namespace kg::rollout
