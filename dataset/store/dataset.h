#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/rollout_keys.h"
#include "proto/record.pb.h"

namespace kg::dataset {

enum class OpenMode {
  kRead,    // no lock; sees folded rows and those in the journal
  kAppend,  // locks; folds records that a killed writer left in the journal; the file must exist
  kCreate,  // locks; the file must not exist
  kAppendOrCreate,
};

struct Counts {
  std::uint64_t tasks = 0, samples = 0, rollouts = 0, preferences = 0;
};

// One HDF5 data set: `ascend_cot.h5` and, beside it, `ascend_cot.h5.d/` with journal and segments
// (docs/reference/data-format.md). Thread-safe.
class Dataset {
 public:
  static std::unique_ptr<Dataset> open(const fs::path& path, OpenMode mode);
  virtual ~Dataset() = default;

  // Appends the records and returns once they are in the journal, checksummed and fsynced: acknowledged. A task with
  // a known id, a sample with a known id (unless empty), or a rollout with a known (run, work_id, sample), or a tensor
  // with a known (task, case, role, index), is not stored twice: the return value counts the new ones. Throws Error,
  // and stores none, if the disk is full or a text is not UTF-8. One fsync per call: pass many records at once.
  virtual std::size_t append(const std::vector<proto::JournalRecord>& records) = 0;
  // Folds the journal into an HDF5 segment and replaces the file with the links. Also done on close and when the
  // journal is large.
  virtual void fold() = 0;

  virtual Counts counts() const = 0;
  virtual std::optional<proto::Task> task(const std::string& id) const = 0;
  virtual std::vector<std::string> task_ids(const std::string& split = "") const = 0;  // in storage order
  // In storage order, with constant memory; the visitor returns false to stop. Damaged rows are skipped, and
  // logged.
  virtual void for_each_task(const std::function<bool(const proto::Task&)>& visit) const = 0;
  virtual void for_each_sample(const std::function<bool(const proto::Sample&)>& visit) const = 0;
  virtual void for_each_rollout(const std::function<bool(const proto::Rollout&)>& visit) const = 0;
  virtual void for_each_preference(const std::function<bool(const proto::Preference&)>& visit) const = 0;
  // The same, with the index that sample() takes.
  virtual void for_each_numbered_sample(
      const std::function<bool(std::uint64_t index, const proto::Sample&)>& visit) const;
  // Random access for training: sample i in storage order. Throws Error if it is damaged.
  virtual proto::Sample sample(std::uint64_t index) const = 0;
  // The keys of the rollouts, by run: from an index, without reading a rollout.
  virtual std::map<std::string, RolloutKeySet> rollout_keys() const;
  // The rollouts of one run whose work_id is from `first` to `last`: no others are read.
  virtual void for_each_rollout_of(const std::string& run, std::uint64_t first, std::uint64_t last,
                                   const std::function<bool(const proto::Rollout&)>& visit) const;
  virtual std::optional<std::string> meta(const std::string& key) const = 0;
  // The tensors of one case of an imported task, in storage order; none if there are none.
  virtual std::vector<proto::CaseTensor> tensors(const std::string& task, std::uint32_t case_index) const = 0;
};

// The path of a data set named on the command line: `name` itself if it exists or is a path with a folder; else
// $KGTRAIN_HOME/data/name if that exists; else `name`.
fs::path find_dataset(const std::string& name);

}  // namespace kg::dataset
