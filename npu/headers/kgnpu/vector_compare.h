#pragma once

#include "kgnpu/vector_form.h"

// Comparisons write one bit per element, first element in the lowest bit; Select reads such bits.

namespace AscendC {

// The documentation uses bytes; kernels for the chip also pass tensors of wider integers, whose bytes are written.
namespace kg_detail {
template <typename U>
constexpr bool holds_bits = std::is_integral_v<U> && !std::is_same_v<U, bool>;

template <typename U, typename T>
inline ::kgnpu::VectorCall compare_call(const LocalTensor<U>& dst, const LocalTensor<T>& src0,
                                        const LocalTensor<T>& src1, CMPMODE cmpMode, int line) {
  auto call = vector_call<U, T>(::kgnpu::Op::kCompare, dst, 2, &src0.kg_view, &src1.kg_view, line);
  call.dst_type = ::kgnpu::Type::kUint8;
  call.mode = static_cast<uint8_t>(cmpMode);
  return call;
}
template <typename U, typename T>
inline ::kgnpu::VectorCall compare_call(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1,
                                        CMPMODE cmpMode, int line) {
  auto call = vector_call<U, T>(::kgnpu::Op::kCompareScalar, dst, 1, &src0.kg_view, nullptr, line);
  call.dst_type = ::kgnpu::Type::kUint8;
  call.mode = static_cast<uint8_t>(cmpMode);
  call.scalar = ::kgnpu::bits_of(src1);
  return call;
}
template <typename T, typename U>
inline ::kgnpu::VectorCall select_call(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                                       const LocalTensor<T>& src0, const LocalTensor<T>& src1, SELMODE selMode,
                                       int line) {
  auto call = vector_call<T, T>(::kgnpu::Op::kSelect, dst, 3, &src0.kg_view, &src1.kg_view, line);
  call.src[2] = &selMask.kg_view;
  call.mode = static_cast<uint8_t>(selMode);
  return call;
}
template <typename T, typename U>
inline ::kgnpu::VectorCall select_call(const LocalTensor<T>& dst, const LocalTensor<U>& selMask,
                                       const LocalTensor<T>& src0, T src1, SELMODE selMode, int line) {
  auto call = vector_call<T, T>(::kgnpu::Op::kSelectScalar, dst, 3, &src0.kg_view, nullptr, line);
  call.src[2] = &selMask.kg_view;
  call.mode = static_cast<uint8_t>(selMode);
  call.scalar = ::kgnpu::bits_of(src1);
  return call;
}
// By a count of elements, or by a mask and repeats.
inline void issue(::kgnpu::VectorCall call, uint32_t count) {
  call.count = static_cast<int32_t>(count);
  kgnpu_vector(&call);
}
template <bool isSetMask, typename Mask, typename Params>
inline void issue(::kgnpu::VectorCall call, Mask mask, uint8_t repeatTime, const Params& repeatParams) {
  set_mask<isSetMask>(call, mask, repeatTime);
  set_strides(call, repeatParams);
  kgnpu_vector(&call);
}
}  // namespace kg_detail

template <typename T, typename U>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    uint32_t count, KG_WHERE) {
  KG_TAKES("Compare (tensor)", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "Compare writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue(kg_detail::compare_call(dst, src0, src1, cmpMode, kg_where.line), count);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Compare (tensor)", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "Compare writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue<isSetMask>(kg_detail::compare_call(dst, src0, src1, cmpMode, kg_where.line), mask, repeatTime,
                              repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compare(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode,
                    const uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Compare (tensor)", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "Compare writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue<isSetMask>(kg_detail::compare_call(dst, src0, src1, cmpMode, kg_where.line), mask, repeatTime,
                              repeatParams);
}
template <typename T, typename U>
inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                          uint32_t count, KG_WHERE) {
  KG_TAKES("CompareScalar", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "CompareScalar writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue(kg_detail::compare_call(dst, src0, src1Scalar, cmpMode, kg_where.line), count);
}
template <typename T, typename U, bool isSetMask = true>
inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                          const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("CompareScalar", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "CompareScalar writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue<isSetMask>(kg_detail::compare_call(dst, src0, src1Scalar, cmpMode, kg_where.line), mask, repeatTime,
                              repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
inline void CompareScalar(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                          const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("CompareScalar", T, half, float, int32_t);
  static_assert(kg_detail::holds_bits<U>, "CompareScalar writes bits into a tensor of uint8_t or int8_t");
  kg_detail::issue<isSetMask>(kg_detail::compare_call(dst, src0, src1Scalar, cmpMode, kg_where.line), mask, repeatTime,
                              repeatParams);
}
// The older name of CompareScalar.
template <typename T, typename U>
inline void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                     uint32_t count, KG_WHERE) {
  CompareScalar(dst, src0, src1Scalar, cmpMode, count, kg_where);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                     const uint64_t mask, uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  CompareScalar<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams, kg_where);
}
template <typename T, typename U, bool isSetMask = true>
inline void Compares(const LocalTensor<U>& dst, const LocalTensor<T>& src0, const T src1Scalar, CMPMODE cmpMode,
                     const uint64_t mask[], uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  CompareScalar<T, U, isSetMask>(dst, src0, src1Scalar, cmpMode, mask, repeatTime, repeatParams, kg_where);
}

// bit set: src0, clear: src1. The bits are read consecutively from the start of selMask, repeat by repeat.
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint32_t count, KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), count);
}
template <typename T, typename U>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint32_t count, KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), count);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask, uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue<isSetMask>(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), mask,
                              repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0,
                   const LocalTensor<T>& src1, SELMODE selMode, uint64_t mask[], uint8_t repeatTime,
                   const BinaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue<isSetMask>(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), mask,
                              repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask, uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
                   KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue<isSetMask>(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), mask,
                              repeatTime, repeatParams);
}
template <typename T, typename U, bool isSetMask = true>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<U>& selMask, const LocalTensor<T>& src0, T src1,
                   SELMODE selMode, uint64_t mask[], uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
                   KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  kg_detail::issue<isSetMask>(kg_detail::select_call(dst, selMask, src0, src1, selMode, kg_where.line), mask,
                              repeatTime, repeatParams);
}

}  // namespace AscendC
