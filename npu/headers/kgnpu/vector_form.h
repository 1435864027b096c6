#pragma once

#include "kgnpu/tensor.h"

// The two forms of vector calls: "first n elements", and mask + repeat + strides. A call is one row of a
// macro in vector_*.h; its computation and cost are one row of the runtime's operation table.

namespace AscendC {
namespace kg_detail {

template <typename Dst, typename Src>
constexpr uint32_t op_word(::kgnpu::Op op) {
  return static_cast<uint32_t>(op) << 16 | static_cast<uint32_t>(::kgnpu::TypeOf<Dst>::value) << 8 |
         static_cast<uint32_t>(::kgnpu::TypeOf<Src>::value);
}

template <typename Dst, typename Src>
inline ::kgnpu::VectorCall vector_call(::kgnpu::Op op, const LocalTensor<Dst>& dst, uint8_t sources,
                                       const ::kgnpu::Local* a, const ::kgnpu::Local* b, int line) {
  ::kgnpu::VectorCall call;
  call.op = op;
  call.dst_type = ::kgnpu::TypeOf<Dst>::value;
  call.src_type = ::kgnpu::TypeOf<Src>::value;
  call.sources = sources;
  call.dst = &dst.kg_view;
  call.src[0] = a;
  call.src[1] = b;
  call.line = line;
  return call;
}

template <bool isSetMask>
inline void set_mask(::kgnpu::VectorCall& call, uint64_t count, int32_t repeat) {
  call.masking = isSetMask ? ::kgnpu::Masking::kMaskCount : ::kgnpu::Masking::kMaskRegister;
  call.mask[0] = count;
  call.repeat = repeat;
}
template <bool isSetMask>
inline void set_mask(::kgnpu::VectorCall& call, const uint64_t* bits, int32_t repeat) {
  call.masking = isSetMask ? ::kgnpu::Masking::kMaskBits : ::kgnpu::Masking::kMaskRegister;
  call.mask[0] = bits[0];
  call.mask[1] = bits[1];
  call.repeat = repeat;
}
inline void set_strides(::kgnpu::VectorCall& call, const BinaryRepeatParams& params) {
  call.dst_stride = {params.dstBlkStride, params.dstRepStride};
  call.src_stride[0] = {params.src0BlkStride, params.src0RepStride};
  call.src_stride[1] = {params.src1BlkStride, params.src1RepStride};
}
inline void set_strides(::kgnpu::VectorCall& call, const UnaryRepeatParams& params) {
  call.dst_stride = {params.dstBlkStride, params.dstRepStride};
  call.src_stride[0] = {params.srcBlkStride, params.srcRepStride};
}

}  // namespace kg_detail

inline void SetVectorMaskBits(uint64_t high, uint64_t low) { kgnpu_set_mask(high, low); }
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(uint64_t high, uint64_t low) {
  kgnpu_set_mask(high, low);
}
template <typename T, MaskMode mode = MaskMode::NORMAL>
inline void SetVectorMask(int32_t length) {
  if constexpr (mode == MaskMode::COUNTER) {
    kgnpu_set_mask(0, static_cast<uint64_t>(length));
  } else {
    const uint64_t low = length >= 64 ? ~uint64_t{0} : (uint64_t{1} << length) - 1;
    kgnpu_set_mask(length >= 128 ? ~uint64_t{0} : length > 64 ? (uint64_t{1} << (length - 64)) - 1 : 0, low);
  }
}
inline void ResetMask() { kgnpu_set_mask(~uint64_t{0}, ~uint64_t{0}); }
inline void SetMaskCount() { kgnpu_set_mask_mode(1); }
inline void SetMaskNorm() { kgnpu_set_mask_mode(0); }

}  // namespace AscendC
