#pragma once

#include <memory>
#include <string>
#include <vector>

#include "dataset/store/folder.h"
#include "dataset/store/journal.h"
#include "dataset/store/link_file.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// The open files of a data set, in storage order.
struct Parts {
  std::vector<std::shared_ptr<const Segment>> segments;
  std::vector<std::shared_ptr<const Journal>> journals;
  std::vector<std::string> main_complaints;  // about the file that users open

  // One sentence for each damage found when opening.
  std::vector<std::string> complaints() const;
};

// Opens all live parts of the data set at `path`: a file with links and its folder, or one packed file. May run while
// another process appends, folds and merges. Throws Error if a segment that the file links to is missing.
Parts open_parts(const fs::path& path);

// Throws Error if `listing` lacks something that the main file refers to.
void check_complete(const MainFile& main, const FolderListing& listing, const fs::path& path);

}  // namespace kg::dataset
