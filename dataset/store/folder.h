#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// The files in `ascend_cot.h5.d/`, sorted by their role.
struct FolderListing {
  std::vector<SegmentRange> segments;          // live, in storage order
  std::vector<SegmentRange> superseded;        // merged into a live one; kept a while for readers that have them open
  std::vector<std::uint64_t> journals;         // not yet folded, in order
  std::vector<std::uint64_t> folded_journals;  // already folded into a segment, but not removed because of a kill
  std::vector<std::string> leftovers;          // temporary files of killed writers
  std::vector<std::string> damaged;            // journals found to be damaged; their intact records are folded

  std::uint64_t last_generation() const;  // the highest seen, 0 if none
  bool operator==(const FolderListing& other) const;
};

// The name under which a damaged journal is kept once its intact records are folded: data that somebody
// could still recover is never deleted.
std::string damaged_journal_name(std::uint64_t generation);

fs::path folder_of(const fs::path& dataset_path);  // "ascend_cot.h5" -> "ascend_cot.h5.d"

// The pure part: from names to the listing.
FolderListing sort_names(std::vector<std::string> names);
// Reads the folder until two readings agree, so that a concurrent fold is seen either before or after. A
// missing folder counts as empty.
FolderListing list_folder(const fs::path& folder);

}  // namespace kg::dataset
