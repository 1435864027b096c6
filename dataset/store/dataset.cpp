#include "dataset/store/dataset.h"

#include "base/log.h"
#include "dataset/store/stored_dataset.h"
#include "dataset/store/writable_dataset.h"

namespace kg::dataset {

std::unique_ptr<Dataset> Dataset::open(const fs::path& path, OpenMode mode) {
  // The folder is beside the file itself, not beside a symbolic link to it.
  const fs::path real = fs::exists(path) ? fs::canonical(path) : fs::absolute(path);
  if (mode == OpenMode::kRead) return std::make_unique<ReadOnlyDataset>(real);
  return std::make_unique<WritableDataset>(real, mode);
}

void Dataset::for_each_numbered_sample(const std::function<bool(std::uint64_t, const proto::Sample&)>& visit) const {
  std::uint64_t index = 0;
  for_each_sample([&](const proto::Sample& sample) { return visit(index++, sample); });
}

std::map<std::string, RolloutKeySet> Dataset::rollout_keys() const {
  std::map<std::string, RolloutKeySet> keys;
  for_each_rollout([&](const proto::Rollout& rollout) {
    keys[rollout.run()].insert(rollout.work_id(), rollout.sample());
    return true;
  });
  return keys;
}

void Dataset::for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                                  const std::function<bool(const proto::Rollout&)>& visit) const {
  for_each_rollout([&](const proto::Rollout& rollout) {
    const bool wanted = rollout.run() == run && rollout.work_id() >= first && rollout.work_id() <= last;
    return !wanted || visit(rollout);
  });
}

fs::path find_dataset(const std::string& name) {
  const fs::path given(name);
  if (given.has_parent_path()) return given;
  const fs::path at_home = kgtrain_home() / "data" / given;
  if (fs::exists(given)) {
    std::error_code ignored;
    if (fs::exists(at_home) && !fs::equivalent(given, at_home, ignored))
      spdlog::warn("the data set {} is used, not {}", fs::absolute(given).string(), at_home.string());
    return given;
  }
  return fs::exists(at_home) ? at_home : given;
}

}  // namespace kg::dataset
