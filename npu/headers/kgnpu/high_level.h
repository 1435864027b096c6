#pragma once

#include "kgnpu/vector_form.h"

// The elementwise part of the high-level library, and Sum. On the device these are sequences of vector
// instructions; here each is one operation, computed in double and rounded once, with the time of the usual
// sequence.

namespace AscendC {

namespace kg_detail {
// The first `count` elements. b, temporary: null where the call has none.
template <typename T>
inline void library(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<T>& a, const LocalTensor<T>* b,
                    const LocalTensor<uint8_t>* temporary, uint64_t scalar, uint32_t count, int line) {
  kgnpu_library(op_word<T, T>(op), &dst.kg_view, &a.kg_view, b == nullptr ? nullptr : &b->kg_view,
                temporary == nullptr ? nullptr : &temporary->kg_view, scalar, static_cast<int32_t>(count), line);
}
}  // namespace kg_detail

// (dst, src, [temporary,] [count]): without a count the whole of src. `Const`: of what is written; Digamma is published
// without.
#define KG_LIBRARY_UNARY(Name, Const, ...)                                                                            \
  template <typename T, bool isReuseSource = false>                                                                   \
  inline void Name(Const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KG_WHERE) {            \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                  \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dst, src, nullptr, nullptr, 0, count, kg_where.line);                 \
  }                                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                   \
  inline void Name(Const LocalTensor<T>& dst, const LocalTensor<T>& src, KG_WHERE) {                                  \
    Name<T, isReuseSource>(dst, src, src.GetSize(), kg_where);                                                        \
  }                                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                   \
  inline void Name(Const LocalTensor<T>& dst, const LocalTensor<T>& src, Const LocalTensor<uint8_t>& sharedTmpBuffer, \
                   const uint32_t count, KG_WHERE) {                                                                  \
    KG_TAKES(#Name, T, __VA_ARGS__);                                                                                  \
    kg_detail::library<T>(::kgnpu::Op::k##Name, dst, src, nullptr, &sharedTmpBuffer, 0, count, kg_where.line);        \
  }                                                                                                                   \
  template <typename T, bool isReuseSource = false>                                                                   \
  inline void Name(Const LocalTensor<T>& dst, const LocalTensor<T>& src, Const LocalTensor<uint8_t>& sharedTmpBuffer, \
                   KG_WHERE) {                                                                                        \
    Name<T, isReuseSource>(dst, src, sharedTmpBuffer, src.GetSize(), kg_where);                                       \
  }

KG_LIBRARY_UNARY(Sigmoid, const, half, float)
KG_LIBRARY_UNARY(Tanh, const, half, float)
KG_LIBRARY_UNARY(Log, const, half, float)
KG_LIBRARY_UNARY(Log2, const, half, float)
KG_LIBRARY_UNARY(Log10, const, half, float)
KG_LIBRARY_UNARY(Sin, const, half, float)
KG_LIBRARY_UNARY(Cos, const, half, float)
KG_LIBRARY_UNARY(Tan, const, half, float)
KG_LIBRARY_UNARY(Sinh, const, half, float)
KG_LIBRARY_UNARY(Cosh, const, half, float)
KG_LIBRARY_UNARY(Asin, const, half, float)
KG_LIBRARY_UNARY(Acos, const, half, float)
KG_LIBRARY_UNARY(Atan, const, half, float)
KG_LIBRARY_UNARY(Erf, const, half, float)
KG_LIBRARY_UNARY(Erfc, const, half, float)
KG_LIBRARY_UNARY(Sign, const, half, float)
KG_LIBRARY_UNARY(Floor, const, half, float)
KG_LIBRARY_UNARY(Ceil, const, half, float)
KG_LIBRARY_UNARY(Trunc, const, half, float)
KG_LIBRARY_UNARY(Round, const, half, float)
KG_LIBRARY_UNARY(Silu, const, half, float)
KG_LIBRARY_UNARY(Acosh, const, half, float)
KG_LIBRARY_UNARY(Asinh, const, half, float)
KG_LIBRARY_UNARY(Atanh, const, half, float)
KG_LIBRARY_UNARY(Frac, const, half, float)
KG_LIBRARY_UNARY(Lgamma, const, half, float)
KG_LIBRARY_UNARY(Digamma, , half, float)
#undef KG_LIBRARY_UNARY

template <typename T, bool isReuseSource = false>
inline void Swish(const LocalTensor<T>& dst, const LocalTensor<T>& src, uint32_t count, const T& scalarValue,
                  KG_WHERE) {
  KG_TAKES("Swish", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kSwish, dst, src, nullptr, nullptr, ::kgnpu::bits_of(scalarValue), count,
                        kg_where.line);
}

template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const LocalTensor<T>& exponent, uint32_t count,
                  KG_WHERE) {
  KG_TAKES("Power", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kPower, dst, base, &exponent, nullptr, 0, count, kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void Power(const LocalTensor<T>& dst, const LocalTensor<T>& base, const T& exponent, uint32_t count, KG_WHERE) {
  KG_TAKES("Power", T, half, float);
  kg_detail::library<T>(::kgnpu::Op::kPowerScalar, dst, base, nullptr, nullptr, ::kgnpu::bits_of(exponent), count,
                        kg_where.line);
}

namespace kg_detail {
template <typename T>
inline void sum_rows(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>* temporary,
                     const SumParams& params, int line) {
  for (uint32_t row = 0; row < params.outter; ++row) {
    const LocalTensor<T> from = src[row * params.inner], to = dst[row];
    auto call = vector_call<T, T>(::kgnpu::Op::kRowSum, to, 1, &from.kg_view,
                                  temporary == nullptr ? nullptr : &temporary->kg_view, line);
    call.count = static_cast<int32_t>(params.n);
    kgnpu_vector(&call);
  }
}
}  // namespace kg_detail

// dst[i] = sum of the first n elements of row i; a row takes inner elements, a multiple of 32 bytes.
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SumParams& params, KG_WHERE) {
  KG_TAKES("Sum", T, half, float);
  kg_detail::sum_rows<T>(dst, src, nullptr, params, kg_where.line);
}
template <typename T, int32_t reduceDim = -1, bool isReuseSource = false, bool isBasicBlock = false>
inline void Sum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                const SumParams& params, KG_WHERE) {
  KG_TAKES("Sum", T, half, float);
  kg_detail::sum_rows<T>(dst, src, &sharedTmpBuffer, params, kg_where.line);
}

}  // namespace AscendC
