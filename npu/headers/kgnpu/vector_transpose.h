#pragma once

#include "kgnpu/vector_gather.h"

// Transpose of 16 x 16 elements, and with lists of block addresses (TransDataTo5HD).

namespace AscendC {

constexpr int32_t NCHW_CONV_ADDR_LIST_SIZE = 16;

struct TransDataTo5HDParams {
  constexpr TransDataTo5HDParams() {}
  constexpr TransDataTo5HDParams(bool dstHighHalfIn, bool srcHighHalfIn, uint8_t repeatTimesIn, uint16_t dstRepStrideIn,
                                 uint16_t srcRepStrideIn)
      : dstHighHalf(dstHighHalfIn),
        srcHighHalf(srcHighHalfIn),
        repeatTimes(repeatTimesIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}
  bool dstHighHalf = false, srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0, srcRepStride = 0;
};
enum class TransposeType : uint8_t {
  TRANSPOSE_TYPE_NONE,
  TRANSPOSE_NZ2ND_0213,
  TRANSPOSE_NZ2NZ_0213,
  TRANSPOSE_NZ2NZ_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITH_N,
  TRANSPOSE_NZ2ND_012_WITHOUT_N,
  TRANSPOSE_NZ2NZ_012_WITHOUT_N,
  TRANSPOSE_ND2ND_ONLY,
  TRANSPOSE_ND_UB_GM,
  TRANSPOSE_GRAD_ND_UB_GM,
  TRANSPOSE_ND2ND_B16,
  TRANSPOSE_NCHW2NHWC,
  TRANSPOSE_NHWC2NCHW
};
struct TransposeParamsExt {
  uint16_t nSize = 0, cSize = 0, hSize = 0, wSize = 0;
  TransposeType transposeType = TransposeType::TRANSPOSE_ND2ND_B16;
};

namespace kg_detail {

// The tensor for an entry of an address list: a tensor, a UB pointer, or a pointer as a number.
template <typename T>
inline ::kgnpu::Local block_of(const LocalTensor<T>& tensor, const char*, int) {
  return tensor.kg_view;
}
template <typename T>
inline ::kgnpu::Local block_of(__ubuf__ T* pointer, const char* name, int line) {
  ::kgnpu::Local local;
  kgnpu_local_at((uint64_t)pointer, &local, name, line);
  return local;
}
inline ::kgnpu::Local block_of(uint64_t pointer, const char* name, int line) {
  ::kgnpu::Local local;
  kgnpu_local_at(pointer, &local, name, line);
  return local;
}
template <typename T, typename Dst, typename Src>
inline void to_5hd(const char* name, const Dst* dstList, const Src* srcList, const TransDataTo5HDParams& params,
                   int line) {
  static_assert(sizeof(T) <= 4 && !std::is_same_v<T, bool>, "TransDataTo5HD takes data types of 1, 2 or 4 bytes");
  ::kgnpu::Local dst[16], src[16];
  for (int i = 0; i < 16; ++i) {
    dst[i] = block_of(dstList[i], name, line);
    src[i] = block_of(srcList[i], name, line);
  }
  auto call = special<T>(name, ::kgnpu::Special::kVnchwconv, line);
  call.tensor[0] = dst;
  call.tensor[1] = src;
  call.number[0] = params.repeatTimes;
  call.number[1] = params.dstRepStride;
  call.number[2] = params.srcRepStride;
  call.number[3] = params.dstHighHalf;
  call.number[4] = params.srcHighHalf;
  call.number[5] = sizeof(T);
  kgnpu_special(&call);
}

}  // namespace kg_detail

template <typename T>
inline void TransDataTo5HD(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  kg_detail::to_5hd<T>("TransDataTo5HD", dstList, srcList, nchwconvParams, kg_where.line);
}
template <typename T>
inline void TransDataTo5HD(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                           const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  kg_detail::to_5hd<T>("TransDataTo5HD", dstList, srcList, nchwconvParams, kg_where.line);
}
// Addresses that were written into tensors.
template <typename T>
inline void TransDataTo5HD(const LocalTensor<uint64_t>& dst, const LocalTensor<uint64_t>& src,
                           const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  uint64_t to[NCHW_CONV_ADDR_LIST_SIZE], from[NCHW_CONV_ADDR_LIST_SIZE];
  for (uint32_t i = 0; i < NCHW_CONV_ADDR_LIST_SIZE; ++i) {
    to[i] = dst.GetValue(i, kg_where);
    from[i] = src.GetValue(i, kg_where);
  }
  kg_detail::to_5hd<T>("TransDataTo5HD", to, from, nchwconvParams, kg_where.line);
}
// The lower-level function, which kernels call with UB pointers.
template <typename T>
inline void TransDataTo5HDImpl(__ubuf__ T* dstList[NCHW_CONV_ADDR_LIST_SIZE],
                               __ubuf__ T* srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  kg_detail::to_5hd<T>("TransDataTo5HDImpl", dstList, srcList, nchwconvParams, kg_where.line);
}
template <typename T>
inline void TransDataTo5HDImpl(uint64_t dstList[NCHW_CONV_ADDR_LIST_SIZE], uint64_t srcList[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  kg_detail::to_5hd<T>("TransDataTo5HDImpl", dstList, srcList, nchwconvParams, kg_where.line);
}
template <typename T>
inline void TransDataTo5HDImpl(const LocalTensor<T> (&dstList)[NCHW_CONV_ADDR_LIST_SIZE],
                               const LocalTensor<T> (&srcList)[NCHW_CONV_ADDR_LIST_SIZE],
                               const TransDataTo5HDParams& nchwconvParams, KG_WHERE) {
  kg_detail::to_5hd<T>("TransDataTo5HDImpl", dstList, srcList, nchwconvParams, kg_where.line);
}

// 16 x 16 elements of 2 bytes.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, KG_WHERE) {
  KG_TAKES("Transpose", T, half, int16_t, uint16_t);
  auto call = kg_detail::special<T>("Transpose", ::kgnpu::Special::kTranspose16, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  kgnpu_special(&call);
}
// Also between NCHW and NHWC.
template <typename T>
inline void Transpose(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const TransposeParamsExt& params, KG_WHERE) {
  KG_TAKES("Transpose", T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);
  if (params.transposeType == TransposeType::TRANSPOSE_ND2ND_B16) {
    auto call = kg_detail::special<T>("Transpose", ::kgnpu::Special::kTranspose16, kg_where.line);
    call.tensor[0] = &dst.kg_view;
    call.tensor[1] = &src.kg_view;
    kgnpu_special(&call);
    return;
  }
  auto call = kg_detail::special<T>("Transpose", ::kgnpu::Special::kTransposeShape, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &sharedTmpBuffer.kg_view;
  const bool to_nhwc = params.transposeType == TransposeType::TRANSPOSE_NCHW2NHWC;
  const int64_t nchw[] = {params.nSize, params.cSize, params.hSize, params.wSize};
  const int64_t nhwc[] = {params.nSize, params.hSize, params.wSize, params.cSize};
  const int64_t order_to_nhwc[] = {0, 2, 3, 1}, order_to_nchw[] = {0, 3, 1, 2};
  for (int k = 0; k < 4; ++k) {
    call.number[k] = to_nhwc ? nchw[k] : nhwc[k];
    call.number[4 + k] = to_nhwc ? order_to_nhwc[k] : order_to_nchw[k];
  }
  kgnpu_special(&call);
}

}  // namespace AscendC
