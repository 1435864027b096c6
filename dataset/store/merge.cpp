#include "dataset/store/merge.h"

#include <map>
#include <string>

#include "base/log.h"

namespace kg::dataset {

std::optional<std::size_t> segments_to_merge(const std::vector<SegmentRange>& segments) {
  for (std::size_t end = segments.size(); end > 0;) {
    std::size_t first = end - 1;
    while (first > 0 && segments[first - 1].level == segments[end - 1].level) --first;
    if (end - first >= kMergeWidth) return first;
    end = first;
  }
  return std::nullopt;
}

std::uint64_t copy_rows(const View& from, SegmentWriter& to) {
  std::uint64_t seen = 0, rows = 0;
  for (const Table table : kTables) rows += from.rows(table);
  std::map<std::string, proto::JournalRecord> meta;
  from.for_each(Table::kMeta, [&](const proto::JournalRecord& record) {
    meta[record.meta().key()] = record;
    ++seen;
    return true;
  });
  for (const auto& [key, record] : meta) to.append(Table::kMeta, record.meta());
  for (const Table table : {Table::kTasks, Table::kSamples, Table::kRollouts, Table::kPreferences, Table::kTensors}) {
    from.for_each(table, [&](const proto::JournalRecord& record) {
      to.append(table, message_of(record));
      ++seen;
      return true;
    });
  }
  return rows - seen;
}

std::shared_ptr<const Segment> merged(const std::vector<std::shared_ptr<const Segment>>& parts,
                                      const fs::path& folder) {
  const SegmentRange range{.first = parts.front()->range().first,
                           .last = parts.back()->range().last,
                           .level = parts.front()->range().level + 1};
  const fs::path target = folder / segment_file_name(range);
  SegmentWriter writer = SegmentWriter::on_disk(range, target);
  if (const std::uint64_t lost = copy_rows(View(parts, {}), writer); lost > 0) {
    spdlog::error("{}: {} rows cannot be read, so these segments are not merged; kgtrain data repair saves the others",
                  folder.string(), lost);
    return nullptr;
  }
  writer.finish(target);
  return std::make_shared<const Segment>(target);
}

}  // namespace kg::dataset
