#include "dataset/store/stored_dataset.h"

#include "base/error.h"
#include "base/log.h"
#include "dataset/store/parts.h"
#include "dataset/store/run_rows.h"

namespace kg::dataset {

Counts StoredDataset::counts() const {
  const auto now = view();
  return {.tasks = now->rows(Table::kTasks),
          .samples = now->rows(Table::kSamples),
          .rollouts = now->rows(Table::kRollouts),
          .preferences = now->rows(Table::kPreferences)};
}

std::optional<proto::Task> StoredDataset::task(const std::string& id) const {
  const auto row = task_row(id);
  if (!row) return std::nullopt;
  proto::JournalRecord record;
  view()->read(Table::kTasks, *row, record);
  return std::move(*record.mutable_task());
}

std::vector<std::string> StoredDataset::task_ids(const std::string& split) const {
  std::vector<std::string> ids;
  const auto columns = column_indices(schema(Table::kTasks), {"id", "split"});
  view()->for_each(
      Table::kTasks,
      [&](const proto::JournalRecord& record) {
        if (split.empty() || record.task().split() == split) ids.push_back(record.task().id());
        return true;
      },
      &columns);
  return ids;
}

void StoredDataset::for_each_task(const std::function<bool(const proto::Task&)>& visit) const {
  view()->for_each(Table::kTasks, [&](const proto::JournalRecord& record) { return visit(record.task()); });
}

void StoredDataset::for_each_sample(const std::function<bool(const proto::Sample&)>& visit) const {
  view()->for_each(Table::kSamples, [&](const proto::JournalRecord& record) { return visit(record.sample()); });
}

void StoredDataset::for_each_rollout(const std::function<bool(const proto::Rollout&)>& visit) const {
  view()->for_each(Table::kRollouts, [&](const proto::JournalRecord& record) { return visit(record.rollout()); });
}

void StoredDataset::for_each_preference(const std::function<bool(const proto::Preference&)>& visit) const {
  view()->for_each(Table::kPreferences, [&](const proto::JournalRecord& record) { return visit(record.preference()); });
}

void StoredDataset::for_each_numbered_sample(
    const std::function<bool(std::uint64_t, const proto::Sample&)>& visit) const {
  view()->for_each_numbered(Table::kSamples, [&](std::uint64_t index, const proto::JournalRecord& record) {
    return visit(index, record.sample());
  });
}

void StoredDataset::for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                                        const std::function<bool(const proto::Rollout&)>& visit) const {
  dataset::for_each_rollout_of(*view(), run, first, last, visit);
}

proto::Sample StoredDataset::sample(std::uint64_t index) const {
  proto::JournalRecord record;
  view()->read(Table::kSamples, index, record);
  return std::move(*record.mutable_sample());
}

std::optional<std::string> StoredDataset::meta(const std::string& key) const {
  std::optional<std::string> value;
  view()->for_each(Table::kMeta, [&](const proto::JournalRecord& record) {
    if (record.meta().key() == key) value = record.meta().value();
    return true;
  });
  return value;
}

std::vector<proto::CaseTensor> StoredDataset::tensors(const std::string& task, std::uint32_t case_index) const {
  const auto now = view();
  std::vector<std::uint64_t> rows;
  const auto keys = column_indices(schema(Table::kTensors), {"task", "case_index"});
  now->for_each_numbered(
      Table::kTensors,
      [&](std::uint64_t row, const proto::JournalRecord& record) {
        if (record.tensor().case_index() == case_index && record.tensor().task() == task) rows.push_back(row);
        return true;
      },
      &keys);
  std::vector<proto::CaseTensor> found;
  for (const std::uint64_t at : rows) {
    proto::JournalRecord record;
    now->read(Table::kTensors, at, record);
    found.push_back(std::move(*record.mutable_tensor()));
  }
  return found;
}

ReadOnlyDataset::ReadOnlyDataset(const fs::path& path) : path_(path) {
  Parts parts = open_parts(path);
  for (const std::string& line : parts.complaints()) spdlog::error("{}: {}", folder_of(path).string(), line);
  view_ = std::make_shared<const View>(std::move(parts.segments), std::move(parts.journals));
}

std::size_t ReadOnlyDataset::append(const std::vector<proto::JournalRecord>&) {
  throw Error("the data set is open for reading only", path_.string(), "open it with OpenMode::kAppend");
}

void ReadOnlyDataset::fold() {
  throw Error("the data set is open for reading only", path_.string(), "open it with OpenMode::kAppend");
}

std::map<std::string, RolloutKeySet> ReadOnlyDataset::rollout_keys() const {
  KeyIndex keys;
  keys.load(*view_);
  return keys.rollouts();
}

std::optional<std::uint64_t> ReadOnlyDataset::task_row(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  if (!tasks_known_) keys_.load_tasks(*view_);
  tasks_known_ = true;
  return keys_.task_row(id);
}

}  // namespace kg::dataset
