#include "dataset/store/view.h"

#include <algorithm>

#include "base/check.h"
#include "base/log.h"
#include "dataset/store/chunk_reader.h"

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
  const Segment* from = nullptr;
  read_from(table, index, record, columns, from);
}

void View::read_from(Table table, std::uint64_t index, proto::JournalRecord& record,
                     const std::vector<std::size_t>* columns, const Segment*& from) const {
  KG_CHECK_LT(index, rows(table));
  const auto& ends = ends_[static_cast<std::size_t>(table)];
  const auto part = static_cast<std::size_t>(std::upper_bound(ends.begin(), ends.end(), index) - ends.begin());
  const std::uint64_t row = index - (part == 0 ? 0 : ends[part - 1]);
  from = part < segments_.size() ? segments_[part].get() : nullptr;
  if (from != nullptr)
    from->read(table, row, mutable_message(record, table), columns);
  else
    journals_[part - segments_.size()]->read(table, row, record);
}

bool View::read_or_tell(Table table, std::uint64_t index, proto::JournalRecord& record,
                        const std::vector<std::size_t>* columns, const Segment** from) const {
  const Segment* ignored = nullptr;
  try {
    read_from(table, index, record, columns, from != nullptr ? *from : ignored);
    return true;
  } catch (const DamageError& error) {
    const std::lock_guard lock(mutex_);
    if (told_.insert(error.where() + error.what()).second)
      spdlog::error("{}: {}; rows it affects are skipped; {}", error.where(), error.what(), error.hint());
    return false;
  }
}

}  // namespace kg::dataset
