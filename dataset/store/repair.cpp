#include "dataset/store/repair.h"

#include "base/error.h"
#include "dataset/store/dataset.h"
#include "dataset/store/folder.h"
#include "dataset/store/journal_repair.h"
#include "dataset/store/link_file.h"
#include "dataset/store/parts.h"
#include "dataset/store/record_key.h"
#include "dataset/store/segment_repair.h"

namespace kg::dataset {
namespace {

void move_to_kept(const fs::path& file, const fs::path& kept) {
  if (!fs::exists(file)) return;
  keep(file, kept);
  fs::remove(file);
  fsync_folder(file.parent_path());
}

// An unreadable segment is moved out of the way: segments that were merged into it may still exist.
void repair_segments(const fs::path& folder, const fs::path& kept, RepairReport& report) {
  const FileLock lock(folder / "lock", "the data set " + folder.string());
  for (bool again = true; again;) {
    again = false;
    for (const SegmentRange& range : list_folder(folder).segments) {
      const fs::path file = folder / segment_file_name(range);
      try {
        repair_segment(file, /*behind=*/false, kept, report);
      } catch (const AnotherFormat&) {
        throw;
      } catch (const Error& error) {
        if (error.kind() == Error::Kind::kEnvironment) throw;
        move_to_kept(file, kept);
        move_to_kept(index_path(file), kept);
        report.kept = kept;
        report.lost.push_back("all rows of " + file.filename().string() + ": " + error.what());
        report.done.push_back(file.filename().string() + ": removed from the data set: nothing in it can be read");
        again = true;
        break;
      }
    }
  }
}

void check_nothing_is_missing(const MainFile& main, const fs::path& path, RepairReport& report) {
  try {
    check_complete(main, list_folder(folder_of(path)), path);
  } catch (const Error& error) {
    report.lost.push_back(error.what());
  }
}

void repair_journals(const fs::path& folder, Dataset& data, const fs::path& kept, RepairReport& report) {
  for (const std::string& name : list_folder(folder).damaged) {
    JournalRest rest = rest_of_journal(folder / name);
    const std::size_t added = rest.records.empty() ? 0 : data.append(rest.records);
    data.fold();
    report.saved += added;
    report.lost.insert(report.lost.end(), rest.lost.begin(), rest.lost.end());
    std::string keys;
    for (const proto::JournalRecord& record : rest.records)
      keys += (keys.empty() ? " (" : ", ") + record_key(table_of(record), message_of(record));
    report.done.push_back(name +
                          ": its whole records are in the data set; records with one flipped bit that are corrected "
                          "right: " +
                          std::to_string(rest.records.size()) + keys + (keys.empty() ? "" : ")") +
                          "; stretches that are lost: " + std::to_string(rest.lost.size()));
    move_to_kept(folder / name, kept);
    report.kept = kept;
  }
}

}  // namespace

RepairReport repair(const fs::path& path) {
  const fs::path real = fs::exists(path) ? fs::canonical(path) : fs::absolute(path);
  const fs::path folder = folder_of(real);
  const FolderListing listing = list_folder(folder);
  const bool has_folder = !listing.segments.empty() || !listing.journals.empty() || !listing.damaged.empty();
  RepairReport report;
  if (!has_folder) {
    if (!read_main_file(real).packed)  // throws the Error with the reason
      throw Error("the folder of the data set holds nothing", folder.string(), "restore file and folder together");
    repair_segment(real, /*behind=*/true, real.string() + ".damaged", report);
    return report;
  }
  const fs::path kept = folder / "damaged";
  std::optional<MainFile> main;
  if (fs::exists(real)) main = read_main_file(real);
  repair_segments(folder, kept, report);
  // Segments that the link file lists but that are missing are lost; a damaged link file is rewritten below.
  if (main && !main->packed) check_nothing_is_missing(*main, real, report);
  if (main && !main->complaints.empty()) {
    keep(real, kept);
    report.kept = kept;
  }
  const bool must_go = main && !main->packed && (!main->complaints.empty() || !report.lost.empty());
  if (must_go) fs::remove(real);
  const auto data = Dataset::open(real, OpenMode::kAppendOrCreate);  // rewrites the file, and folds journals
  if (!main || (must_go && !main->complaints.empty()))
    report.done.push_back(real.filename().string() + ": the file with the links was rewritten");
  repair_journals(folder, *data, kept, report);
  return report;
}

}  // namespace kg::dataset
