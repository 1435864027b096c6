#pragma once

#include <cstddef>

#include "exe_graph/runtime/storage_format.h"
#include "exe_graph/runtime/storage_shape.h"

namespace gert {

using TensorAddress = void*;
enum TensorPlacement { kOnDeviceHbm, kOnHost, kFollowing, kOnDeviceP2p, kTensorPlacementEnd };

// A tensor of the node. Its data is on the host only if the definition says ValueDepend.
class Tensor {
 public:
  Tensor() = default;
  Tensor(const StorageShape& shape, const StorageFormat& format, ge::DataType type, const void* data, size_t bytes)
      : shape_(shape), format_(format), type_(type), data_(data), bytes_(bytes) {}
  const StorageShape& GetShape() const { return shape_; }
  StorageShape& GetShape() { return shape_; }
  const Shape& GetStorageShape() const { return shape_.GetStorageShape(); }
  const Shape& GetOriginShape() const { return shape_.GetOriginShape(); }
  Shape& MutableStorageShape() { return shape_.MutableStorageShape(); }
  Shape& MutableOriginShape() { return shape_.MutableOriginShape(); }
  int64_t GetShapeSize() const { return GetStorageShape().GetShapeSize(); }
  ge::DataType GetDataType() const { return type_; }
  const StorageFormat& GetFormat() const { return format_; }
  ge::Format GetStorageFormat() const { return format_.GetStorageFormat(); }
  ge::Format GetOriginFormat() const { return format_.GetOriginFormat(); }
  void SetDataType(ge::DataType type) { type_ = type; }
  void SetStorageFormat(ge::Format format) { format_.SetStorageFormat(format); }
  void SetOriginFormat(ge::Format format) { format_.SetOriginFormat(format); }
  StorageFormat& MutableFormat() { return format_; }
  ExpandDimsType GetExpandDimsType() const { return format_.GetExpandDimsType(); }
  void SetExpandDimsType(const ExpandDimsType& type) { format_.SetExpandDimsType(type); }
  size_t GetSize() const { return bytes_; }
  void SetSize(size_t bytes) { bytes_ = bytes; }
  const void* GetAddr() const { return data_; }
  void* GetAddr() { return const_cast<void*>(data_); }
  TensorPlacement GetPlacement() const { return data_ == nullptr ? kOnDeviceHbm : kOnHost; }
  template <typename T>
  const T* GetData() const {
    return static_cast<const T*>(data_);
  }
  template <typename T>
  T* GetData() {
    return static_cast<T*>(GetAddr());
  }

 private:
  StorageShape shape_;
  StorageFormat format_;
  ge::DataType type_ = ge::DT_UNDEFINED;
  const void* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace gert
