#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "dataset/store/hdf5.h"

namespace kg::dataset {

// The element types of columns. All are little-endian on disk and in memory.
enum class ElementType { kUint8, kInt32, kUint32, kInt64, kUint64, kFloat32, kFloat64 };
std::size_t element_bytes(ElementType type);

// A one-dimensional dataset being written, chunked and deflated. Elements are buffered to whole chunks, so that memory
// is one chunk whatever the length.
class ColumnWriter {
 public:
  ColumnWriter(hid_t group, const std::string& name, ElementType type, std::uint64_t chunk_elements);

  void append(const void* elements, std::size_t count);
  std::uint64_t size() const { return written_ + buffer_.size() / element_bytes(type_); }
  void finish();  // writes what is left
  hid_t dataset() const { return dataset_.id(); }

 private:
  void write(std::size_t count);

  std::string name_;
  ElementType type_;
  std::uint64_t chunk_elements_;
  std::uint64_t written_ = 0;
  std::string buffer_;
  hdf5::Handle dataset_;
};

// A one-dimensional dataset being read, one aligned block of elements in memory at a time.
class ColumnReader {
 public:
  // `where` names file and group in errors. Throws Error if the dataset has another element type.
  // `cache_bytes` is what HDF5 keeps unpacked between calls of read().
  ColumnReader(hid_t group, const std::string& name, ElementType type, const std::string& where,
               std::size_t cache_bytes);

  std::uint64_t size() const { return size_; }
  // The bytes of element `index`, valid until the next call.
  const char* element(std::uint64_t index);
  // Elements [begin, end) straight into `bytes`, past the block.
  void read(std::uint64_t begin, std::uint64_t end, std::string& bytes);

 private:
  std::string where_;
  ElementType type_;
  std::uint64_t size_ = 0;
  std::uint64_t block_begin_ = 0;
  std::string block_;
  hdf5::Handle dataset_;
};

inline constexpr std::uint64_t kRowsPerChunk = 1024;        // of a fixed column and of offsets
inline constexpr std::uint64_t kPoolChunkBytes = 64 << 10;  // of a pool

}  // namespace kg::dataset
