#include "dataset/store/key_index.h"

#include <algorithm>

#include "dataset/store/segment_keys.h"

namespace kg::dataset {

void KeyIndex::load_tasks(const View& view) {
  const auto id = column_indices(schema(Table::kTasks), {"id"});
  view.for_each_numbered(
      Table::kTasks,
      [&](std::uint64_t row, const proto::JournalRecord& record) {
        tasks_.try_emplace(record.task().id(), row);
        return true;
      },
      &id);
  task_rows_ = view.rows(Table::kTasks);
}

void KeyIndex::load(const View& view) {
  load_tasks(view);
  for (const auto& segment : view.segments()) load_segment(*segment);
  // Journals are read completely in any case.
  const View unfolded({}, view.journals());
  for (const Table table : {Table::kSamples, Table::kRollouts, Table::kTensors}) {
    unfolded.for_each(table, [&](const proto::JournalRecord& record) {
      add(record);
      return true;
    });
  }
}

void KeyIndex::load_segment(const Segment& segment) {
  const SegmentIndex& index = segment.index();
  if (index.keys_known) {
    for (const proto::RolloutKeys& keys : index.rollout_keys) rollouts_[keys.run()].insert(keys);
    for (const auto& [table, keys] : index.hashed_keys) {
      HashSet& set = hashed(table);
      const int count = std::min(keys.low_size(), keys.high_size());
      set.reserve(set.size() + static_cast<std::size_t>(count));
      for (int i = 0; i < count; ++i) set.insert({.low = keys.low(i), .high = keys.high(i)});
    }
    return;
  }
  const View one({std::shared_ptr<const Segment>(&segment, [](const Segment*) {})}, {});
  for (const Table table : {Table::kSamples, Table::kRollouts, Table::kTensors}) {
    const auto columns = column_indices(schema(table), key_columns(table));
    one.for_each(
        table,
        [&](const proto::JournalRecord& record) {
          add(record);
          return true;
        },
        &columns);
  }
}

bool KeyIndex::add(const proto::JournalRecord& record) {
  switch (record.record_case()) {
    case proto::JournalRecord::kTask: {
      const bool is_new = tasks_.try_emplace(record.task().id(), task_rows_).second;
      task_rows_ += is_new;
      return is_new;
    }
    case proto::JournalRecord::kSample:
      return record.sample().id().empty() || samples_.insert(sample_key(record.sample().id()));
    case proto::JournalRecord::kRollout:
      return rollouts_[record.rollout().run()].insert(record.rollout().work_id(), record.rollout().sample());
    case proto::JournalRecord::kTensor:
      return tensors_.insert(tensor_key(record.tensor()));
    default:
      return true;
  }
}

void KeyIndex::remove(const proto::JournalRecord& record) {
  switch (record.record_case()) {
    case proto::JournalRecord::kTask:
      task_rows_ -= tasks_.erase(record.task().id());
      return;
    case proto::JournalRecord::kSample:
      samples_.erase(sample_key(record.sample().id()));
      return;
    case proto::JournalRecord::kRollout:
      rollouts_[record.rollout().run()].erase(record.rollout().work_id(), record.rollout().sample());
      return;
    case proto::JournalRecord::kTensor:
      tensors_.erase(tensor_key(record.tensor()));
      return;
    default:
      return;
  }
}

std::optional<std::uint64_t> KeyIndex::task_row(const std::string& id) const {
  const auto found = tasks_.find(id);
  if (found == tasks_.end()) return std::nullopt;
  return found->second;
}

}  // namespace kg::dataset
