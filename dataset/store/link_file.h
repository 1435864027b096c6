#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// What the file that users open says of itself.
struct MainFile {
  bool packed = false;                // holds the rows itself instead of links
  std::string folder;                 // of the segments, as the links name it
  std::vector<std::string> segments;  // file names of the segments that it links to
  // One sentence for each piece of damage. A file with links that nobody can read any more has no segments here: what
  // counts is in the folder, and the next writer makes the file anew.
  std::vector<std::string> complaints;
  bool needs_writing = false;  // it is damaged, or from before link files had an index
};

// Reads what the file says of itself: from its index, and where that is damaged or missing, with HDF5 in a child
// process. Throws Error if the file is missing, of another version, or unreadable without a folder beside it that could
// replace it.
MainFile read_main_file(const fs::path& path);

// Replaces `path` whole by a file that shows each segment as an external link, relative to its own folder:
// /TABLE/segment_NNNNNN -> ascend_cot.h5.d/segment-NNNNNN-MMMMMM.h5 : /TABLE/segment_NNNNNN, for tables with rows in
// it.
void write_link_file(const fs::path& path, const std::vector<std::shared_ptr<const Segment>>& segments);

}  // namespace kg::dataset
