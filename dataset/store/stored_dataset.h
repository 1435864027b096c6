#pragma once

#include "dataset/store/dataset.h"
#include "dataset/store/key_index.h"
#include "dataset/store/view.h"

namespace kg::dataset {

// Everything needed for reading, on top of a view of the rows.
class StoredDataset : public Dataset {
 public:
  Counts counts() const override;
  std::optional<proto::Task> task(const std::string& id) const override;
  std::vector<std::string> task_ids(const std::string& split) const override;
  void for_each_task(const std::function<bool(const proto::Task&)>& visit) const override;
  void for_each_sample(const std::function<bool(const proto::Sample&)>& visit) const override;
  void for_each_rollout(const std::function<bool(const proto::Rollout&)>& visit) const override;
  void for_each_preference(const std::function<bool(const proto::Preference&)>& visit) const override;
  void for_each_numbered_sample(
      const std::function<bool(std::uint64_t index, const proto::Sample&)>& visit) const override;
  proto::Sample sample(std::uint64_t index) const override;
  void for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                           const std::function<bool(const proto::Rollout&)>& visit) const override;
  std::optional<std::string> meta(const std::string& key) const override;
  std::vector<proto::CaseTensor> tensors(const std::string& task, std::uint32_t case_index) const override;

 protected:
  virtual std::shared_ptr<const View> view() const = 0;
  virtual std::optional<std::uint64_t> task_row(const std::string& id) const = 0;
};

// kRead: the rows at the time of opening.
class ReadOnlyDataset : public StoredDataset {
 public:
  explicit ReadOnlyDataset(const fs::path& path);
  std::size_t append(const std::vector<proto::JournalRecord>& records) override;
  void fold() override;
  std::map<std::string, RolloutKeySet> rollout_keys() const override;

 protected:
  std::shared_ptr<const View> view() const override { return view_; }
  std::optional<std::uint64_t> task_row(const std::string& id) const override;

 private:
  fs::path path_;
  std::shared_ptr<const View> view_;
  mutable std::mutex mutex_;
  mutable bool tasks_known_ = false;
  mutable KeyIndex keys_;
};

}  // namespace kg::dataset
