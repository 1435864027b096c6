#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "graph/types.h"

namespace gert {

// The bytes that the kernel gets as tiling data.
class TilingData {
 public:
  TilingData(void* data, size_t capacity) : data_(data), capacity_(capacity) {}
  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  void* GetData() { return data_; }
  const void* GetData() const { return data_; }
  ge::graphStatus Append(const void* bytes, size_t size) {
    if (size_ + size > capacity_ || size_ + size < size) return ge::GRAPH_FAILED;
    std::memcpy(static_cast<char*>(data_) + size_, bytes, size);
    size_ += size;
    return ge::GRAPH_SUCCESS;
  }
  template <typename T>
  ge::graphStatus Append(const T& value) {
    return Append(&value, sizeof(T));
  }
  template <typename T>
  TilingData& operator<<(const T& value) {
    Append(value);
    return *this;
  }

 private:
  void* data_;
  size_t capacity_, size_ = 0;
};

}  // namespace gert
