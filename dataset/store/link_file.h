#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/segment.h"

namespace kg::dataset {

// The content of the file that users open.
struct MainFile {
  bool packed = false;                // holds the rows itself instead of links
  std::string folder;                 // folder of the segments, as named in the links
  std::vector<std::string> segments;  // file names of the linked segments
  // One sentence for each damage. A link file that can no longer be read has no segments here: the data is in
  // the folder, and the next writer rewrites the file.
  std::vector<std::string> complaints;
  bool needs_writing = false;  // it is damaged, or older than the indexes of link files
};

// Reads the file's description of itself: from its index or, if that is damaged or missing, with HDF5 in a child
// process. Throws Error if the file is missing, has another version, or is unreadable without a folder that can
// replace it.
MainFile read_main_file(const fs::path& path);

// Replaces `path` by a new file that shows each segment as an external link, relative to its own folder:
// /TABLE/segment_NNNNNN -> ascend_cot.h5.d/segment-NNNNNN-MMMMMM.h5 : /TABLE/segment_NNNNNN, for tables with
// rows.
void write_link_file(const fs::path& path, const std::vector<std::shared_ptr<const Segment>>& segments);

}  // namespace kg::dataset
