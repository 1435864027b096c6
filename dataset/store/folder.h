#pragma once

#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// The contents of `ascend_cot.h5.d/`, sorted into what counts and what does not.
struct FolderListing {
  std::vector<SegmentRange> segments;          // live, in storage order
  std::vector<SegmentRange> superseded;        // merged into a live one, kept a while for readers that have them open
  std::vector<std::uint64_t> journals;         // not folded yet, in order
  std::vector<std::uint64_t> folded_journals;  // a segment holds their generation: a kill came before they were removed
  std::vector<std::string> leftovers;          // temporary files of killed writers
  std::vector<std::string> damaged;            // journals that were found damaged; their whole records are folded

  std::uint64_t last_generation() const;  // the highest seen, 0 if none
  bool operator==(const FolderListing& other) const;
};

// The name under which a damaged journal is kept once its whole records are folded: nothing is deleted that somebody
// could still read.
std::string damaged_journal_name(std::uint64_t generation);

fs::path folder_of(const fs::path& dataset_path);  // "ascend_cot.h5" -> "ascend_cot.h5.d"

// The pure part: names to listing.
FolderListing sort_names(std::vector<std::string> names);
// Reads the folder until two readings agree, so that a fold going on meanwhile is seen either before or after. A
// missing folder is empty.
FolderListing list_folder(const fs::path& folder);

}  // namespace kg::dataset
