#pragma once

#include "exe_graph/runtime/shape.h"
#include "graph/types.h"

namespace gert {

// Which axes of a stored shape are extents of 1 that the shape before did not have: "1001" turns (2, 3) into
// (1, 2, 3, 1).
class ExpandDimsType {
 public:
  using AxisIndex = uint64_t;

  ExpandDimsType() = default;
  explicit ExpandDimsType(const ge::char_t* const expand_dims_type) {
    if (expand_dims_type == nullptr) return;
    for (; size_ < kMost && expand_dims_type[size_] != '\0'; ++size_)
      if (expand_dims_type[size_] == '1') mask_ |= uint64_t{1} << size_;
  }
  // The rule's length in the highest 8 bits, then its axes, the first one in the lowest bit.
  explicit ExpandDimsType(const int64_t reshape_type_mask)
      : size_(static_cast<uint64_t>(reshape_type_mask) >> kMost),
        mask_(static_cast<uint64_t>(reshape_type_mask) & ((uint64_t{1} << kMost) - 1)) {}

  bool operator==(const ExpandDimsType& other) const { return size_ == other.size_ && mask_ == other.mask_; }
  AxisIndex GetFullSize() const { return size_; }
  void SetExpandIndex(const AxisIndex index) {
    if (index >= kMost) return;
    mask_ |= uint64_t{1} << index;
    if (index >= size_) size_ = index + 1;
  }
  bool IsExpandIndex(const AxisIndex index) const { return index < size_ && (mask_ >> index & 1) != 0; }
  // Fails if the rule has more axes of the shape than the shape.
  ge::graphStatus Expand(const Shape& shape, Shape& out_shape) const {
    Shape expanded;
    size_t next = 0;
    for (AxisIndex axis = 0; axis < size_; ++axis) {
      if (!IsExpandIndex(axis) && next == shape.GetDimNum()) return ge::GRAPH_FAILED;
      expanded.AppendDim(IsExpandIndex(axis) ? 1 : shape.GetDim(next++));
    }
    while (next < shape.GetDimNum()) expanded.AppendDim(shape.GetDim(next++));
    out_shape = expanded;
    return ge::GRAPH_SUCCESS;
  }
  ge::graphStatus Expand(Shape& shape) const { return Expand(shape, shape); }

 private:
  static constexpr uint64_t kMost = 56;
  uint64_t size_ = 0, mask_ = 0;
};

}  // namespace gert
