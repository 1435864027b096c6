#pragma once

#include "kgnpu/raw.h"

// Raw intrinsics that are not elementwise: reductions, comparisons, fills, transposes, and the mask and mode registers.

// Reductions of each repeat; vcadd with the last argument true adds all repeats into the accumulator register.
#define KG_RAW_REDUCE(T)                                                                                               \
  inline void vcadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride,                        \
                    uint16_t srcBlockStride, uint16_t srcRepeatStride, bool accumulates, KG_WHERE) {                   \
    ::kgnpu::raw_reduce<T>("vcadd", accumulates ? ::kgnpu::Op::kReduceSum : ::kgnpu::Op::kWholeReduceSum, accumulates, \
                           dst, src, 0, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, kg_where.line);      \
  }                                                                                                                    \
  inline void vcadd(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride,                        \
                    uint16_t srcBlockStride, uint16_t srcRepeatStride, KG_WHERE) {                                     \
    vcadd(dst, src, repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, false, kg_where);                        \
  }                                                                                                                    \
  inline void vcmax(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride,                        \
                    uint16_t srcBlockStride, uint16_t srcRepeatStride, Order_t order, KG_WHERE) {                      \
    ::kgnpu::raw_reduce<T>("vcmax", ::kgnpu::Op::kWholeReduceMax, false, dst, src, static_cast<uint8_t>(order),        \
                           repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, kg_where.line);                   \
  }                                                                                                                    \
  inline void vcmin(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride,                        \
                    uint16_t srcBlockStride, uint16_t srcRepeatStride, Order_t order, KG_WHERE) {                      \
    ::kgnpu::raw_reduce<T>("vcmin", ::kgnpu::Op::kWholeReduceMin, false, dst, src, static_cast<uint8_t>(order),        \
                           repeat, dstRepeatStride, srcBlockStride, srcRepeatStride, kg_where.line);                   \
  }
#define KG_RAW_GROUP(name, Op_, T)                                                                               \
  inline void name(__ubuf__ T* dst, __ubuf__ T* src, uint8_t repeat, uint16_t dstRepeatStride,                   \
                   uint16_t srcBlockStride, uint16_t srcRepeatStride, KG_WHERE) {                                \
    ::kgnpu::raw_reduce<T>(#name, ::kgnpu::Op::Op_, false, dst, src, 2, repeat, dstRepeatStride, srcBlockStride, \
                           srcRepeatStride, kg_where.line);                                                      \
  }
#define KG_RAW_REDUCTIONS(T)               \
  KG_RAW_REDUCE(T)                         \
  KG_RAW_GROUP(vcgadd, kBlockReduceSum, T) \
  KG_RAW_GROUP(vcgmax, kBlockReduceMax, T) \
  KG_RAW_GROUP(vcgmin, kBlockReduceMin, T) \
  KG_RAW_GROUP(vcpadd, kPairReduceSum, T)
KG_RAW_REDUCTIONS(half)
KG_RAW_REDUCTIONS(float)
#undef KG_RAW_REDUCTIONS
#undef KG_RAW_GROUP
#undef KG_RAW_REDUCE
inline int64_t get_acc_val() { return static_cast<int64_t>(kgnpu_reduce_result(2)); }
inline int64_t get_max_min_cnt() { return static_cast<int64_t>(kgnpu_reduce_result(0) | kgnpu_reduce_result(1) << 32); }

// Comparisons into the mask register, one repeat; and selection by it.
#define KG_RAW_COMPARE(name, kind, T)                                                                                \
  inline void name(__ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t, uint8_t src0BlockStride,             \
                   uint8_t src1BlockStride, uint8_t, uint8_t src0RepeatStride, uint8_t src1RepeatStride, KG_WHERE) { \
    const ::kgnpu::RawLocal a(src0, #name, kg_where.line), b(src1, #name, kg_where.line);                            \
    ::kgnpu::VectorCall call = ::kgnpu::raw_call<T, T>(::kgnpu::Op::kCompare, repeat, kg_where.line);                \
    call.sources = 2;                                                                                                \
    call.mode = kind;                                                                                                \
    call.src[0] = &a.local;                                                                                          \
    call.src[1] = &b.local;                                                                                          \
    call.src_stride[0] = {src0BlockStride, src0RepeatStride};                                                        \
    call.src_stride[1] = {src1BlockStride, src1RepeatStride};                                                        \
    kgnpu_vector(&call);                                                                                             \
  }
#define KG_RAW_COMPARES(T)                                                                                           \
  KG_RAW_COMPARE(vcmp_lt, 0, T)                                                                                      \
  KG_RAW_COMPARE(vcmp_gt, 1, T)                                                                                      \
  KG_RAW_COMPARE(vcmp_eq, 2, T)                                                                                      \
  KG_RAW_COMPARE(vcmp_le, 3, T)                                                                                      \
  KG_RAW_COMPARE(vcmp_ge, 4, T)                                                                                      \
  KG_RAW_COMPARE(vcmp_ne, 5, T)                                                                                      \
  inline void vsel(__ubuf__ T* dst, __ubuf__ T* src0, __ubuf__ T* src1, uint8_t repeat, uint8_t dstBlockStride,      \
                   uint8_t src0BlockStride, uint8_t src1BlockStride, uint8_t dstRepeatStride,                        \
                   uint8_t src0RepeatStride, uint8_t src1RepeatStride, KG_WHERE) {                                   \
    ::kgnpu::raw_binary<T, T>("vsel", ::kgnpu::Op::kSelect, dst, src0, src1, 0, repeat, dstBlockStride,              \
                              src0BlockStride, src1BlockStride, dstRepeatStride, src0RepeatStride, src1RepeatStride, \
                              kg_where.line);                                                                        \
  }
KG_RAW_COMPARES(half)
KG_RAW_COMPARES(float)
#undef KG_RAW_COMPARES
#undef KG_RAW_COMPARE

#define KG_RAW_DUP(T)                                                                                   \
  inline void vector_dup(__ubuf__ T* dst, T scalar, uint8_t repeat, uint16_t dstBlockStride, uint16_t,  \
                         uint16_t dstRepeatStride, uint16_t, KG_WHERE) {                                \
    const ::kgnpu::RawLocal to(dst, "vector_dup", kg_where.line);                                       \
    ::kgnpu::VectorCall call = ::kgnpu::raw_call<T, T>(::kgnpu::Op::kDuplicate, repeat, kg_where.line); \
    call.dst = &to.local;                                                                               \
    call.scalar = ::kgnpu::bits_of(scalar);                                                             \
    call.dst_stride = {dstBlockStride, dstRepeatStride};                                                \
    kgnpu_vector(&call);                                                                                \
  }
KG_RAW_DUP(half)
KG_RAW_DUP(bfloat16_t)
KG_RAW_DUP(float)
KG_RAW_DUP(int16_t)
KG_RAW_DUP(uint16_t)
KG_RAW_DUP(int32_t)
KG_RAW_DUP(uint32_t)
#undef KG_RAW_DUP

// Transposes.
inline void vtranspose(__ubuf__ uint16_t* dst, __ubuf__ uint16_t* src, KG_WHERE) {
  const ::kgnpu::RawLocal to(dst, "vtranspose", kg_where.line), from(src, "vtranspose", kg_where.line);
  auto call = AscendC::kg_detail::special<uint16_t>("vtranspose", ::kgnpu::Special::kTranspose16, kg_where.line);
  call.tensor[0] = &to.local;
  call.tensor[1] = &from.local;
  kgnpu_special(&call);
}
inline void vtranspose(__ubuf__ int16_t* dst, __ubuf__ int16_t* src, KG_WHERE) {
  vtranspose((__ubuf__ uint16_t*)dst, (__ubuf__ uint16_t*)src, kg_where);
}
inline void set_va_reg_sb(ub_addr8_t reg, uint64_t* addresses) { kgnpu_set_addresses(reg, addresses); }
inline void set_va_reg(ub_addr8_t reg, uint64_t* addresses) { kgnpu_set_addresses(reg, addresses); }
namespace kgnpu {
template <typename T>
inline void raw_vnchwconv(const char* name, ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dst_stride,
                          uint16_t src_stride, bool dst_high, bool src_high, int line) {
  Local to[16], from[16];
  for (int i = 0; i < 16; ++i) {
    kgnpu_local_at(kgnpu_address(dst + i / 8, i % 8), &to[i], name, line);
    kgnpu_local_at(kgnpu_address(src + i / 8, i % 8), &from[i], name, line);
  }
  auto call = AscendC::kg_detail::special<T>(name, Special::kVnchwconv, line);
  call.tensor[0] = to;
  call.tensor[1] = from;
  call.number[0] = repeat;
  call.number[1] = dst_stride;
  call.number[2] = src_stride;
  call.number[3] = dst_high;
  call.number[4] = src_high;
  call.number[5] = sizeof(T);
  kgnpu_special(&call);
}
}  // namespace kgnpu
inline void scatter_vnchwconv_b16(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                                  uint16_t srcStride, KG_WHERE) {
  ::kgnpu::raw_vnchwconv<uint16_t>("scatter_vnchwconv_b16", dst, src, repeat, dstStride, srcStride, false, false,
                                   kg_where.line);
}
inline void scatter_vnchwconv_b32(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride,
                                  uint16_t srcStride, KG_WHERE) {
  ::kgnpu::raw_vnchwconv<uint32_t>("scatter_vnchwconv_b32", dst, src, repeat, dstStride, srcStride, false, false,
                                   kg_where.line);
}
inline void scatter_vnchwconv_b8(ub_addr8_t dst, ub_addr8_t src, uint8_t repeat, uint16_t dstStride, uint16_t srcStride,
                                 bool dstHighHalf, bool srcHighHalf, KG_WHERE) {
  ::kgnpu::raw_vnchwconv<uint8_t>("scatter_vnchwconv_b8", dst, src, repeat, dstStride, srcStride, dstHighHalf,
                                  srcHighHalf, kg_where.line);
}

// The mask register and the atomic mode of copies to GM.
inline void set_vector_mask(uint64_t high, uint64_t low) { kgnpu_set_mask(high, low); }
inline void set_mask_count() { kgnpu_set_mask_mode(1); }
inline void set_mask_norm() { kgnpu_set_mask_mode(0); }
inline void set_atomic_none() { kgnpu_atomic(0, 0); }
inline void set_atomic_f32() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kFloat)); }
inline void set_atomic_f16() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kHalf)); }
inline void set_atomic_bf16() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kBfloat16)); }
inline void set_atomic_s32() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kInt32)); }
inline void set_atomic_s16() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kInt16)); }
inline void set_atomic_s8() { kgnpu_atomic(1, static_cast<int>(::kgnpu::Type::kInt8)); }
// The block of both kinds of cores: the vector cores of one cube core have the same, and differ in get_subblockid.
inline int64_t get_block_idx() { return kgnpu_block_index() / kgnpu_sub_block_count(); }
inline int64_t get_block_num() { return kgnpu_block_count(); }
inline int64_t get_subblockid() { return kgnpu_sub_block_index(); }
inline int64_t get_subblockdim() { return kgnpu_sub_block_count(); }
namespace kgnpu {
// Names like variables; a kernel may hide them with its own.
struct BlockIndex {
  operator int64_t() const { return get_block_idx(); }
};
struct BlockCount {
  operator int64_t() const { return kgnpu_block_count(); }
};
}  // namespace kgnpu
__aicore__ static constexpr ::kgnpu::BlockIndex block_idx{};
__aicore__ static constexpr ::kgnpu::BlockCount block_num{};
inline uint64_t get_imm(uint64_t value) { return value; }
inline int64_t get_sys_cnt() { return kgnpu_system_cycle(); }
