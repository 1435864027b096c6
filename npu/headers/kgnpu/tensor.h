#pragma once

#include "kgnpu/abi_special.h"
#include "kgnpu/names.h"

namespace AscendC {
namespace kg_detail {

// The step of operator[] in objects of T. Two elements of int4b_t share a byte, and no address is between them.
template <typename T>
inline uint64_t step_of(uint64_t offset) {
  if (offset % ::kgnpu::elements_in_byte<T> != 0)
    kgnpu_assert_failed("an offset in a tensor of int4b_t is even: a byte holds two elements", 0);
  return offset / ::kgnpu::elements_in_byte<T>;
}
template <typename T>
constexpr void check_scalar() {
  static_assert(::kgnpu::has_scalar<T>,
                "there is no scalar of int4b_t: GetValue, SetValue and operator() do not take it; ReinterpretCast the "
                "tensor to int8_t, whose elements are two of int4b_t, the first in the low four bits");
}

}  // namespace kg_detail

// An element type whose tensors carry no ShapeInfo. Every tensor is one here, so it is T itself; no layout goes with
// it.
template <typename T, TPosition pos = TPosition::GM>
using TensorTrait = T;
// The type of the elements of a tensor of T.
template <typename T>
using PrimT = T;

// Where a tensor is, as kernels that make tensors by hand set it: the same bytes as kgnpu::Local. A tensor that has a
// position and no buffer lies at its address.
struct TBuffAddr {
  int32_t bufferAddr;
  int32_t dataLen;
  uint16_t kg_buffer;
  uint8_t kg_generation;
  uint8_t logicPos;
};
static_assert(sizeof(TBuffAddr) == sizeof(::kgnpu::Local), "");

template <typename T>
class LocalTensor {
 public:
  using PrimType = T;
  static_assert(::kgnpu::TypeOf<T>::value != ::kgnpu::Type::kNone,
                "LocalTensor: this element type does not exist on the device");

  LocalTensor() = default;
  explicit LocalTensor(const ::kgnpu::Local& view) : kg_view(view) {}
  // At an address in the memory of `pos`, for a kernel without TPipe.
  LocalTensor(TPosition pos, uint32_t addr, uint32_t tileSize, KG_WHERE) {
    kgnpu_memory_at(static_cast<int>(pos), addr, static_cast<uint32_t>(::kgnpu::bytes_of<T>(tileSize)), &kg_view,
                    kg_where.line);
  }
  // dst = src0 + src1 (vector_operators.h)
  template <typename Expression, typename = typename Expression::kg_expression>
  LocalTensor& operator=(const Expression& expression) {
    expression.kg_assign(*this);
    return *this;
  }

  LocalTensor operator[](uint32_t offset) const {
    // A negative or huge offset must not wrap into the buffer again: it stays far beyond every memory.
    constexpr uint64_t kFar = uint64_t{1} << 24;
    const uint64_t bytes = kg_detail::step_of<T>(offset) * sizeof(T);
    const int32_t step = static_cast<int32_t>(bytes < kFar ? bytes : kFar);
    LocalTensor part = *this;
    part.kg_view.address += step;
    part.kg_view.bytes -= step;
    return part;
  }
  T GetValue(uint32_t index, KG_WHERE) const {
    kg_detail::check_scalar<T>();
    return ::kgnpu::value_of<T>(
        kgnpu_local_load(&kg_view, static_cast<int64_t>(index) * sizeof(T), sizeof(T), kg_where.line));
  }
  template <typename U>
  void SetValue(uint32_t index, U value, KG_WHERE) const {
    kg_detail::check_scalar<T>();
    kgnpu_local_store(&kg_view, static_cast<int64_t>(index) * sizeof(T), sizeof(T),
                      ::kgnpu::bits_of(static_cast<T>(value)), kg_where.line);
  }
  __ubuf__ T& operator()(uint32_t index) const {
    kg_detail::check_scalar<T>();
    return GetPhyAddr()[index];
  }
  template <typename U>
  LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(kg_view);
  }
  uint32_t GetSize() const {
    return static_cast<uint32_t>(::kgnpu::elements_of<T>(static_cast<uint32_t>(kg_view.bytes)));
  }
  uint32_t GetLength() const { return static_cast<uint32_t>(kg_view.bytes); }
  void SetSize(uint32_t size) { kg_view.bytes = static_cast<int32_t>(::kgnpu::bytes_of<T>(size)); }
  // Tells the device's compiler how much behind operator[] is used; nobody can read it.
  void SetBufferLen(uint32_t) {}
  int32_t GetPosition() const { return kg_view.position; }
  __ubuf__ T* GetPhyAddr() const { return (__ubuf__ T*)kgnpu_local_pointer(&kg_view); }
  __ubuf__ T* GetPhyAddr(uint32_t offset) const { return GetPhyAddr() + kg_detail::step_of<T>(offset); }
  // `offset` in elements of the source.
  template <typename S>
  void SetAddrWithOffset(LocalTensor<S>& source, uint32_t offset) {
    kg_view = source[offset].kg_view;
  }
  void SetUserTag(const TTagType tag) { kg_tag = tag; }
  TTagType GetUserTag() const { return kg_tag; }
  // The shape is stored with the tensor, for the kernel's own use and for the high-level library.
  void SetShapeInfo(const ShapeInfo& shape) { kg_shape = shape; }
  ShapeInfo GetShapeInfo() const { return kg_shape; }

  union {
    ::kgnpu::Local kg_view = {};
    TBuffAddr address_;
  };
  ShapeInfo kg_shape;
  TTagType kg_tag = 0;  // the kernel's own
};

template <typename T>
class GlobalTensor {
 public:
  using PrimType = T;

  void SetGlobalBuffer(__gm__ T* buffer, uint64_t size) {
    address_ = buffer;
    size_ = size;
  }
  void SetGlobalBuffer(__gm__ T* buffer) {
    address_ = buffer;
    size_ = 0;
  }
  const __gm__ T* GetPhyAddr() const { return address_; }
  __gm__ T* GetPhyAddr(uint64_t offset) const { return address_ + kg_detail::step_of<T>(offset); }
  GlobalTensor operator[](uint64_t offset) const {
    GlobalTensor part = *this;
    part.address_ += kg_detail::step_of<T>(offset);
    part.size_ = size_ > offset ? size_ - offset : 0;
    return part;
  }
  __gm__ T& operator()(uint64_t offset) const {
    kg_detail::check_scalar<T>();
    return address_[offset];
  }
  T GetValue(uint64_t offset, KG_WHERE) const {
    kg_detail::check_scalar<T>();
    return ::kgnpu::value_of<T>(kgnpu_global_load((uint64_t)(address_ + offset), sizeof(T), kg_where.line));
  }
  void SetValue(uint64_t offset, T value, KG_WHERE) {
    kg_detail::check_scalar<T>();
    kgnpu_global_store((uint64_t)(address_ + offset), sizeof(T), ::kgnpu::bits_of(value), kg_where.line);
  }
  uint64_t GetSize() const { return size_; }
  void SetShapeInfo(const ShapeInfo& shape) { shape_ = shape; }
  ShapeInfo GetShapeInfo() const { return shape_; }
  template <CacheRwMode rwMode = CacheRwMode::RW>
  void SetL2CacheHint(CacheMode) {}
  template <CacheMode mode>
  void SetL2CacheHint() {}

  uint64_t kg_address() const { return (uint64_t)address_; }

  __gm__ T* address_ = nullptr;

 private:
  uint64_t size_ = 0;
  ShapeInfo shape_;
};

}  // namespace AscendC
