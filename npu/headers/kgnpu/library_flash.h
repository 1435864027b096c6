#pragma once

#include "kgnpu/library_softmax.h"

// SoftmaxFlash, V2 and V3: softmax of a row given in pieces, continued from the sum and maximum so far; V3 also from
// the mean.

namespace AscendC {

struct SoftMaxParams {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
  uint32_t loopCnt = 0, splitMeanCnt = 0;
  float alpha = 0;
};

namespace kg_detail {
struct FlashMeans {
  const ::kgnpu::Local *mean, *earlier_mean;
  uint32_t pieces, parts;  // of a row: how many with this one; parts of this one that have a mean each
  float alpha;
};
template <bool isUpdate, typename T, typename U>
inline void flash(const char* name, const LocalTensor<T>& dst, const LocalTensor<U>& sum, const LocalTensor<U>& max,
                  const LocalTensor<T>& src, const LocalTensor<T>& factor, const LocalTensor<U>& earlier_sum,
                  const LocalTensor<U>& earlier_max, const LocalTensor<uint8_t>* scratch, bool divides,
                  const SoftMaxTiling& tiling, const SoftMaxShapeInfo& shape, const SoftmaxConfig& config, int line,
                  const FlashMeans* means = nullptr) {
  check_softmax_type<T>();
  auto call = special<T>(name, ::kgnpu::Special::kSoftmaxFlash, line);
  call.type2 = ::kgnpu::TypeOf<U>::value;
  softmax_shape(call, src, tiling, shape, config);
  const ::kgnpu::Local* tensors[] = {
      &dst.kg_view,    &src.kg_view,         &sum.kg_view,         &max.kg_view,
      &factor.kg_view, &earlier_sum.kg_view, &earlier_max.kg_view, scratch == nullptr ? nullptr : &scratch->kg_view};
  for (int k = 0; k < 8; ++k) call.tensor[k] = tensors[k];
  call.number[4] = isUpdate;
  call.number[5] = divides;
  if (means != nullptr) {
    call.tensor[8] = means->mean;
    call.tensor[9] = means->earlier_mean;
    call.number[6] = means->pieces;
    call.number[7] = means->parts;
    call.number[8] = static_cast<int64_t>(::kgnpu::bits_of(means->alpha));
  }
  kgnpu_special(&call);
}
}  // namespace kg_detail

#define KG_FLASH_V2(T_, U_)                                                                                            \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                            \
  inline void SoftmaxFlashV2(const LocalTensor<T_>& dstTensor, const LocalTensor<U_>& expSumTensor,                    \
                             const LocalTensor<U_>& maxTensor, const LocalTensor<T_>& srcTensor,                       \
                             const LocalTensor<T_>& expMaxTensor, const LocalTensor<U_>& inExpSumTensor,               \
                             const LocalTensor<U_>& inMaxTensor, const SoftMaxTiling& tiling,                          \
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {                                \
    KG_NO_NZ("SoftmaxFlashV2", isDataFormatNZ);                                                                        \
    kg_detail::flash<isUpdate>("SoftmaxFlashV2", dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,          \
                               inExpSumTensor, inMaxTensor, nullptr, false, tiling, softmaxShapeInfo, config,          \
                               kg_where.line);                                                                         \
  }                                                                                                                    \
  template <typename T, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,                  \
            bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                            \
  inline void SoftmaxFlashV2(const LocalTensor<T_>& dstTensor, const LocalTensor<U_>& expSumTensor,                    \
                             const LocalTensor<U_>& maxTensor, const LocalTensor<T_>& srcTensor,                       \
                             const LocalTensor<T_>& expMaxTensor, const LocalTensor<U_>& inExpSumTensor,               \
                             const LocalTensor<U_>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,          \
                             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {   \
    KG_NO_NZ("SoftmaxFlashV2", isDataFormatNZ);                                                                        \
    kg_detail::flash<isUpdate>("SoftmaxFlashV2", dstTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,          \
                               inExpSumTensor, inMaxTensor, &sharedTmpBuffer, false, tiling, softmaxShapeInfo, config, \
                               kg_where.line);                                                                         \
  }
KG_FLASH_V2(T, T)
KG_FLASH_V2(half, float)
#undef KG_FLASH_V2
// The first version: dst is divided by the sum; isUpdate is an argument.
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor, const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  (isUpdate ? kg_detail::flash<true, T, T>
            : kg_detail::flash<false, T, T>)("SoftmaxFlash", dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor,
                                             inSumTensor, inMaxTensor, nullptr, true, tiling, softmaxShapeInfo,
                                             SOFTMAX_DEFAULT_CFG, kg_where.line, nullptr);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void SoftmaxFlash(const LocalTensor<T>& dstTensor, const LocalTensor<T>& sumTensor,
                         const LocalTensor<T>& maxTensor, const LocalTensor<T>& srcTensor,
                         const LocalTensor<T>& expMaxTensor, const LocalTensor<T>& inSumTensor,
                         const LocalTensor<T>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SoftMaxTiling& tiling, bool isUpdate = false,
                         const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  (isUpdate ? kg_detail::flash<true, T, T>
            : kg_detail::flash<false, T, T>)("SoftmaxFlash", dstTensor, sumTensor, maxTensor, srcTensor, expMaxTensor,
                                             inSumTensor, inMaxTensor, &sharedTmpBuffer, true, tiling, softmaxShapeInfo,
                                             SOFTMAX_DEFAULT_CFG, kg_where.line, nullptr);
}

namespace kg_detail {
template <bool isUpdate, bool isDataFormatNZ, typename T, typename U>
inline void flash_v3(const LocalTensor<T>& dst, const LocalTensor<U>& mean, const LocalTensor<U>& sum,
                     const LocalTensor<U>& max, const LocalTensor<T>& src, const LocalTensor<T>& factor,
                     const LocalTensor<U>& earlier_mean, const LocalTensor<U>& earlier_sum,
                     const LocalTensor<U>& earlier_max, const LocalTensor<uint8_t>* scratch,
                     const SoftMaxTiling& tiling, const SoftMaxParams& params, const SoftmaxConfig& config, int line) {
  KG_NO_NZ("SoftmaxFlashV3", isDataFormatNZ);
  KG_TAKES("SoftmaxFlashV3", T, half);
  KG_TAKES("SoftmaxFlashV3's means, sums and maxima", U, float);
  const FlashMeans means = {&mean.kg_view, &earlier_mean.kg_view, params.loopCnt, params.splitMeanCnt, params.alpha};
  flash<isUpdate>("SoftmaxFlashV3", dst, sum, max, src, factor, earlier_sum, earlier_max, scratch, false, tiling,
                  {params.srcM, params.srcK, params.oriSrcM, params.oriSrcK}, config, line, &means);
}
}  // namespace kg_detail
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                           const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                           const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const SoftMaxTiling& tiling, const SoftMaxParams& params,
                           KG_WHERE) {
  kg_detail::flash_v3<isUpdate, isDataFormatNZ>(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                                inMeanTensor, inExpSumTensor, inMaxTensor, nullptr, tiling, params,
                                                config, kg_where.line);
}
template <typename T, typename U, bool isUpdate = false, bool isReuseSource = false, bool isBasicBlock = false,
          bool isDataFormatNZ = false, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftmaxFlashV3(const LocalTensor<T>& dstTensor, const LocalTensor<U>& meanTensor,
                           const LocalTensor<U>& expSumTensor, const LocalTensor<U>& maxTensor,
                           const LocalTensor<T>& srcTensor, const LocalTensor<T>& expMaxTensor,
                           const LocalTensor<U>& inMeanTensor, const LocalTensor<U>& inExpSumTensor,
                           const LocalTensor<U>& inMaxTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                           const SoftMaxTiling& tiling, const SoftMaxParams& params, KG_WHERE) {
  kg_detail::flash_v3<isUpdate, isDataFormatNZ>(dstTensor, meanTensor, expSumTensor, maxTensor, srcTensor, expMaxTensor,
                                                inMeanTensor, inExpSumTensor, inMaxTensor, &sharedTmpBuffer, tiling,
                                                params, config, kg_where.line);
}
#undef KG_NO_NZ

}  // namespace AscendC
