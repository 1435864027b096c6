#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "graph/types.h"

namespace ge {

// The shape parameter of the high-level library's tiling functions.
class Shape {
 public:
  Shape() = default;
  explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
  size_t GetDimNum() const { return dims_.size(); }
  int64_t GetDim(size_t axis) const { return axis < dims_.size() ? dims_[axis] : 0; }
  graphStatus SetDim(size_t axis, int64_t extent) {
    if (axis >= dims_.size()) return GRAPH_FAILED;
    dims_[axis] = extent;
    return GRAPH_SUCCESS;
  }
  std::vector<int64_t> GetDims() const { return dims_; }
  int64_t GetShapeSize() const {
    int64_t size = 1;
    for (const int64_t extent : dims_) size *= extent;
    return dims_.empty() ? 0 : size;
  }

 private:
  std::vector<int64_t> dims_;
};

}  // namespace ge
