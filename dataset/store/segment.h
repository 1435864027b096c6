#pragma once

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/error.h"
#include "base/file.h"
#include "dataset/store/segment_index.h"
#include "dataset/store/segment_keys.h"
#include "dataset/store/table.h"

namespace kg::dataset {

// The journal generations that a segment holds. If a segment with a generation exists, the journal of that
// generation is folded: replay after a kill checks nothing else.
struct SegmentRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t level = 0;  // 0: folded from a journal; n: merged from segments of level n - 1 and below

  bool contains(const SegmentRange& other) const { return first <= other.first && other.last <= last; }
};

std::string segment_group_name(const SegmentRange& range);  // "segment_000001": the name of its groups
std::string segment_file_name(const SegmentRange& range);   // "segment-000001-000008.h5"
// The range in a file name, level unknown (0); nothing if it is not a segment's name.
std::optional<SegmentRange> parse_segment_file_name(const std::string& name);

// Writes an immutable HDF5 file that is a complete data set: /TABLE/segment_NNNNNN/COLUMN for each table. Also writes
// its index.
class SegmentWriter {
 public:
  // In memory until finish(): for folds.
  static SegmentWriter in_memory(const SegmentRange& range);
  // To a temporary name beside `path`: for merges and packed files of any size.
  static SegmentWriter on_disk(const SegmentRange& range, const fs::path& path);
  SegmentWriter(const SegmentWriter&) = delete;
  ~SegmentWriter();  // removes the temporary file unless finish() was called

  void append(Table table, const google::protobuf::Message& row);
  std::uint64_t rows(Table table) const;
  enum class IndexPlace {
    kBeside,  // in a separate file
    kBehind,  // after the HDF5 part of the same file
  };
  // Completes `path` durably: fsync, rename, fsync of the folder. A separate index comes afterwards: a kill in
  // between leaves a segment without one, and the next writer makes it.
  void finish(const fs::path& path, IndexPlace place = IndexPlace::kBeside);

 private:
  SegmentWriter(const SegmentRange& range, fs::path temporary, hdf5::DriverFile file);
  SegmentIndex finish_tables();

  SegmentRange range_;
  fs::path temporary_;  // empty: in memory
  hdf5::DriverFile file_;
  std::array<hdf5::Handle, kTableCount> groups_;
  std::array<std::unique_ptr<TableWriter>, kTableCount> tables_;
  SegmentKeys keys_;
};

// Reads an immutable file of rows: with its index, without HDF5. If there is no intact index, HDF5 is asked
// once, in a child process, where the chunks are. Safe to use from several threads.
class Segment {
 public:
  // Throws Error if the file has another format version, is not ours, or is damaged beyond reading.
  explicit Segment(const fs::path& path);

  const fs::path& path() const { return path_; }
  const SegmentRange& range() const { return range_; }
  const SegmentIndex& index() const { return index_; }
  int descriptor() const { return file_.number(); }
  std::uint64_t rows(Table table) const;
  // Throws DamageError if the row, or one of the requested columns, is damaged.
  void read(Table table, std::uint64_t row, google::protobuf::Message& message,
            const std::vector<std::size_t>* columns = nullptr) const;
  void release() const;  // drops cached data

  // One sentence for each damage found when opening: in the index, and in HDF5's own part of the file. Chunks
  // are checked when they are read.
  const std::vector<std::string>& complaints() const { return complaints_; }
  // Whether the index should be rewritten: it is missing or damaged.
  bool index_needs_writing() const { return index_needs_writing_; }
  // Whether HDF5's own part of the file is as written, as far as the index can tell.
  bool metadata_is_sound() const { return metadata_is_sound_; }

 private:
  bool read_own_index();
  void ask_hdf5(bool had_index);
  proto::SegmentHead head_from_columns() const;
  void check_metadata();

  fs::path path_;
  Descriptor file_;
  SegmentIndex index_;
  SegmentRange range_;
  bool index_is_whole_ = false;
  bool index_needs_writing_ = false;
  bool metadata_is_sound_ = true;
  std::vector<std::string> complaints_;
  mutable std::mutex mutex_;  // protects the cached data in tables_
  mutable std::array<std::unique_ptr<TableReader>, kTableCount> tables_;
};

// The file is intact but not for this kgtrain.
class AnotherFormat : public Error {
 public:
  using Error::Error;
};

// The root attributes of every file of a data set: format, format_version, kind ("rows" or "links").
void write_root_attributes(hid_t file, const std::string& kind);
// Throws AnotherFormat, naming both versions, if the version is unknown. Returns the kind.
std::string check_root_attributes(hid_t file, const fs::path& path);

}  // namespace kg::dataset
