#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "dataset/store/view.h"

namespace kg::dataset {

// The keys that must be unique: task id, sample id (unless empty), (run, work_id, sample) of rollouts, (task, case,
// role, index) of tensors. Tasks also map to their row.
class KeyIndex {
 public:
  // Reads the key columns of all rows.
  void load(const View& view);
  // Only the task ids: what a reader needs.
  void load_tasks(const View& view);

  // True if the key of the record is new, or it has none; the record's key is known from then on.
  bool add(const proto::JournalRecord& record);
  // Forgets the key of a record that could not be stored.
  void remove(const proto::JournalRecord& record);

  std::optional<std::uint64_t> task_row(const std::string& id) const;

 private:
  struct RolloutKey {
    std::uint32_t run;
    std::uint32_t sample;
    std::uint64_t work_id;
    bool operator==(const RolloutKey&) const = default;
  };
  struct HashRolloutKey {
    std::size_t operator()(const RolloutKey& key) const;
  };
  RolloutKey rollout_key(const proto::Rollout& rollout);

  std::unordered_map<std::string, std::uint64_t> tasks_;
  std::unordered_set<std::string> samples_;  // the id, or its XXH3-128 if it is long
  std::unordered_set<std::string> tensors_;
  std::unordered_map<std::string, std::uint32_t> runs_;
  std::unordered_set<RolloutKey, HashRolloutKey> rollouts_;
};

}  // namespace kg::dataset
