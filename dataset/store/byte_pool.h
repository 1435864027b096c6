#pragma once

#include <cstring>
#include <string>
#include <string_view>

#include "dataset/store/column.h"

namespace kg::dataset {

// A column whose rows have different lengths: all elements one after the other in `NAME_bytes` (text) or `NAME_values`
// (numbers), and in `NAME_offsets` the start of each row, plus the end of the last row.
inline std::string pool_elements_name(const std::string& name, ElementType type) {
  return name + (type == ElementType::kUint8 ? "_bytes" : "_values");
}
inline std::string pool_offsets_name(const std::string& name) { return name + "_offsets"; }

class PoolWriter {
 public:
  PoolWriter(hdf5::DriverFile& file, hid_t group, const std::string& name, ElementType type)
      : width_(element_bytes(type)),
        elements_(file, group, pool_elements_name(name, type), type, kPoolChunkBytes / element_bytes(type)),
        offsets_(file, group, pool_offsets_name(name), ElementType::kUint64, kRowsPerChunk) {
    append_offset();
  }
  void append(std::string_view row) {
    elements_.append(row.data(), row.size() / width_);
    append_offset();
  }
  ColumnWriter& elements() { return elements_; }
  ColumnWriter& offsets() { return offsets_; }

 private:
  void append_offset() {
    const std::uint64_t offset = elements_.size();
    offsets_.append(&offset, 1);
  }

  std::size_t width_;
  ColumnWriter elements_;
  ColumnWriter offsets_;
};

class PoolReader {
 public:
  PoolReader(ColumnReader elements, ColumnReader offsets)
      : elements_(std::move(elements)), offsets_(std::move(offsets)) {}

  void read(std::uint64_t row, std::string& bytes) {
    const std::uint64_t begin = offset(row), end = offset(row + 1);
    elements_.read(begin, end, bytes);
  }

 private:
  std::uint64_t offset(std::uint64_t index) {
    std::uint64_t value = 0;
    std::memcpy(&value, offsets_.element(index), sizeof value);
    return value;
  }

  ColumnReader elements_;
  ColumnReader offsets_;
};

}  // namespace kg::dataset
