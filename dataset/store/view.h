#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "dataset/store/journal.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// A consistent view of all rows at one moment: those of the segments, then those in journals. Keeps its
// files open, so concurrent folds and merges do not affect it.
class View {
 public:
  View(std::vector<std::shared_ptr<const Segment>> segments, std::vector<std::shared_ptr<const Journal>> journals);

  std::uint64_t rows(Table table) const;
  // Reads row `index` in storage order into `record`, which then has a message of that table. With `columns`, rows of
  // segments have only these columns.
  void read(Table table, std::uint64_t index, proto::JournalRecord& record,
            const std::vector<std::size_t>* columns = nullptr) const;
  // The same; false if the row is damaged, which is logged once for each damage.
  bool read_or_tell(Table table, std::uint64_t index, proto::JournalRecord& record,
                    const std::vector<std::size_t>* columns = nullptr, const Segment** from = nullptr) const;
  // All readable rows in storage order, one in memory at a time, until the visitor returns false. Damaged rows
  // are skipped, which is logged once for each damage.
  template <typename Visit>
  void for_each(Table table, const Visit& visit, const std::vector<std::size_t>* columns = nullptr) const {
    for_each_numbered(table, [&](std::uint64_t, const proto::JournalRecord& record) { return visit(record); }, columns);
  }
  // The same, with the index of each row; skipped rows count.
  template <typename Visit>
  void for_each_numbered(Table table, const Visit& visit, const std::vector<std::size_t>* columns = nullptr) const {
    proto::JournalRecord record;
    const Segment* before = nullptr;
    for (std::uint64_t i = 0, n = rows(table); i < n; ++i) {
      const Segment* in = nullptr;
      const bool readable = read_or_tell(table, i, record, columns, &in);
      if (before != nullptr && in != before) before->release();
      before = in;
      if (readable && !visit(i, static_cast<const proto::JournalRecord&>(record))) break;
    }
    if (before != nullptr) before->release();
  }

  const std::vector<std::shared_ptr<const Segment>>& segments() const { return segments_; }
  const std::vector<std::shared_ptr<const Journal>>& journals() const { return journals_; }

 private:
  // Finds the segment of a row, null for a journal. Throws DamageError.
  void read_from(Table table, std::uint64_t index, proto::JournalRecord& record,
                 const std::vector<std::size_t>* columns, const Segment*& from) const;
  std::vector<std::shared_ptr<const Segment>> segments_;
  std::vector<std::shared_ptr<const Journal>> journals_;
  // ends_[t][i]: rows of table t in parts 0..i; parts are segments, then journals as they were when the view was made.
  std::array<std::vector<std::uint64_t>, kTableCount> ends_;
  mutable std::mutex mutex_;
  mutable std::set<std::string> told_;  // damage that was already logged
};

}  // namespace kg::dataset
