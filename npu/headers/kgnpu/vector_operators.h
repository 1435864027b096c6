#pragma once

#include "kgnpu/vector_binary.h"
#include "kgnpu/vector_compare.h"

// dst = src0 + src1 and the other operators between tensors: the call of that name over the whole of src0. The operator
// only stores its operands; the assignment, which knows dst, makes the call.

namespace AscendC {
namespace kg_detail {

constexpr ::kgnpu::Where kNowhere{0};  // operators take no default arguments, so the line stays unknown

template <typename T, typename Call>
struct TensorExpression {
  using kg_expression = void;
  const LocalTensor<T>& src0;
  const LocalTensor<T>& src1;
  template <typename D>
  void kg_assign(const LocalTensor<D>& dst) const {
    Call::call(dst, src0, src1, static_cast<int32_t>(src0.GetSize()));
  }
};

}  // namespace kg_detail

#define KG_TENSOR_OPERATOR(sign, Name, ...)                                                                 \
  namespace kg_detail {                                                                                     \
  struct Whole##Name {                                                                                      \
    template <typename D, typename T>                                                                       \
    static void call(const LocalTensor<D>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,     \
                     int32_t count) {                                                                       \
      __VA_ARGS__;                                                                                          \
    }                                                                                                       \
  };                                                                                                        \
  }                                                                                                         \
  template <typename T>                                                                                     \
  inline kg_detail::TensorExpression<T, kg_detail::Whole##Name> operator sign(const LocalTensor<T>& src0,   \
                                                                              const LocalTensor<T>& src1) { \
    return {src0, src1};                                                                                    \
  }

KG_TENSOR_OPERATOR(+, Add, Add(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(-, Sub, Sub(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(*, Mul, Mul(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(/, Div, Div(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(|, Or, Or(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(&, And, And(dst, src0, src1, count, kNowhere))
KG_TENSOR_OPERATOR(<, Less, Compare(dst, src0, src1, CMPMODE::LT, count, kNowhere))
KG_TENSOR_OPERATOR(>, Greater, Compare(dst, src0, src1, CMPMODE::GT, count, kNowhere))
KG_TENSOR_OPERATOR(<=, LessEqual, Compare(dst, src0, src1, CMPMODE::LE, count, kNowhere))
KG_TENSOR_OPERATOR(>=, GreaterEqual, Compare(dst, src0, src1, CMPMODE::GE, count, kNowhere))
KG_TENSOR_OPERATOR(==, Equal, Compare(dst, src0, src1, CMPMODE::EQ, count, kNowhere))
KG_TENSOR_OPERATOR(!=, NotEqual, Compare(dst, src0, src1, CMPMODE::NE, count, kNowhere))
#undef KG_TENSOR_OPERATOR

}  // namespace AscendC
