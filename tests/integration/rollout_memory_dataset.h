#pragma once

#include <atomic>
#include <map>
#include <mutex>
#include <set>
#include <stdexcept>
#include <tuple>

#include "base/error.h"
#include "dataset/store/dataset.h"

namespace kg::rollout {

// A data set without files, for tests of the protocol alone. Counts appends, and can fail them.
class MemoryDataset : public dataset::Dataset {
 public:
  std::size_t append(const std::vector<proto::JournalRecord>& records) override {
    const std::lock_guard lock(mutex_);
    ++appends;
    if (failing) throw Error("the disk is full", "memory", "");
    std::size_t added = 0;
    for (const proto::JournalRecord& record : records) {
      if (record.has_task() && tasks_.emplace(record.task().id(), record.task()).second) ++added;
      if (!record.has_rollout()) continue;
      const proto::Rollout& rollout = record.rollout();
      if (!keys_.emplace(rollout.run(), rollout.work_id(), rollout.sample()).second) continue;
      rollouts_.push_back(rollout);
      ++added;
    }
    return added;
  }
  void fold() override {}
  dataset::Counts counts() const override {
    const std::lock_guard lock(mutex_);
    return {.tasks = tasks_.size(), .rollouts = rollouts_.size()};
  }
  std::optional<proto::Task> task(const std::string& id) const override {
    if (unreadable) throw Error("the disk is gone", "memory", "");
    const std::lock_guard lock(mutex_);
    const auto at = tasks_.find(id);
    if (at == tasks_.end()) return std::nullopt;
    return at->second;
  }
  std::vector<std::string> task_ids(const std::string&) const override { return {}; }
  void for_each_task(const std::function<bool(const proto::Task&)>&) const override {}
  void for_each_sample(const std::function<bool(const proto::Sample&)>&) const override {}
  void for_each_rollout(const std::function<bool(const proto::Rollout&)>& visit) const override {
    for (const proto::Rollout& rollout : rollouts())
      if (!visit(rollout)) return;
  }
  void for_each_preference(const std::function<bool(const proto::Preference&)>&) const override {}
  proto::Sample sample(std::uint64_t) const override { throw std::out_of_range("no samples"); }
  std::optional<std::string> meta(const std::string&) const override { return std::nullopt; }
  std::vector<proto::CaseTensor> tensors(const std::string&, std::uint32_t) const override { return {}; }

  std::vector<proto::Rollout> rollouts() const {
    const std::lock_guard lock(mutex_);
    return rollouts_;
  }

  std::atomic<bool> failing = false, unreadable = false;
  std::atomic<int> appends = 0;

 private:
  mutable std::mutex mutex_;
  std::map<std::string, proto::Task> tasks_;
  std::set<std::tuple<std::string, std::uint64_t, std::uint32_t>> keys_;
  std::vector<proto::Rollout> rollouts_;
};

inline proto::Task test_task(const std::string& id = "builtin/test/relu") {
  proto::Task task;
  task.set_id(id);
  task.set_entry_point("kernel");
  return task;
}

inline void add_task(dataset::Dataset& data, const proto::Task& task) {
  proto::JournalRecord record;
  *record.mutable_task() = task;
  data.append({record});
}

}  // namespace kg::rollout
