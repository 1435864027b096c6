#include "dataset/store/pack.h"

#include <algorithm>

#include "base/error.h"
#include "dataset/store/folder.h"
#include "dataset/store/merge.h"
#include "dataset/store/parts.h"

namespace kg::dataset {

PackReport pack(const fs::path& from, const fs::path& to) {
  for (const fs::path& taken : {to, folder_of(to)})
    if (fs::exists(taken)) throw Error("already exists", taken.string(), "choose another name, or delete it");
  const fs::path real = fs::exists(from) ? fs::canonical(from) : from;
  Parts parts = open_parts(real);
  SegmentRange range{.first = 1, .last = 1};
  std::uint64_t bytes = 0;
  for (const auto& segment : parts.segments) {
    range.last = std::max(range.last, segment->range().last);
    range.level = std::max(range.level, segment->range().level + 1);
  }
  for (const auto& journal : parts.journals) range.last = std::max(range.last, journal->generation());
  std::error_code error;
  for (fs::directory_iterator entry(folder_of(real), error), end; !error && entry != end; entry.increment(error))
    if (entry->is_regular_file()) bytes += entry->file_size(error);
  if (free_disk_bytes(to) < bytes + (64 << 20))
    throw Error("the disk has room for " + std::to_string(free_disk_bytes(to) >> 20) + " MiB, up to " +
                    std::to_string((bytes >> 20) + 64) + " are wanted",
                to.string(), "free disk space, or choose another folder", Error::Kind::kEnvironment);
  SegmentWriter writer = SegmentWriter::on_disk(range, to);
  PackReport report;
  report.unreadable = copy_rows(View(std::move(parts.segments), std::move(parts.journals)), writer);
  report.counts = {.tasks = writer.rows(Table::kTasks),
                   .samples = writer.rows(Table::kSamples),
                   .rollouts = writer.rows(Table::kRollouts),
                   .preferences = writer.rows(Table::kPreferences)};
  writer.finish(to, SegmentWriter::IndexPlace::kBehind);
  return report;
}

}  // namespace kg::dataset
