#include "dataset/store/complete_index.h"

#include <sys/stat.h>

#include "base/hash.h"
#include "dataset/store/chunk_reader.h"

namespace kg::dataset {
namespace {

// A chunk that does not unpack gets a checksum that does not fit: it stays damaged.
void add_checksums(int descriptor, proto::ColumnChunks& column) {
  const std::uint64_t chunks = chunk_count(column);
  std::string raw;
  for (auto i = static_cast<std::uint64_t>(column.checksums_size()); i < chunks; ++i) {
    const std::string stored = stored_chunk(descriptor, column, i);
    const bool whole = unpack_chunk(column, i, stored, raw).empty();
    column.add_checksums(whole ? hash64(stored) : ~hash64(stored));
  }
}

// False if a row cannot be read: then the keys are not known.
bool add_keys(const Segment& segment, SegmentIndex& index) {
  SegmentKeys keys;
  try {
    for (const Table table : {Table::kSamples, Table::kRollouts, Table::kTensors}) {
      const auto columns = column_indices(schema(table), key_columns(table));
      proto::JournalRecord record;
      for (std::uint64_t row = 0; row < segment.rows(table); ++row) {
        auto& message = mutable_message(record, table);
        segment.read(table, row, message, &columns);
        keys.add(table, message);
      }
    }
  } catch (const DamageError&) {
    return false;
  }
  keys.write(index);
  return true;
}

}  // namespace

SegmentIndex complete_index(const Segment& segment) {
  SegmentIndex index = segment.index();
  for (auto& [key, column] : index.columns) add_checksums(segment.descriptor(), column);
  if (!index.keys_known) add_keys(segment, index);
  struct stat info{};
  if (index.head->file_bytes() == 0 && ::fstat(segment.descriptor(), &info) == 0) {
    index.head->set_file_bytes(static_cast<std::uint64_t>(info.st_size));
    index.head->set_metadata_hash(metadata_hash(segment.descriptor(), index.head->file_bytes(), index));
  }
  segment.release();
  return index;
}

}  // namespace kg::dataset
