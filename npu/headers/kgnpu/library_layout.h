#pragma once

#include "kgnpu/tiling_names.h"
#include "kgnpu/vector_transpose.h"

// High-level calls that rearrange a tensor's data: Pad, UnPad, and Transpose between the layouts of attention.
// Every call exists with and without a temporary buffer.

namespace AscendC {

struct PadParams {
  uint16_t leftPad = 0, rightPad = 0;
  int32_t padValue = 0;
};
struct UnPadParams {
  uint16_t leftPad = 0, rightPad = 0;
};

namespace kg_detail {

// A call on a result, an operand, and temporary space if the caller gives some.
template <typename T>
inline auto layout_call(const char* name, ::kgnpu::Special special_call, const LocalTensor<T>& dst,
                        const LocalTensor<T>& src, const LocalTensor<uint8_t>* scratch, int line) {
  auto call = special<T>(name, special_call, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = scratch == nullptr ? nullptr : &scratch->kg_view;
  return call;
}
template <typename T>
inline void pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const PadParams& params,
                const LocalTensor<uint8_t>* scratch, const PadTiling& tiling, int line) {
  KG_TAKES("Pad", T, int16_t, uint16_t, half, int32_t, uint32_t, float);
  auto call = layout_call("Pad", ::kgnpu::Special::kPad, dst, src, scratch, line);
  call.number[0] = tiling.srcHeight;
  call.number[1] = tiling.srcWidth;
  call.number[2] = tiling.srcOriWidth;
  call.number[3] = params.leftPad;
  call.number[4] = params.rightPad;
  call.number[5] = params.padValue;
  kgnpu_special(&call);
}
template <typename T>
inline void un_pad(const LocalTensor<T>& dst, const LocalTensor<T>& src, const UnPadParams& params,
                   const LocalTensor<uint8_t>* scratch, const UnPadTiling& tiling, int line) {
  KG_TAKES("UnPad", T, int16_t, uint16_t, half, int32_t, uint32_t, float);
  auto call = layout_call("UnPad", ::kgnpu::Special::kUnPad, dst, src, scratch, line);
  call.number[0] = tiling.srcHeight;
  call.number[1] = tiling.srcWidth;
  call.number[2] = params.leftPad;
  call.number[3] = params.rightPad;
  kgnpu_special(&call);
}
template <typename T>
inline void transpose_layout(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                             const LocalTensor<uint8_t>* scratch, TransposeType type,
                             const ConfusionTransposeTiling& tiling, int line) {
  KG_TAKES("Transpose between layouts", T, int16_t, uint16_t, half, int32_t, uint32_t, float);
  auto call = layout_call(name, ::kgnpu::Special::kTransposeLayout, dst, src, scratch, line);
  call.number[0] = static_cast<int64_t>(type);
  call.number[1] = tiling.param0;
  call.number[2] = tiling.param1;
  call.number[3] = tiling.param2;
  call.number[4] = tiling.param3;
  kgnpu_special(&call);
}

}  // namespace kg_detail

// Rows of a matrix with padding left and right, to whole units of 32 bytes.
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                const LocalTensor<uint8_t>& sharedTmpBuffer, PadTiling& tiling, KG_WHERE) {
  kg_detail::pad(dstTensor, srcTensor, padParams, &sharedTmpBuffer, tiling, kg_where.line);
}
template <typename T>
inline void Pad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, PadParams& padParams,
                PadTiling& tiling, KG_WHERE) {
  kg_detail::pad(dstTensor, srcTensor, padParams, nullptr, tiling, kg_where.line);
}
// Rows without their first and last elements, one after the other.
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  LocalTensor<uint8_t>& sharedTmpBuffer, UnPadTiling& tiling, KG_WHERE) {
  kg_detail::un_pad(dstTensor, srcTensor, unPadParams, &sharedTmpBuffer, tiling, kg_where.line);
}
template <typename T>
inline void UnPad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, UnPadParams& unPadParams,
                  UnPadTiling& tiling, KG_WHERE) {
  kg_detail::un_pad(dstTensor, srcTensor, unPadParams, nullptr, tiling, kg_where.line);
}

// ConfusionTranspose is the call's older name.
#define KG_TRANSPOSE(Name)                                                                                          \
  template <typename T>                                                                                             \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                                \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, TransposeType transposeTypeIn,                      \
                   ConfusionTransposeTiling& tiling, KG_WHERE) {                                                    \
    kg_detail::transpose_layout(#Name, dstTensor, srcTensor, &sharedTmpBuffer, transposeTypeIn, tiling,             \
                                kg_where.line);                                                                     \
  }                                                                                                                 \
  template <typename T>                                                                                             \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, TransposeType transposeTypeIn, \
                   ConfusionTransposeTiling& tiling, KG_WHERE) {                                                    \
    kg_detail::transpose_layout(#Name, dstTensor, srcTensor, nullptr, transposeTypeIn, tiling, kg_where.line);      \
  }
KG_TRANSPOSE(Transpose)
KG_TRANSPOSE(ConfusionTranspose)
#undef KG_TRANSPOSE

}  // namespace AscendC
