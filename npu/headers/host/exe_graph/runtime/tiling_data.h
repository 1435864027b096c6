#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <new>
#include <type_traits>

#include "graph/types.h"

namespace gert {

// The bytes that the kernel gets as tiling data.
class TilingData {
 public:
  TilingData(void* data, size_t capacity) : data_(data), capacity_(capacity) {}
  // Bytes that hold a TilingData and, behind it, its data.
  static std::unique_ptr<uint8_t[]> CreateCap(const size_t cap_size) {
    size_t total = 0;
    if (CalcTotalSize(cap_size, total) != ge::GRAPH_SUCCESS) return nullptr;
    auto bytes = std::make_unique<uint8_t[]>(total);
    new (bytes.get()) TilingData(bytes.get() + sizeof(TilingData), cap_size);
    return bytes;
  }
  static ge::graphStatus CalcTotalSize(const size_t cap_size, size_t& total_size) {
    return __builtin_add_overflow(sizeof(TilingData), cap_size, &total_size) ? ge::GRAPH_FAILED : ge::GRAPH_SUCCESS;
  }
  void Init(const size_t cap_size, void* const data) {
    data_ = data;
    capacity_ = cap_size;
    size_ = 0;
  }
  size_t GetCapacity() const { return capacity_; }
  size_t GetDataSize() const { return size_; }
  void SetDataSize(size_t size) { size_ = size; }
  void* GetData() { return data_; }
  const void* GetData() const { return data_; }
  // The bytes behind what is written so far, or null beyond the capacity.
  void* Expand(size_t size) {
    if (size > capacity_ - size_) return nullptr;
    void* added = static_cast<char*>(data_) + size_;
    size_ += size;
    return added;
  }
  template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
  ge::graphStatus Append(const T& data) {
    return Append(&data, 1);
  }
  template <typename T, typename std::enable_if<std::is_standard_layout<T>::value, int>::type = 0>
  ge::graphStatus Append(const T* data, size_t append_num) {
    size_t bytes = 0;
    if (__builtin_mul_overflow(append_num, sizeof(T), &bytes)) return ge::GRAPH_FAILED;
    void* added = Expand(bytes);
    if (added == nullptr) return ge::GRAPH_FAILED;
    std::memcpy(added, data, bytes);
    return ge::GRAPH_SUCCESS;
  }

 private:
  void* data_;
  size_t capacity_, size_ = 0;
};

template <typename T>
TilingData& operator<<(TilingData& out, const T& data) {
  out.Append(data);
  return out;
}

}  // namespace gert
