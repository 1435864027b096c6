#pragma once

#include <memory>
#include <vector>

#include "dataset/store/journal.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// A consistent sight of all rows at one moment: those of the segments, then those that stand in journals. Keeps its
// files open, so that folds and merges meanwhile take nothing from it.
class View {
 public:
  View(std::vector<std::shared_ptr<const Segment>> segments, std::vector<std::shared_ptr<const Journal>> journals);

  std::uint64_t rows(Table table) const;
  // Row `index` in storage order. `record` then holds a message of that table. With `columns`, rows of segments have
  // only these columns.
  void read(Table table, std::uint64_t index, proto::JournalRecord& record,
            const std::vector<std::size_t>* columns = nullptr) const;
  // All rows in storage order, one in memory at a time, until the visitor returns false.
  template <typename Visit>
  void for_each(Table table, const Visit& visit, const std::vector<std::size_t>* columns = nullptr) const {
    proto::JournalRecord record;
    const Segment* before = nullptr;
    for (std::uint64_t i = 0, n = rows(table); i < n; ++i) {
      const Segment* in = read_and_say(table, i, record, columns);
      if (before != nullptr && in != before) before->release();
      before = in;
      if (!visit(static_cast<const proto::JournalRecord&>(record))) break;
    }
    if (before != nullptr) before->release();
  }

 private:
  // The segment that the row came from, null for a journal.
  const Segment* read_and_say(Table table, std::uint64_t index, proto::JournalRecord& record,
                              const std::vector<std::size_t>* columns) const;

  std::vector<std::shared_ptr<const Segment>> segments_;
  std::vector<std::shared_ptr<const Journal>> journals_;
  // ends_[t][i]: rows of table t in parts 0..i; parts are segments, then journals as they were when the view was made.
  std::array<std::vector<std::uint64_t>, kTableCount> ends_;
};

}  // namespace kg::dataset
