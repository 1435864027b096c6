#include "dataset/store/parts.h"

#include <algorithm>

#include "base/error.h"

namespace kg::dataset {
namespace {

constexpr int kAttempts = 20;

// False if a file vanished between the listing and its opening: a fold or merge went on, look again.
bool try_open(const fs::path& folder, const FolderListing& listing, Parts& parts) {
  parts = {};
  fs::path opening;
  try {
    for (const SegmentRange& range : listing.segments) {
      opening = folder / segment_file_name(range);
      parts.segments.push_back(std::make_shared<const Segment>(opening));
    }
    for (const std::uint64_t generation : listing.journals) {
      opening = folder / journal_file_name(generation);
      parts.journals.push_back(std::make_shared<const Journal>(Journal::open(opening)));
    }
  } catch (const Error&) {
    if (!fs::exists(opening)) return false;
    throw;
  }
  return true;
}

}  // namespace

std::vector<std::string> Parts::complaints() const {
  std::vector<std::string> lines = main_complaints;
  for (const auto& segment : segments)
    lines.insert(lines.end(), segment->complaints().begin(), segment->complaints().end());
  for (const auto& journal : journals)
    lines.insert(lines.end(), journal->complaints().begin(), journal->complaints().end());
  return lines;
}

void check_complete(const MainFile& main, const FolderListing& listing, const fs::path& path) {
  for (const std::string& name : main.segments) {
    const auto wanted = parse_segment_file_name(name);
    const bool found = wanted && std::any_of(listing.segments.begin(), listing.segments.end(),
                                             [&](const SegmentRange& range) { return range.contains(*wanted); });
    if (!found)
      throw Error("a part of the data set is missing: " + name, folder_of(path).string(),
                  "the file and the folder beside it belong together: move or copy both, or pack them with `kgtrain "
                  "data pack`");
  }
}

Parts open_parts(const fs::path& path) {
  const fs::path folder = folder_of(path);
  Parts parts;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const MainFile main = read_main_file(path);
    const FolderListing listing = list_folder(folder);
    if (main.packed && listing.segments.empty()) {
      parts.segments.push_back(std::make_shared<const Segment>(path));
      return parts;
    }
    if (main.packed) {
      // A packed file that is being moved into a folder. Otherwise two data sets are in the same place.
      const SegmentRange whole = Segment(path).range();
      check_complete({.segments = {segment_file_name(whole)}}, listing, path);
    }
    check_complete(main, listing, path);
    if (!try_open(folder, listing, parts)) continue;
    parts.main_complaints = main.complaints;
    return parts;
  }
  throw Error("the data set changes faster than it can be opened", path.string(), "try again", Error::Kind::kFailed);
}

}  // namespace kg::dataset
