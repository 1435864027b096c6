#pragma once

#include "kgnpu/vector_form.h"

// dst = f(src0, src1), element by element.

namespace AscendC {

#define KG_VECTOR_BINARY(Name, ...)                                                                                    \
  template <typename T>                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,                  \
                   const int32_t& count, KG_WHERE) {                                                                   \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                   \
    kgnpu_vector_first(kg_detail::op_word<T, T>(::kgnpu::Op::k##Name), &dst.kg_view, &src0.kg_view, &src1.kg_view, 0,  \
                       count, kg_where.line);                                                                          \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask,   \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {                       \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                   \
    auto call =                                                                                                        \
        kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 2, &src0.kg_view, &src1.kg_view, kg_where.line);       \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                            \
    kg_detail::set_strides(call, repeatParams);                                                                        \
    kgnpu_vector(&call);                                                                                               \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1, uint64_t mask[], \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {                       \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                   \
    auto call =                                                                                                        \
        kg_detail::vector_call<T, T>(::kgnpu::Op::k##Name, dst, 2, &src0.kg_view, &src1.kg_view, kg_where.line);       \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                            \
    kg_detail::set_strides(call, repeatParams);                                                                        \
    kgnpu_vector(&call);                                                                                               \
  }

KG_VECTOR_BINARY(Add, half, float, int16_t, int32_t)
KG_VECTOR_BINARY(Sub, half, float, int16_t, int32_t)
KG_VECTOR_BINARY(Mul, half, float, int16_t, int32_t)
KG_VECTOR_BINARY(Div, half, float)
KG_VECTOR_BINARY(Max, half, float, int16_t, int32_t)
KG_VECTOR_BINARY(Min, half, float, int16_t, int32_t)
KG_VECTOR_BINARY(And, int16_t, uint16_t)
KG_VECTOR_BINARY(Or, int16_t, uint16_t)
KG_VECTOR_BINARY(AddRelu, half, float, int16_t)
KG_VECTOR_BINARY(SubRelu, half, float, int16_t)
KG_VECTOR_BINARY(FusedMulAdd, half, float)
KG_VECTOR_BINARY(FusedMulAddRelu, half, float)
KG_VECTOR_BINARY(MulAddDst, half, float)
#undef KG_VECTOR_BINARY

// Masks of comparisons are bytes: the first n of them, as public kernels combine them.
#define KG_BYTE_LOGIC(Name)                                                                                     \
  inline void Name(const LocalTensor<uint8_t>& dst, const LocalTensor<uint8_t>& src0,                           \
                   const LocalTensor<uint8_t>& src1, const int32_t& count, KG_WHERE) {                          \
    kgnpu_vector_first(kg_detail::op_word<uint8_t, uint8_t>(::kgnpu::Op::k##Name), &dst.kg_view, &src0.kg_view, \
                       &src1.kg_view, 0, count, kg_where.line);                                                 \
  }
KG_BYTE_LOGIC(And)
KG_BYTE_LOGIC(Or)
#undef KG_BYTE_LOGIC

// MulAddDst also accumulates half products in float.
inline void MulAddDst(const LocalTensor<float>& dst, const LocalTensor<half>& src0, const LocalTensor<half>& src1,
                      const int32_t& count, KG_WHERE) {
  kgnpu_vector_first(kg_detail::op_word<float, half>(::kgnpu::Op::kMulAddDst), &dst.kg_view, &src0.kg_view,
                     &src1.kg_view, 0, count, kg_where.line);
}

}  // namespace AscendC
