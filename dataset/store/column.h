#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/hdf5_file.h"
#include "proto/index.pb.h"

namespace kg::dataset {

// The element types of columns. All are little-endian on disk and in memory.
enum class ElementType { kUint8, kInt32, kUint32, kInt64, kUint64, kFloat32, kFloat64 };
std::size_t element_bytes(ElementType type);
std::string element_type_name(ElementType type);  // "uint8", as in the index of a segment
std::optional<ElementType> element_type_from_name(const std::string& name);
hid_t hdf5_type(ElementType type);

// Writes a one-dimensional dataset, chunked and deflated. Elements are buffered up to whole chunks, so memory
// is one chunk whatever the length.
class ColumnWriter {
 public:
  ColumnWriter(hdf5::DriverFile& file, hid_t group, const std::string& name, ElementType type,
               std::uint64_t chunk_elements);

  void append(const void* elements, std::size_t count);
  std::uint64_t size() const { return written_ + buffer_.size() / element_bytes(type_); }
  proto::ColumnChunks finish();  // writes the rest; returns the places of all chunks, without the table's name
  hid_t dataset() const { return dataset_.id(); }

 private:
  void write(std::size_t count);

  hdf5::DriverFile& file_;
  std::string name_;
  ElementType type_;
  std::uint64_t chunk_elements_;
  std::uint64_t written_ = 0;
  std::vector<std::uint32_t> filters_;
  std::string buffer_;
  hdf5::Handle dataset_;
  proto::ColumnChunks chunks_;
};

// Reads a one-dimensional dataset directly from its chunks, one at a time in memory. Each is checked.
class ColumnReader {
 public:
  // `chunks` must outlive it; `where` names file and column in errors. Throws DamageError if its element type
  // differs.
  ColumnReader(int descriptor, const proto::ColumnChunks& chunks, ElementType type, std::string where);

  std::uint64_t size() const { return chunks_.elements(); }
  // The bytes of element `index`, valid until the next call. Throws DamageError if they are damaged.
  const char* element(std::uint64_t index);
  // Elements [begin, end).
  void read(std::uint64_t begin, std::uint64_t end, std::string& bytes);

 private:
  const std::string& chunk(std::uint64_t index);

  int descriptor_;
  const proto::ColumnChunks& chunks_;
  std::string where_;
  std::size_t width_;
  std::uint64_t in_memory_ = ~std::uint64_t{0};  // index of the chunk in raw_
  std::string raw_;
  std::string why_damaged_;  // damage of that chunk; empty: it is intact
};

inline constexpr std::uint64_t kRowsPerChunk = 1024;        // in a fixed column and in offsets
inline constexpr std::uint64_t kPoolChunkBytes = 64 << 10;  // in a pool

}  // namespace kg::dataset
