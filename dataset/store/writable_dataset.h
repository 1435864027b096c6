#pragma once

#include <future>
#include <optional>

#include "dataset/store/folder.h"
#include "dataset/store/link_file.h"
#include "dataset/store/parts.h"
#include "dataset/store/stored_dataset.h"

namespace kg::dataset {

// The one writer of a data set, from its lock to its close.
//
//   append ─► journal-G (fsync: acknowledged) ─► fold ─► segment-G-G.h5 (rename: journal-G no longer counts)
//                                                          ─► ascend_cot.h5 replaced ─► journal-G removed
//
// A kill may interrupt any of these steps: file names alone decide which files are live (folder.h), and opening
// completes the rest. Merges run beside appends and folds.
class WritableDataset : public StoredDataset {
 public:
  WritableDataset(const fs::path& path, OpenMode mode);
  ~WritableDataset() override;  // folds; a failure is logged, and the records stay in the journal

  std::size_t append(const std::vector<proto::JournalRecord>& records) override;
  void fold() override;
  std::map<std::string, RolloutKeySet> rollout_keys() const override;

 protected:
  std::shared_ptr<const View> view() const override;
  std::optional<std::uint64_t> task_row(const std::string& id) const override;

 private:
  void open_existing(std::optional<MainFile> main);
  void take_in_packed_file(FolderListing& listing);
  std::shared_ptr<const Segment> open_segment(const fs::path& path);
  void keep_damaged(std::uint64_t generation);
  void fold_journal(const std::shared_ptr<Journal>& journal);
  void merge_if_due();  // takes over a merge that is done, and begins the next
  bool take_merged();   // waits for the merge; false: it failed
  void begin_merge(std::size_t first);
  void publish();  // replaces the link file, then removes files it made obsolete
  void remove_superseded();
  void fold_locked();

  fs::path path_;
  fs::path folder_;
  std::optional<FileLock> lock_;
  mutable std::mutex mutex_;  // protects all members below
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::shared_ptr<Journal> journal_;            // null: none since the last fold
  std::vector<std::uint64_t> folded_journals_;  // to be removed once the link file includes their segment
  std::uint64_t last_generation_ = 0;
  std::uint64_t fold_at_bytes_;
  bool links_stale_ = false;
  bool damage_in_merge_ = false;  // a merge would lose data that a repair can still save
  KeyIndex keys_;
  mutable std::shared_ptr<const View> view_;  // null: must be made again
  // The merge that another thread writes, of segments that stay as they are: null if rows could not be read.
  std::shared_future<std::shared_ptr<const Segment>> merge_;
};

}  // namespace kg::dataset
