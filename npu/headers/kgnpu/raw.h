#pragma once

#include "kgnpu/vector_gather.h"

// Raw intrinsics of the vector unit and of copies, on __ubuf__ and __gm__ pointers. They use the mask of the mask
// register (set_vector_mask, set_mask_count, set_mask_norm). A UB pointer stands for the bytes up to the end of its
// buffer.

namespace kgnpu {

struct RawLocal {
  template <typename P>
  RawLocal(P pointer, const char* name, int line) {
    kgnpu_local_at((uint64_t)pointer, &local, name, line);  // UB begins at address 0
  }
  Local local;
};

template <typename D, typename S>
inline VectorCall raw_call(Op op, uint8_t repeat, int line) {
  VectorCall call;
  call.op = op;
  call.dst_type = TypeOf<D>::value;
  call.src_type = TypeOf<S>::value;
  call.masking = Masking::kMaskRegister;
  call.repeat = repeat;
  call.line = line;
  return call;
}
template <typename D, typename S>
inline void raw_unary(const char* name, Op op, __ubuf__ D* dst, __ubuf__ S* src, uint64_t scalar, uint8_t repeat,
                      uint16_t dst_block, uint16_t src_block, uint16_t dst_repeat, uint16_t src_repeat, int line) {
  const RawLocal to(dst, name, line), from(src, name, line);
  VectorCall call = raw_call<D, S>(op, repeat, line);
  call.sources = 1;
  call.dst = &to.local;
  call.src[0] = &from.local;
  call.scalar = scalar;
  call.dst_stride = {dst_block, dst_repeat};
  call.src_stride[0] = {src_block, src_repeat};
  kgnpu_vector(&call);
}
template <typename D, typename S>
inline void raw_binary(const char* name, Op op, __ubuf__ D* dst, __ubuf__ S* src0, __ubuf__ S* src1, uint8_t mode,
                       uint8_t repeat, uint8_t dst_block, uint8_t block0, uint8_t block1, uint8_t dst_repeat,
                       uint8_t repeat0, uint8_t repeat1, int line) {
  const RawLocal to(dst, name, line), a(src0, name, line), b(src1, name, line);
  VectorCall call = raw_call<D, S>(op, repeat, line);
  call.sources = 2;
  call.mode = mode;
  call.dst = &to.local;
  call.src[0] = &a.local;
  call.src[1] = &b.local;
  call.dst_stride = {dst_block, dst_repeat};
  call.src_stride[0] = {block0, repeat0};
  call.src_stride[1] = {block1, repeat1};
  kgnpu_vector(&call);
}
// An accumulating one leaves its result in the register that get_acc_val reads, and nothing at `dst`.
template <typename T>
inline void raw_reduce(const char* name, Op op, bool accumulates, __ubuf__ T* dst, __ubuf__ T* src, uint8_t order,
                       uint8_t repeat, uint16_t dst_repeat, uint16_t src_block, uint16_t src_repeat, int line) {
  const RawLocal to(dst, name, line), from(src, name, line);
  VectorCall call = raw_call<T, T>(op, repeat, line);
  call.sources = 1;
  call.mode = order;
  call.dst = accumulates ? nullptr : &to.local;
  call.src[0] = &from.local;
  call.dst_stride = {1, dst_repeat};
  call.src_stride[0] = {src_block, src_repeat};
  kgnpu_vector(&call);
}

}  // namespace kgnpu

// Each of 8 elements per repeat fills a block of dst.
template <typename T>
inline void vbrcb(__ubuf__ T* dst, __ubuf__ T* src, uint16_t dstBlockStride, uint16_t dstRepeatStride, uint8_t repeat,
                  KG_WHERE) {
  KG_TAKES("vbrcb", T, uint16_t, uint32_t);
  const ::kgnpu::RawLocal to(dst, "vbrcb", kg_where.line), from(src, "vbrcb", kg_where.line);
  auto call = AscendC::kg_detail::special<T>("vbrcb", ::kgnpu::Special::kBrcb, kg_where.line);
  call.tensor[0] = &to.local;
  call.tensor[1] = &from.local;
  call.number[0] = repeat;
  call.number[1] = dstBlockStride;
  call.number[2] = dstRepeatStride;
  kgnpu_special(&call);
}

enum Order_t { VALUE_INDEX = 0, INDEX_VALUE, ONLY_VALUE, ONLY_INDEX };
enum ub_addr8_t { VA0 = 0, VA1, VA2, VA3, VA4, VA5, VA6, VA7 };

// dst, src0, src1, repeat, block strides, repeat strides
#define KG_RAW_BINARY(name, Op_, T)                                                                                 \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlockStride,     \
                   uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,                       \
                   uint8_t src0RepeatStride, uint8_t src1RepeatStride, KG_WHERE) {                                  \
    ::kgnpu::raw_binary<T, T>(#name, ::kgnpu::Op::Op_, dst, src0, src1, 0, repeat, dstBlockStride, src0BlockStride, \
                              src1BlockStride, dstRepeatStride, src0RepeatStride, src1RepeatStride, kg_where.line); \
  }
#define KG_RAW_ARITHMETIC(name, Op_) \
  KG_RAW_BINARY(name, Op_, half)     \
  KG_RAW_BINARY(name, Op_, float)    \
  KG_RAW_BINARY(name, Op_, int16_t)  \
  KG_RAW_BINARY(name, Op_, int32_t)
KG_RAW_ARITHMETIC(vadd, kAdd)
KG_RAW_ARITHMETIC(vsub, kSub)
KG_RAW_ARITHMETIC(vmul, kMul)
KG_RAW_ARITHMETIC(vmax, kMax)
KG_RAW_ARITHMETIC(vmin, kMin)
KG_RAW_BINARY(vdiv, kDiv, half)
KG_RAW_BINARY(vdiv, kDiv, float)
KG_RAW_BINARY(vand, kAnd, int16_t)
KG_RAW_BINARY(vand, kAnd, uint16_t)
KG_RAW_BINARY(vor, kOr, int16_t)
KG_RAW_BINARY(vor, kOr, uint16_t)
KG_RAW_BINARY(vmla, kMulAddDst, half)
KG_RAW_BINARY(vmla, kMulAddDst, float)
KG_RAW_BINARY(vmadd, kFusedMulAdd, half)
KG_RAW_BINARY(vmadd, kFusedMulAdd, float)
KG_RAW_BINARY(vaddrelu, kAddRelu, half)
KG_RAW_BINARY(vaddrelu, kAddRelu, float)
KG_RAW_BINARY(vsubrelu, kSubRelu, half)
KG_RAW_BINARY(vsubrelu, kSubRelu, float)
#undef KG_RAW_ARITHMETIC
#undef KG_RAW_BINARY

// dst, src, repeat, block strides, repeat strides
#define KG_RAW_UNARY(name, Op_, D, S, scalar)                                                                          \
  inline void name(__ubuf__ D* dst, __ubuf__ S* src, uint8_t repeat, uint16_t dstBlockStride, uint16_t srcBlockStride, \
                   uint16_t dstRepeatStride, uint16_t srcRepeatStride, KG_WHERE) {                                     \
    ::kgnpu::raw_unary<D, S>(#name, ::kgnpu::Op::Op_, dst, src, scalar, repeat, dstBlockStride, srcBlockStride,        \
                             dstRepeatStride, srcRepeatStride, kg_where.line);                                         \
  }
#define KG_RAW_FLOATING(name, Op_)       \
  KG_RAW_UNARY(name, Op_, half, half, 0) \
  KG_RAW_UNARY(name, Op_, float, float, 0)
KG_RAW_FLOATING(vabs, kAbs)
KG_RAW_FLOATING(vexp, kExp)
KG_RAW_FLOATING(vln, kLn)
KG_RAW_FLOATING(vsqrt, kSqrt)
KG_RAW_FLOATING(vrsqrt, kRsqrt)
KG_RAW_FLOATING(vrec, kReciprocal)
KG_RAW_FLOATING(vrelu, kRelu)
KG_RAW_UNARY(vrelu, kRelu, int32_t, int32_t, 0)
KG_RAW_UNARY(vnot, kNot, int16_t, int16_t, 0)
KG_RAW_UNARY(vnot, kNot, uint16_t, uint16_t, 0)
#undef KG_RAW_FLOATING
// vconv_<from>2<to><mode>; the modes as in RoundMode: none, r, f, c, a, z, o.
KG_RAW_UNARY(vconv_f162f32, kCast, float, half, 0)
KG_RAW_UNARY(vconv_f322f16, kCast, half, float, 0)
KG_RAW_UNARY(vconv_f162s8, kCast, int8_t, half, 0)
KG_RAW_UNARY(vconv_f162u8, kCast, uint8_t, half, 0)
KG_RAW_UNARY(vconv_s82f16, kCast, half, int8_t, 0)
KG_RAW_UNARY(vconv_u82f16, kCast, half, uint8_t, 0)
KG_RAW_UNARY(vconv_s162f16, kCast, half, int16_t, 0)
KG_RAW_UNARY(vconv_s162f32, kCast, float, int16_t, 0)
KG_RAW_UNARY(vconv_s322f32, kCast, float, int32_t, 0)
KG_RAW_UNARY(vconv_s322s16, kCast, int16_t, int32_t, 0)
KG_RAW_UNARY(vconv_s322s64, kCast, int64_t, int32_t, 0)
KG_RAW_UNARY(vconv_s642s32, kCast, int32_t, int64_t, 0)
KG_RAW_UNARY(vconv_bf162f32, kCast, float, bfloat16_t, 0)
KG_RAW_UNARY(vconv_deq, kCast, half, int32_t, 0)
#define KG_RAW_DIRECTED(name, D, S)     \
  KG_RAW_UNARY(name##r, kCast, D, S, 1) \
  KG_RAW_UNARY(name##f, kCast, D, S, 2) \
  KG_RAW_UNARY(name##c, kCast, D, S, 3) \
  KG_RAW_UNARY(name##a, kCast, D, S, 4) \
  KG_RAW_UNARY(name##z, kCast, D, S, 5)
KG_RAW_DIRECTED(vconv_f322s32, int32_t, float)
KG_RAW_DIRECTED(vconv_f322s16, int16_t, float)
KG_RAW_DIRECTED(vconv_f322s64, int64_t, float)
KG_RAW_DIRECTED(vconv_f322f32, float, float)
KG_RAW_DIRECTED(vconv_f322f16, half, float)
KG_RAW_DIRECTED(vconv_f322bf16, bfloat16_t, float)
KG_RAW_DIRECTED(vconv_f162s32, int32_t, half)
KG_RAW_DIRECTED(vconv_f162s16, int16_t, half)
KG_RAW_DIRECTED(vconv_f162s8, int8_t, half)
KG_RAW_DIRECTED(vconv_f162u8, uint8_t, half)
KG_RAW_DIRECTED(vconv_bf162s32, int32_t, bfloat16_t)
KG_RAW_DIRECTED(vconv_s322f32, float, int32_t)
KG_RAW_DIRECTED(vconv_s642f32, float, int64_t)
KG_RAW_UNARY(vconv_f322f16o, kCast, half, float, 6)
#undef KG_RAW_DIRECTED
#undef KG_RAW_UNARY

// dst, src, scalar, repeat, block strides, repeat strides
#define KG_RAW_SCALAR(name, Op_, T)                                                                               \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src, T scalar, uint8_t repeat, uint16_t dstBlockStride,           \
                   uint16_t srcBlockStride, uint16_t dstRepeatStride, uint16_t srcRepeatStride, KG_WHERE) {       \
    ::kgnpu::raw_unary<T, T>(#name, ::kgnpu::Op::Op_, dst, src, ::kgnpu::bits_of(scalar), repeat, dstBlockStride, \
                             srcBlockStride, dstRepeatStride, srcRepeatStride, kg_where.line);                    \
  }
#define KG_RAW_SCALARS(name, Op_)   \
  KG_RAW_SCALAR(name, Op_, half)    \
  KG_RAW_SCALAR(name, Op_, float)   \
  KG_RAW_SCALAR(name, Op_, int16_t) \
  KG_RAW_SCALAR(name, Op_, int32_t)
KG_RAW_SCALARS(vadds, kAdds)
KG_RAW_SCALARS(vmuls, kMuls)
KG_RAW_SCALARS(vmaxs, kMaxs)
KG_RAW_SCALARS(vmins, kMins)
KG_RAW_SCALAR(vaxpy, kAxpy, half)
KG_RAW_SCALAR(vaxpy, kAxpy, float)
KG_RAW_SCALAR(vlrelu, kLeakyRelu, half)
KG_RAW_SCALAR(vlrelu, kLeakyRelu, float)
#undef KG_RAW_SCALARS
#undef KG_RAW_SCALAR
