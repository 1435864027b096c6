#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>

#include "dataset/store/hash_set.h"
#include "dataset/store/rollout_keys.h"
#include "dataset/store/view.h"

namespace kg::dataset {

// The keys that must be unique: task id, sample id (unless empty), (run, work_id, sample) of rollouts, (task, case,
// role, index) of tensors. Tasks also map to their row.
class KeyIndex {
 public:
  // From the segments' indexes; reads the key columns of segments without one.
  void load(const View& view);
  // Only the task ids, which is all a reader needs.
  void load_tasks(const View& view);

  // True if the key of the record is new, or it has none; from then on the key is known.
  bool add(const proto::JournalRecord& record);
  // Removes the key of a record that could not be stored.
  void remove(const proto::JournalRecord& record);

  std::optional<std::uint64_t> task_row(const std::string& id) const;
  const std::map<std::string, RolloutKeySet>& rollouts() const { return rollouts_; }  // by run

 private:
  void load_segment(const Segment& segment);
  HashSet& hashed(const std::string& table) { return table == "samples" ? samples_ : tensors_; }

  std::unordered_map<std::string, std::uint64_t> tasks_;
  std::uint64_t task_rows_ = 0;
  HashSet samples_, tensors_;
  std::map<std::string, RolloutKeySet> rollouts_;
};

}  // namespace kg::dataset
