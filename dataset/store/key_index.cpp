#include "dataset/store/key_index.h"

#include "base/hash.h"

namespace kg::dataset {
namespace {

// Many ids are longer than the 15 bytes that a string holds without an allocation.
std::string short_key(const std::string& id) { return id.size() <= 15 ? id : "#" + hash128_hex(id); }

std::string tensor_key(const proto::CaseTensor& tensor) {
  return short_key(tensor.task() + ":" + std::to_string(tensor.case_index()) + ":" + std::to_string(tensor.role()) +
                   ":" + std::to_string(tensor.index()));
}

void for_each_key(const View& view, Table table, const std::vector<std::string>& columns,
                  const std::function<void(const proto::JournalRecord&)>& visit) {
  const auto indices = column_indices(schema(table), columns);
  view.for_each(
      table,
      [&](const proto::JournalRecord& record) {
        visit(record);
        return true;
      },
      &indices);
}

}  // namespace

std::size_t KeyIndex::HashRolloutKey::operator()(const RolloutKey& key) const {
  std::uint64_t h = key.work_id * 0x9e3779b97f4a7c15ULL;
  h ^= (h >> 32) + ((static_cast<std::uint64_t>(key.run) << 32) | key.sample) * 0xc2b2ae3d27d4eb4fULL;
  return h ^ (h >> 29);
}

KeyIndex::RolloutKey KeyIndex::rollout_key(const proto::Rollout& rollout) {
  const auto run = runs_.try_emplace(rollout.run(), static_cast<std::uint32_t>(runs_.size())).first->second;
  return {.run = run, .sample = rollout.sample(), .work_id = rollout.work_id()};
}

void KeyIndex::load_tasks(const View& view) {
  for_each_key(view, Table::kTasks, {"id"}, [&](const proto::JournalRecord& record) { add(record); });
}

void KeyIndex::load(const View& view) {
  load_tasks(view);
  for_each_key(view, Table::kSamples, {"id"}, [&](const proto::JournalRecord& record) { add(record); });
  for_each_key(view, Table::kRollouts, {"run", "work_id", "sample"},
               [&](const proto::JournalRecord& record) { add(record); });
  for_each_key(view, Table::kTensors, {"task", "case_index", "role", "index"},
               [&](const proto::JournalRecord& record) { add(record); });
}

bool KeyIndex::add(const proto::JournalRecord& record) {
  switch (record.record_case()) {
    case proto::JournalRecord::kTask:
      return tasks_.try_emplace(record.task().id(), tasks_.size()).second;
    case proto::JournalRecord::kSample:
      return record.sample().id().empty() || samples_.insert(short_key(record.sample().id())).second;
    case proto::JournalRecord::kRollout:
      return rollouts_.insert(rollout_key(record.rollout())).second;
    case proto::JournalRecord::kTensor:
      return tensors_.insert(tensor_key(record.tensor())).second;
    default:
      return true;
  }
}

void KeyIndex::remove(const proto::JournalRecord& record) {
  switch (record.record_case()) {
    case proto::JournalRecord::kTask:
      tasks_.erase(record.task().id());
      return;
    case proto::JournalRecord::kSample:
      samples_.erase(short_key(record.sample().id()));
      return;
    case proto::JournalRecord::kRollout:
      rollouts_.erase(rollout_key(record.rollout()));
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
