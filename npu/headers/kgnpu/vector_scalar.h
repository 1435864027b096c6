#pragma once

#include "kgnpu/vector_form.h"

// dst = f(src, scalar). The scalar has the tensor's element type: a literal of another type is refused, as on the
// device.

namespace AscendC {

#define KG_VECTOR_SCALAR(Name, ...)                                                                                  \
  template <typename T, bool isSetMask = true>                                                                       \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, const int32_t& count, \
                   KG_WHERE) {                                                                                       \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                 \
    kgnpu_vector_first(kg_detail::op_word<T, T>(::kgnpu::Op::k##Name), &dst.kg_view, &src.kg_view, nullptr,          \
                       ::kgnpu::bits_of(scalarValue), count, kg_where.line);                                         \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                       \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,        \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {                      \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                 \
    auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 1, &src.kg_view, nullptr, kg_where.line);    \
    call.scalar = ::kgnpu::bits_of(scalarValue);                                                                     \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                          \
    kg_detail::set_strides(call, repeatParams);                                                                      \
    kgnpu_vector(&call);                                                                                             \
  }                                                                                                                  \
  template <typename T, bool isSetMask = true>                                                                       \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],      \
                   const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {                      \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                 \
    auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 1, &src.kg_view, nullptr, kg_where.line);    \
    call.scalar = ::kgnpu::bits_of(scalarValue);                                                                     \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                          \
    kg_detail::set_strides(call, repeatParams);                                                                      \
    kgnpu_vector(&call);                                                                                             \
  }

KG_VECTOR_SCALAR(Adds, half, float, int16_t, int32_t)
KG_VECTOR_SCALAR(Muls, half, float, int16_t, int32_t)
KG_VECTOR_SCALAR(Maxs, half, float, int16_t, int32_t)
KG_VECTOR_SCALAR(Mins, half, float, int16_t, int32_t)
KG_VECTOR_SCALAR(LeakyRelu, half, float)
KG_VECTOR_SCALAR(ShiftLeft, int16_t, uint16_t, int32_t, uint32_t)
KG_VECTOR_SCALAR(ShiftRight, int16_t, uint16_t, int32_t, uint32_t)
#undef KG_VECTOR_SCALAR

// With rounding, which the emulator does not support.
namespace kg_detail {
inline void check_round(bool rounds, int line) {
  if (rounds) kgnpu_assert_failed("ShiftRight: roundEn = true is not emulated; shift without it", line);
}
}  // namespace kg_detail
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask,
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn, KG_WHERE) {
  kg_detail::check_round(roundEn, kg_where.line);
  ShiftRight<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, kg_where);
}
template <typename T, bool isSetMask = true>
inline void ShiftRight(const LocalTensor<T>& dst, const LocalTensor<T>& src, const T& scalarValue, uint64_t mask[],
                       const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, bool roundEn, KG_WHERE) {
  kg_detail::check_round(roundEn, kg_where.line);
  ShiftRight<T, isSetMask>(dst, src, scalarValue, mask, repeatTime, repeatParams, kg_where);
}

// dst = scalar * src + dst; half products may be accumulated in float.
template <typename T, typename U>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, const int32_t& count,
                 KG_WHERE) {
  KG_TAKES("Axpy", U, half, float);
  static_assert(std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "Axpy takes dst and src of one type (half or float), or float dst with half src");
  kgnpu_vector_first(kg_detail::op_word<T, U>(::kgnpu::Op::kAxpy), &dst.kg_view, &src.kg_view, nullptr,
                     ::kgnpu::bits_of(scalarValue), count, kg_where.line);
}
template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask,
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Axpy", U, half, float);
  auto call = kg_detail::vector_call<T, U>(::kgnpu::Op::kAxpy, dst, 1, &src.kg_view, nullptr, kg_where.line);
  call.scalar = ::kgnpu::bits_of(scalarValue);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  kg_detail::set_strides(call, repeatParams);
  kgnpu_vector(&call);
}

template <typename T, typename U, bool isSetMask = true>
inline void Axpy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const U& scalarValue, uint64_t mask[],
                 const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Axpy", U, half, float);
  auto call = kg_detail::vector_call<T, U>(::kgnpu::Op::kAxpy, dst, 1, &src.kg_view, nullptr, kg_where.line);
  call.scalar = ::kgnpu::bits_of(scalarValue);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  kg_detail::set_strides(call, repeatParams);
  kgnpu_vector(&call);
}

// dst = scalar in every element.
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, const int32_t& count, KG_WHERE) {
  KG_TAKES("Duplicate", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  kgnpu_vector_first(kg_detail::op_word<T, T>(::kgnpu::Op::kDuplicate), &dst.kg_view, nullptr, nullptr,
                     ::kgnpu::bits_of(scalarValue), count, kg_where.line);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask, const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride, KG_WHERE) {
  KG_TAKES("Duplicate", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::kDuplicate, dst, 0, nullptr, nullptr, kg_where.line);
  call.scalar = ::kgnpu::bits_of(scalarValue);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  call.dst_stride = {dstBlockStride, dstRepeatStride};
  kgnpu_vector(&call);
}
template <typename T, bool isSetMask = true>
inline void Duplicate(const LocalTensor<T>& dst, const T& scalarValue, uint64_t mask[], const uint8_t repeatTime,
                      const uint16_t dstBlockStride, const uint8_t dstRepeatStride, KG_WHERE) {
  KG_TAKES("Duplicate", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::kDuplicate, dst, 0, nullptr, nullptr, kg_where.line);
  call.scalar = ::kgnpu::bits_of(scalarValue);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  call.dst_stride = {dstBlockStride, dstRepeatStride};
  kgnpu_vector(&call);
}

}  // namespace AscendC
