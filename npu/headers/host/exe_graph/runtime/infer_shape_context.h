#pragma once

#include "exe_graph/runtime/extended_kernel_context.h"

namespace gert {

class InferShapeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Shape* GetInputShape(size_t index) const;
  const Shape* GetRequiredInputShape(size_t ir_index) const;
  const Shape* GetOptionalInputShape(size_t ir_index) const;
  const Shape* GetDynamicInputShape(size_t ir_index, size_t relative_index) const;
  const Tensor* GetInputTensor(size_t index) const;
  const Tensor* GetRequiredInputTensor(size_t ir_index) const;
  const Tensor* GetOptionalInputTensor(size_t ir_index) const;
  const Tensor* GetDynamicInputTensor(size_t ir_index, size_t relative_index) const;
  Shape* GetOutputShape(size_t index);
};

// Smallest and largest shapes, for graphs with unknown shapes. Shapes are known here, and nobody calls it.
template <typename T>
class Range {
 public:
  Range() = default;
  Range(T* min, T* max) : min_(min), max_(max) {}
  explicit Range(T* both) : min_(both), max_(both) {}
  bool operator==(const Range& other) const { return same(min_, other.min_) && same(max_, other.max_); }
  const T* GetMin() const { return min_; }
  const T* GetMax() const { return max_; }
  T* GetMin() { return min_; }
  T* GetMax() { return max_; }
  void SetMin(T* min) { min_ = min; }
  void SetMax(T* max) { max_ = max; }

 private:
  static bool same(const T* a, const T* b) { return a == b || (a != nullptr && b != nullptr && *a == *b); }
  T *min_ = nullptr, *max_ = nullptr;
};
using TensorRange = Range<Tensor>;
class InferShapeRangeContext : public ExtendedKernelContext {
 public:
  using ExtendedKernelContext::ExtendedKernelContext;
  const Range<Shape>* GetInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetRequiredInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetOptionalInputShapeRange(size_t) const { return nullptr; }
  const Range<Shape>* GetDynamicInputShapeRange(size_t, size_t) const { return nullptr; }
  const TensorRange* GetInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetRequiredInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetOptionalInputTensorRange(size_t) const { return nullptr; }
  const TensorRange* GetDynamicInputTensorRange(size_t, size_t) const { return nullptr; }
  Range<Shape>* GetOutputShapeRange(size_t) { return nullptr; }
};

}  // namespace gert
