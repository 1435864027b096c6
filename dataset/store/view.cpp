#include "dataset/store/view.h"

#include <algorithm>

#include "base/check.h"

namespace kg::dataset {

View::View(std::vector<std::shared_ptr<const Segment>> segments, std::vector<std::shared_ptr<const Journal>> journals)
    : segments_(std::move(segments)), journals_(std::move(journals)) {
  for (const Table table : kTables) {
    auto& ends = ends_[static_cast<std::size_t>(table)];
    std::uint64_t end = 0;
    for (const auto& segment : segments_) ends.push_back(end += segment->rows(table));
    for (const auto& journal : journals_) ends.push_back(end += journal->rows(table));
  }
}

std::uint64_t View::rows(Table table) const {
  const auto& ends = ends_[static_cast<std::size_t>(table)];
  return ends.empty() ? 0 : ends.back();
}

void View::read(Table table, std::uint64_t index, proto::JournalRecord& record,
                const std::vector<std::size_t>* columns) const {
  read_and_say(table, index, record, columns);
}

const Segment* View::read_and_say(Table table, std::uint64_t index, proto::JournalRecord& record,
                                  const std::vector<std::size_t>* columns) const {
  KG_CHECK_LT(index, rows(table));
  const auto& ends = ends_[static_cast<std::size_t>(table)];
  const auto part = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
  const std::uint64_t row = index - (part == 0 ? 0 : ends[part - 1]);
  if (part < segments_.size()) {
    segments_[part]->read(table, row, mutable_message(record, table), columns);
    return segments_[part].get();
  }
  journals_[part - segments_.size()]->read(table, row, record);
  return nullptr;
}

}  // namespace kg::dataset
