#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "dataset/store/table.h"

namespace kg::dataset {

// Which journal generations a segment holds. That a segment with a generation exists means that the journal of that
// generation is folded: replay after a kill looks at nothing else.
struct SegmentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t level = 0;  // 0: folded from a journal; n: merged from segments of level n - 1 and below

  bool contains(const SegmentRange& other) const { return first <= other.first && other.last <= last; }
};

std::string segment_group_name(const SegmentRange& range);  // "segment_000001": the name of its groups
std::string segment_file_name(const SegmentRange& range);   // "segment-000001-000008.h5"
// The range in a file name, level unknown (0); nothing if it is no segment's name.
std::optional<SegmentRange> parse_segment_file_name(const std::string& name);

// Writes an immutable HDF5 file that is a data set of its own: /TABLE/segment_NNNNNN/COLUMN for each table.
class SegmentWriter {
 public:
  // In memory until finish(), which then reports a full disk as an Error (HDF5 itself crashes on one): for folds.
  static SegmentWriter in_memory(const SegmentRange& range);
  // Under a temporary name beside `path`: for merges and packed files of any size.
  static SegmentWriter on_disk(const SegmentRange& range, const fs::path& path);
  SegmentWriter(const SegmentWriter&) = delete;
  ~SegmentWriter();  // removes the temporary file if finish() was not reached

  void append(Table table, const google::protobuf::Message& row);
  std::uint64_t rows(Table table) const;
  // Makes `path` the whole file, durably: fsync, rename, fsync of the folder.
  void finish(const fs::path& path);

 private:
  SegmentWriter(const SegmentRange& range, fs::path temporary);

  SegmentRange range_;
  fs::path temporary_;  // empty: in memory
  std::unique_ptr<hdf5::MemoryFile> memory_;
  hdf5::Handle file_;  // on disk
  std::array<hdf5::Handle, kTableCount> groups_;
  std::array<std::unique_ptr<TableWriter>, kTableCount> tables_;
};

// An immutable file of rows being read. Safe to use from several threads.
class Segment {
 public:
  // Throws Error if the file has another format version or is none of ours.
  explicit Segment(const fs::path& path);

  const SegmentRange& range() const { return range_; }
  std::uint64_t rows(Table table) const;
  void read(Table table, std::uint64_t row, google::protobuf::Message& message,
            const std::vector<std::size_t>* columns = nullptr) const;
  void release() const;  // forgets what is cached

 private:
  SegmentRange range_;
  hdf5::Handle file_;
  mutable std::array<std::unique_ptr<TableReader>, kTableCount> tables_;
};

// The attributes at the root of every file of a data set: format, format_version, kind ("rows" or "links").
void write_root_attributes(hid_t file, const std::string& kind);
// Throws Error naming both versions if the file has an unknown one. Returns the kind.
std::string check_root_attributes(hid_t file, const fs::path& path);

}  // namespace kg::dataset
