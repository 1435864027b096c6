#include "dataset/store/folder.h"

#include <algorithm>
#include <cstring>
#include <set>

#include "dataset/store/journal.h"

namespace kg::dataset {
namespace {

constexpr const char* kDamaged = ".damaged";
constexpr const char* kIndex = ".index";

bool same_range(const SegmentRange& a, const SegmentRange& b) { return a.first == b.first && a.last == b.last; }

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error))
    names.push_back(entry->path().filename().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

std::uint64_t FolderListing::last_generation() const {
  std::uint64_t last = 0;
  for (const auto& range : segments) last = std::max(last, range.last);
  for (const auto generation : journals) last = std::max(last, generation);
  // A journal without a whole record leaves no segment. Its number is not used again: a second damaged journal would
  // have no name to be kept under.
  for (const std::string& name : damaged)
    if (const auto generation = parse_journal_file_name(name.substr(0, name.size() - std::strlen(kDamaged))))
      last = std::max(last, generation);
  return last;
}

bool FolderListing::operator==(const FolderListing& other) const {
  return std::equal(segments.begin(), segments.end(), other.segments.begin(), other.segments.end(), same_range) &&
         journals == other.journals;
}

std::string damaged_journal_name(std::uint64_t generation) { return journal_file_name(generation) + kDamaged; }

fs::path folder_of(const fs::path& dataset_path) { return dataset_path.string() + ".d"; }

FolderListing sort_names(std::vector<std::string> names) {
  FolderListing listing;
  std::vector<SegmentRange> ranges;
  std::vector<std::uint64_t> journals;
  const std::set<std::string> all(names.begin(), names.end());
  for (const std::string& name : names) {
    if (const auto range = parse_segment_file_name(name)) {
      ranges.push_back(*range);
    } else if (const auto generation = parse_journal_file_name(name)) {
      journals.push_back(generation);
    } else if (name.starts_with("journal-") && name.ends_with(kDamaged)) {
      listing.damaged.push_back(name);
    } else if (name.find(".tmp") != std::string::npos) {
      listing.leftovers.push_back(name);
    } else if (name.ends_with(kIndex) && !all.contains(name.substr(0, name.size() - std::strlen(kIndex)))) {
      listing.leftovers.push_back(name);  // its segment no longer exists
    }
  }
  const auto by_first_then_wider = [](const SegmentRange& a, const SegmentRange& b) {
    return a.first != b.first ? a.first < b.first : a.last > b.last;
  };
  std::sort(ranges.begin(), ranges.end(), by_first_then_wider);
  for (const SegmentRange& range : ranges) {
    const bool covered = !listing.segments.empty() && listing.segments.back().contains(range);
    (covered ? listing.superseded : listing.segments).push_back(range);
  }
  std::sort(journals.begin(), journals.end());
  for (const std::uint64_t generation : journals) {
    const SegmentRange one{.first = generation, .last = generation};
    const bool folded = std::any_of(listing.segments.begin(), listing.segments.end(),
                                    [&](const SegmentRange& range) { return range.contains(one); });
    (folded ? listing.folded_journals : listing.journals).push_back(generation);
  }
  return listing;
}

FolderListing list_folder(const fs::path& folder) {
  FolderListing listing = sort_names(names_in(folder));
  for (;;) {
    FolderListing again = sort_names(names_in(folder));
    if (again == listing) return again;
    listing = std::move(again);
  }
}

}  // namespace kg::dataset
