#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <vector>

namespace gert {

// The extents of a tensor, at most 25. A scalar has none.
class Shape {
 public:
  static constexpr size_t kMaxDimNum = 25;
  static constexpr int64_t kInvalidDimValue = std::numeric_limits<int64_t>::min();

  Shape() = default;
  Shape(std::initializer_list<int64_t> dims) {
    if (dims.size() > kMaxDimNum) return;
    for (const int64_t extent : dims) dims_[dim_num_++] = extent;
  }

  size_t GetDimNum() const { return dim_num_; }
  void SetDimNum(size_t number) { dim_num_ = number < kMaxDimNum ? number : kMaxDimNum; }
  int64_t GetDim(size_t axis) const { return axis < kMaxDimNum ? dims_[axis] : kInvalidDimValue; }
  const int64_t& operator[](size_t axis) const { return axis < kMaxDimNum ? dims_[axis] : kInvalidDimValue; }
  int64_t& operator[](size_t axis) { return axis < kMaxDimNum ? dims_[axis] : beyond(); }
  void SetDim(size_t axis, int64_t extent) {
    if (axis < kMaxDimNum) dims_[axis] = extent;
  }
  Shape& AppendDim(int64_t extent) {
    if (dim_num_ < kMaxDimNum) dims_[dim_num_++] = extent;
    return *this;
  }
  bool IsScalar() const { return dim_num_ == 0; }
  void SetScalar() { dim_num_ = 0; }
  // The number of elements; -1 if it overflows or an extent is unknown.
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (size_t axis = 0; axis < dim_num_; ++axis)
      if (dims_[axis] < 0 || __builtin_mul_overflow(size, dims_[axis], &size)) return -1;
    return size;
  }
  bool operator==(const Shape& other) const {
    if (dim_num_ != other.dim_num_) return false;
    for (size_t axis = 0; axis < dim_num_; ++axis)
      if (dims_[axis] != other.dims_[axis]) return false;
    return true;
  }
  bool operator!=(const Shape& other) const { return !(*this == other); }

 private:
  static int64_t& beyond() {
    static int64_t value;
    return value = kInvalidDimValue;
  }

  size_t dim_num_ = 0;
  int64_t dims_[kMaxDimNum] = {};
};

}  // namespace gert
