#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/segment_index.h"

namespace kg::dataset {

// What HDF5 itself reports about a file: used only if there is no index (a data set from before there were indexes, a
// damaged index or link file), and in a child process, since the library crashes or loops on some damaged files.
struct Hdf5Finding {
  std::optional<proto::Hdf5Finding::Root> root;        // nothing: the file cannot be read at all
  std::optional<proto::Hdf5Finding::Failure> failure;  // the reason
  SegmentIndex index;                                  // index of a file of rows, without checksums and keys
};

// Does not look up chunks of the columns in `known` again.
Hdf5Finding find_with_hdf5(const fs::path& path, const std::set<std::string>& known = {});

// Throws Error if the file is intact but not for this kgtrain.
void refuse_another_format(const Hdf5Finding& finding);

}  // namespace kg::dataset
