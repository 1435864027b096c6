#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "proto/index.pb.h"

namespace kg::dataset {

// What is known about a file of rows without asking HDF5: where every chunk is, with its checksum, and the keys of its
// rows. For a segment it is in a separate file, for a packed file after the HDF5 part
// (docs/reference/data-format.md).
struct SegmentIndex {
  std::optional<proto::SegmentHead> head;
  std::map<std::string, proto::ColumnChunks> columns;  // "rollouts/reward"
  std::set<std::string> lost;                          // columns of the file that cannot be found any more
  bool keys_known = false;                             // the three below hold the keys of all rows
  std::vector<proto::RolloutKeys> rollout_keys;
  proto::WorkRanges work_ranges;
  std::map<std::string, proto::HashedKeys> hashed_keys;  // by table

  std::uint64_t rows(const std::string& table) const;
};

std::string column_key(const proto::ColumnChunks& column);

// The bytes of the index, with its header. Writes the numbers of columns and keys into the head, which must exist.
std::string write_index(const SegmentIndex& index);

// What can be read from an index that may be damaged.
struct IndexScan {
  SegmentIndex index;
  std::optional<proto::LinkHead> links;
  bool whole = false;    // nothing is missing
  bool damaged = false;  // something is not as written, whether it is missing or not
};
IndexScan read_index(std::string_view bytes);

// An index after the HDF5 part of a file: HDF5 ignores whatever follows its own part.
std::string trailer_bytes(std::uint64_t hdf5_bytes, const std::string& index);
// An index with a single record.
std::string write_links_index(const proto::LinkHead& links);
struct Trailer {
  std::uint64_t offset = 0;  // start of the index: the size of the HDF5 part
  std::string index;
  bool damaged = false;  // found by its first bytes, not by the end of the file
};
std::optional<Trailer> read_trailer(const fs::path& path);

// XXH3-64 of all bytes of the file up to `file_bytes` that are not part of a chunk.
std::uint64_t metadata_hash(int descriptor, std::uint64_t file_bytes, const SegmentIndex& index);

fs::path index_path(const fs::path& segment);  // "segment-000001-000008.h5.index"

}  // namespace kg::dataset
