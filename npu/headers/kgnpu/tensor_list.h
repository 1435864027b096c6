#pragma once

#include "kgnpu/tensor.h"

// Dynamic lists of tensors: a kernel parameter that is the address of a descriptor. npu/launch/arguments.h has the
// descriptor's form; kernels also read it by hand. The pages print T* where a pointer to global memory is returned.
// Production kernels give it to SetGlobalBuffer for a plain T as well as for a __gm__ T, so it is __gm__ T* for both.

namespace kgnpu {

template <typename T>
struct GlobalPointer {
  using type = __gm__ T*;
};
template <typename T>
struct GlobalPointer<__gm__ T> {
  using type = __gm__ T*;
};

}  // namespace kgnpu

namespace AscendC {

template <typename T>
class TensorDesc {
 public:
  void SetShapeAddr(uint64_t* shape) { shape_ = shape; }
  uint64_t GetDim() const { return dim_; }
  uint64_t GetIndex() const { return index_; }
  uint64_t GetShape(uint32_t axis) const { return shape_[axis]; }
  typename ::kgnpu::GlobalPointer<T>::type GetDataPtr() const { return data_; }
  GlobalTensor<T> GetDataObj() const {
    GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer((__gm__ T*)data_);
    return tensor;
  }

 private:
  friend class ListTensorDesc;
  uint64_t* shape_ = nullptr;
  uint64_t dim_ = 0, index_ = 0;
  typename ::kgnpu::GlobalPointer<T>::type data_ = nullptr;
};

class ListTensorDesc {
 public:
  ListTensorDesc() = default;
  ListTensorDesc(__gm__ void* data, uint32_t length = 0xFFFFFFFF, uint32_t size = 0xFFFFFFFF) {
    Init(data, length, size);
  }
  void Init(__gm__ void* data, uint32_t length = 0xFFFFFFFF, uint32_t size = 0xFFFFFFFF) {
    (void)length;
    start_ = (__gm__ uint64_t*)data;
    addresses_ = start_ + *start_ / sizeof(uint64_t);
    size_ = 0;
    for (__gm__ uint64_t* tensor = start_ + 1; tensor < addresses_; tensor = after(tensor)) ++size_;
    if (size != 0xFFFFFFFF && size != size_) kgnpu_assert_failed("shapeSize == number of tensors", __builtin_LINE());
  }
  uint32_t GetSize() const { return size_; }
  template <typename T>
  typename ::kgnpu::GlobalPointer<T>::type GetDataPtr(uint32_t index, KG_WHERE) const {
    require(index, kg_where.line);
    return (typename ::kgnpu::GlobalPointer<T>::type)addresses_[index];
  }
  template <typename T>
  void GetDesc(TensorDesc<T>& desc, uint32_t index, KG_WHERE) const {
    require(index, kg_where.line);
    __gm__ uint64_t* tensor = start_ + 1;
    for (uint32_t i = 0; i < index; ++i) tensor = after(tensor);
    desc.dim_ = *tensor & 0xFFFFFFFF;
    desc.index_ = *tensor >> 32;
    if (desc.shape_ == nullptr) kgnpu_assert_failed("SetShapeAddr was called before GetDesc", kg_where.line);
    for (uint64_t axis = 0; axis < desc.dim_; ++axis) desc.shape_[axis] = tensor[1 + axis];
    desc.data_ = (typename ::kgnpu::GlobalPointer<T>::type)addresses_[index];
  }

 private:
  static __gm__ uint64_t* after(__gm__ uint64_t* tensor) { return tensor + 1 + (*tensor & 0xFFFFFFFF); }
  void require(uint32_t index, int line) const {
    if (index >= size_) kgnpu_assert_failed("index of a tensor < size of its list", line);
  }

  __gm__ uint64_t* start_ = nullptr;
  __gm__ uint64_t* addresses_ = nullptr;
  uint32_t size_ = 0;
};

}  // namespace AscendC
