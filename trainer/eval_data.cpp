#include "trainer/eval_data.h"

#include "base/in_use.h"

namespace kg::trainer {
namespace {

// Tasks and samples of one data set, rollouts of another.
class SplitDataset : public dataset::Dataset {
 public:
  SplitDataset(std::unique_ptr<dataset::Dataset> tasks, std::unique_ptr<dataset::Dataset> rollouts)
      : tasks_(std::move(tasks)), rollouts_(std::move(rollouts)) {}

  std::size_t append(const std::vector<proto::JournalRecord>& records) override { return rollouts_->append(records); }
  void fold() override { rollouts_->fold(); }
  dataset::Counts counts() const override {
    dataset::Counts counts = tasks_->counts();
    counts.rollouts = rollouts_->counts().rollouts;
    return counts;
  }
  std::optional<proto::Task> task(const std::string& id) const override { return tasks_->task(id); }
  std::vector<std::string> task_ids(const std::string& split) const override { return tasks_->task_ids(split); }
  void for_each_task(const std::function<bool(const proto::Task&)>& visit) const override {
    tasks_->for_each_task(visit);
  }
  void for_each_sample(const std::function<bool(const proto::Sample&)>& visit) const override {
    tasks_->for_each_sample(visit);
  }
  void for_each_rollout(const std::function<bool(const proto::Rollout&)>& visit) const override {
    rollouts_->for_each_rollout(visit);
  }
  std::map<std::string, dataset::RolloutKeySet> rollout_keys() const override { return rollouts_->rollout_keys(); }
  void for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                           const std::function<bool(const proto::Rollout&)>& visit) const override {
    rollouts_->for_each_rollout_of(run, first, last, visit);
  }
  void for_each_preference(const std::function<bool(const proto::Preference&)>& visit) const override {
    tasks_->for_each_preference(visit);
  }
  proto::Sample sample(std::uint64_t index) const override { return tasks_->sample(index); }
  std::optional<std::string> meta(const std::string& key) const override { return tasks_->meta(key); }
  std::vector<proto::CaseTensor> tensors(const std::string& task, std::uint32_t case_index) const override {
    return tasks_->tensors(task, case_index);
  }

 private:
  std::unique_ptr<dataset::Dataset> tasks_, rollouts_;
};

}  // namespace

EvalData open_for_answers(const fs::path& path, const fs::path& aside, bool always_aside) {
  if (always_aside) fs::create_directories(aside.parent_path());
  if (!always_aside && !fs::exists(aside)) {
    try {
      return {.data = dataset::Dataset::open(path, dataset::OpenMode::kAppend), .answers = path, .apart = false};
    } catch (const InUse&) {
      fs::create_directories(aside.parent_path());
    }
  }
  return {.data = std::make_unique<SplitDataset>(dataset::Dataset::open(path, dataset::OpenMode::kRead),
                                                 dataset::Dataset::open(aside, dataset::OpenMode::kAppendOrCreate)),
          .answers = aside,
          .apart = true};
}

}  // namespace kg::trainer
