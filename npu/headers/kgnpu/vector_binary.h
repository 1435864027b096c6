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

// dst += src0 * src1; float also accumulates half products.
namespace kg_detail {

template <typename T, typename U>
constexpr void check_MulAddDst() {
  static_assert(::kgnpu::is_one_of<T, half, float> && (std::is_same_v<T, U> || std::is_same_v<U, half>),
                "MulAddDst takes: half from half, float from float, float from half");
}
template <bool isSetMask, typename T, typename U, typename Mask>
inline void mul_add_dst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, Mask mask,
                        uint8_t repeat, const BinaryRepeatParams& params, int line) {
  check_MulAddDst<T, U>();
  auto call = vector_call<T, U>(::kgnpu::Op::kMulAddDst, dst, 2, &src0.kg_view, &src1.kg_view, line);
  set_mask<isSetMask>(call, mask, repeat);
  set_strides(call, params);
  kgnpu_vector(&call);
}

}  // namespace kg_detail

template <typename T, typename U>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const int32_t& count, KG_WHERE) {
  kg_detail::check_MulAddDst<T, U>();
  kgnpu_vector_first(kg_detail::op_word<T, U>(::kgnpu::Op::kMulAddDst), &dst.kg_view, &src0.kg_view, &src1.kg_view, 0,
                     count, kg_where.line);
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1,
                      const uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams,
                      KG_WHERE) {
  kg_detail::mul_add_dst<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, kg_where.line);
}
template <typename T, typename U, bool isSetMask = true>
inline void MulAddDst(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,
                      const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::mul_add_dst<isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, kg_where.line);
}

}  // namespace AscendC
