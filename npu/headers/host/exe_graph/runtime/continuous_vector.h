#pragma once

#include <cstddef>
#include <cstdint>

#include "graph/types.h"

namespace gert {

// A list attribute. The elements belong to the context.
class ContinuousVector {
 public:
  ContinuousVector(const void* data, size_t size) : data_(data), size_(size), capacity_(size) {}
  size_t GetSize() const { return size_; }
  size_t GetCapacity() const { return capacity_; }
  const void* GetData() const { return data_; }
  void* MutableData() { return const_cast<void*>(data_); }
  ge::graphStatus SetSize(size_t size) {
    if (size > capacity_) return ge::GRAPH_FAILED;
    size_ = size;
    return ge::GRAPH_SUCCESS;
  }

 private:
  const void* data_;
  size_t size_, capacity_;
};

template <typename T>
class TypedContinuousVector : public ContinuousVector {
 public:
  using ContinuousVector::ContinuousVector;
  const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
  T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};

class ContinuousVectorVector {
 public:
  ContinuousVectorVector(const ContinuousVector* lists, size_t size) : lists_(lists), size_(size) {}
  size_t GetSize() const { return size_; }
  const ContinuousVector* Get(size_t index) const { return index < size_ ? lists_ + index : nullptr; }

 private:
  const ContinuousVector* lists_;
  size_t size_;
};

}  // namespace gert
