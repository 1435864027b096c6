#pragma once

#include "kgnpu/vector_form.h"

// dst = f(src), element by element.

namespace AscendC {

#define KG_VECTOR_UNARY(Name, ...)                                                                                    \
  template <typename T>                                                                                               \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t& count, KG_WHERE) {            \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                  \
    kgnpu_vector_first(kg_detail::op_word<T, T>(::kgnpu::Op::k##Name), &dst.kg_view, &src.kg_view, nullptr, 0, count, \
                       kg_where.line);                                                                                \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask, const uint8_t repeatTime,     \
                   const UnaryRepeatParams& repeatParams, KG_WHERE) {                                                 \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                  \
    auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 1, &src.kg_view, nullptr, kg_where.line);     \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                           \
    kg_detail::set_strides(call, repeatParams);                                                                       \
    kgnpu_vector(&call);                                                                                              \
  }                                                                                                                   \
  template <typename T, bool isSetMask = true>                                                                        \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint64_t mask[], const uint8_t repeatTime,   \
                   const UnaryRepeatParams& repeatParams, KG_WHERE) {                                                 \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                  \
    auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 1, &src.kg_view, nullptr, kg_where.line);     \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                           \
    kg_detail::set_strides(call, repeatParams);                                                                       \
    kgnpu_vector(&call);                                                                                              \
  }

KG_VECTOR_UNARY(Abs, half, float)
KG_VECTOR_UNARY(Exp, half, float)
KG_VECTOR_UNARY(Ln, half, float)
KG_VECTOR_UNARY(Sqrt, half, float)
KG_VECTOR_UNARY(Rsqrt, half, float)
KG_VECTOR_UNARY(Reciprocal, half, float)
KG_VECTOR_UNARY(Relu, half, float, int32_t)
KG_VECTOR_UNARY(Not, int16_t, uint16_t)
#undef KG_VECTOR_UNARY

}  // namespace AscendC
