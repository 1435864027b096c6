#pragma once

#include "kgnpu/temporary_sizes.h"
#include "kgnpu/tiling_names.h"
#include "kgnpu/vector_gather.h"

// The softmax family of the high-level library, over the rows of an (m, k) tensor. Sums and maxima take a block of 32
// bytes a row. Every call exists with and without a temporary buffer. Data in NZ format are not supported.

namespace AscendC {

struct SoftMaxShapeInfo {
  uint32_t srcM = 0, srcK = 0, oriSrcM = 0, oriSrcK = 0;
};
enum class SoftmaxMode { SOFTMAX_NORMAL = 0, SOFTMAX_OUTPUT_WITHOUT_BRC = 1 };
struct SoftmaxConfig {
  bool isCheckTiling = true;
  uint32_t oriSrcM = 0, oriSrcK = 0;
  SoftmaxMode mode = SoftmaxMode::SOFTMAX_NORMAL;
};
constexpr SoftmaxConfig SOFTMAX_DEFAULT_CFG = {true, 0, 0, SoftmaxMode::SOFTMAX_NORMAL};
enum class SoftMaxStepSizeMode { DEFAULT = 0 };

namespace kg_detail {

#define KG_NO_NZ(call, nz) static_assert(!(nz), call ": data in NZ format are not supported by the emulated device")

// From the call's shape, else the tensor's own, else the tiling.
template <typename T, typename Tiling>
inline void softmax_shape(::kgnpu::SpecialCall& call, const LocalTensor<T>& src, const Tiling& tiling,
                          const SoftMaxShapeInfo& given, const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG) {
  int64_t m = given.srcM, k = given.srcK, valid_m = given.oriSrcM, valid_k = given.oriSrcK;
  if (m == 0 || k == 0) {
    const ShapeInfo shape = src.GetShapeInfo();
    if (shape.shapeDim > 0) {
      m = valid_m = 1;
      for (uint8_t d = 0; d + 1 < shape.shapeDim; ++d) m *= shape.shape[d];
      for (uint8_t d = 0; d + 1 < shape.originalShapeDim; ++d) valid_m *= shape.originalShape[d];
      k = shape.shape[shape.shapeDim - 1];
      valid_k = shape.originalShapeDim > 0 ? shape.originalShape[shape.originalShapeDim - 1] : k;
    } else {
      m = valid_m = tiling.srcM;
      k = valid_k = tiling.srcK;
    }
  }
  if (tiling.srcM == m && tiling.srcK == k) call.number[11] = tiling.splitM;
  if (config.oriSrcK != 0) {
    valid_m = config.oriSrcM;
    valid_k = config.oriSrcK;
  }
  call.number[0] = m;
  call.number[1] = k;
  call.number[2] = valid_m == 0 ? m : valid_m;
  call.number[3] = valid_k == 0 ? k : valid_k;
}
template <typename T>
constexpr void check_softmax_type() {
  static_assert(::kgnpu::is_one_of<T, half, float>, "the softmax calls take: half, float");
}
template <typename T, typename U>
inline void softmax(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>* sum,
                    const LocalTensor<U>* max, const LocalTensor<uint8_t>* scratch, bool logarithm,
                    ::kgnpu::SpecialCall& call, int) {
  check_softmax_type<T>();
  static_assert(std::is_same_v<T, U> || (std::is_same_v<T, half> && std::is_same_v<U, float>),
                "sum and max have the data type of src, or float where src is half");
  call.type2 = ::kgnpu::TypeOf<U>::value;
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = sum == nullptr ? nullptr : &sum->kg_view;
  call.tensor[3] = max == nullptr ? nullptr : &max->kg_view;
  call.tensor[4] = scratch == nullptr ? nullptr : &scratch->kg_view;
  call.number[4] = logarithm;
  kgnpu_special(&call);
}

}  // namespace kg_detail

template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const SoftMaxTiling& tiling,
                    const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftMax", isDataFormatNZ);
  auto call = kg_detail::special<T>("SoftMax", ::kgnpu::Special::kSoftmax, kg_where.line);
  kg_detail::softmax_shape(call, src, tiling, softmaxShapeInfo, config);
  kg_detail::softmax<T, T>("SoftMax", dst, src, nullptr, nullptr, nullptr, false, call, 0);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,
          const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>
inline void SoftMax(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftMax", isDataFormatNZ);
  auto call = kg_detail::special<T>("SoftMax", ::kgnpu::Special::kSoftmax, kg_where.line);
  kg_detail::softmax_shape(call, src, tiling, softmaxShapeInfo, config);
  kg_detail::softmax<T, T>("SoftMax", dst, src, nullptr, nullptr, &sharedTmpBuffer, false, call, 0);
}

// With the sums and maxima: in src's type, or in float for half.
#define KG_SOFTMAX_SUMS(Name, TilingType, logarithm, T_, U_, ...)                                                     \
  template <__VA_ARGS__ bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,           \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                        \
  inline void Name(const LocalTensor<T_>& dst, const LocalTensor<U_>& sumTensor, const LocalTensor<U_>& maxTensor,    \
                   const LocalTensor<T_>& src, const TilingType& tiling,                                              \
                   const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {                                         \
    KG_NO_NZ(#Name, isDataFormatNZ);                                                                                  \
    auto call = kg_detail::special<T_>(#Name, ::kgnpu::Special::kSoftmax, kg_where.line);                             \
    kg_detail::softmax_shape(call, src, tiling, softmaxShapeInfo, config);                                            \
    kg_detail::softmax<T_, U_>(#Name, dst, src, &sumTensor, &maxTensor, nullptr, logarithm, call, 0);                 \
  }                                                                                                                   \
  template <__VA_ARGS__ bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,           \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                        \
  inline void Name(const LocalTensor<T_>& dst, const LocalTensor<U_>& sumTensor, const LocalTensor<U_>& maxTensor,    \
                   const LocalTensor<T_>& src, const LocalTensor<uint8_t>& sharedTmpBuffer, const TilingType& tiling, \
                   const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {                                         \
    KG_NO_NZ(#Name, isDataFormatNZ);                                                                                  \
    auto call = kg_detail::special<T_>(#Name, ::kgnpu::Special::kSoftmax, kg_where.line);                             \
    kg_detail::softmax_shape(call, src, tiling, softmaxShapeInfo, config);                                            \
    kg_detail::softmax<T_, U_>(#Name, dst, src, &sumTensor, &maxTensor, &sharedTmpBuffer, logarithm, call, 0);        \
  }
#define KG_COMMA ,
KG_SOFTMAX_SUMS(SoftMax, SoftMaxTiling, false, T, T, typename T KG_COMMA)
KG_SOFTMAX_SUMS(SoftMax, SoftMaxTiling, false, half, float, typename T KG_COMMA)
KG_SOFTMAX_SUMS(LogSoftMax, LogSoftMaxTiling, true, T, T, typename T KG_COMMA)
#undef KG_SOFTMAX_SUMS
#undef KG_COMMA

namespace kg_detail {
template <typename T, typename U>
inline void simple_softmax(const LocalTensor<T>& dst, const LocalTensor<U>& sum, const LocalTensor<U>& max,
                           const LocalTensor<T>& src, const LocalTensor<uint8_t>* scratch, const SoftMaxTiling& tiling,
                           const SoftMaxShapeInfo& shape, const SoftmaxConfig& config, int line) {
  check_softmax_type<T>();
  auto call = special<T>("SimpleSoftMax", ::kgnpu::Special::kSimpleSoftmax, line);
  call.type2 = ::kgnpu::TypeOf<U>::value;
  softmax_shape(call, src, tiling, shape, config);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &sum.kg_view;
  call.tensor[3] = &max.kg_view;
  call.tensor[4] = scratch == nullptr ? nullptr : &scratch->kg_view;
  kgnpu_special(&call);
}
template <typename T>
inline void softmax_grad(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& grad,
                         const LocalTensor<T>& src, const LocalTensor<uint8_t>* scratch, const SoftMaxTiling& tiling,
                         bool front, const SoftMaxShapeInfo& shape, int line) {
  check_softmax_type<T>();
  auto call = special<T>(name, ::kgnpu::Special::kSoftmaxGrad, line);
  softmax_shape(call, src, tiling, shape);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &grad.kg_view;
  call.tensor[2] = &src.kg_view;
  call.tensor[3] = scratch == nullptr ? nullptr : &scratch->kg_view;
  call.number[4] = front;
  kgnpu_special(&call);
}
}  // namespace kg_detail

#define KG_SIMPLE_SOFTMAX(T_, U_)                                                                                     \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,           \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                        \
  inline void SimpleSoftMax(const LocalTensor<T_>& dst, const LocalTensor<U_>& inSumTensor,                           \
                            const LocalTensor<U_>& inMaxTensor, const LocalTensor<T_>& src,                           \
                            const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {   \
    KG_NO_NZ("SimpleSoftMax", isDataFormatNZ);                                                                        \
    kg_detail::simple_softmax(dst, inSumTensor, inMaxTensor, src, nullptr, tiling, softmaxShapeInfo, config,          \
                              kg_where.line);                                                                         \
  }                                                                                                                   \
  template <typename T, bool isReuseSource = false, bool isBasicBlock = false, bool isDataFormatNZ = false,           \
            const SoftmaxConfig& config = SOFTMAX_DEFAULT_CFG>                                                        \
  inline void SimpleSoftMax(const LocalTensor<T_>& dst, const LocalTensor<U_>& inSumTensor,                           \
                            const LocalTensor<U_>& inMaxTensor, const LocalTensor<T_>& src,                           \
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const SoftMaxTiling& tiling,                 \
                            const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {                                \
    KG_NO_NZ("SimpleSoftMax", isDataFormatNZ);                                                                        \
    kg_detail::simple_softmax(dst, inSumTensor, inMaxTensor, src, &sharedTmpBuffer, tiling, softmaxShapeInfo, config, \
                              kg_where.line);                                                                         \
  }
KG_SIMPLE_SOFTMAX(T, T)
KG_SIMPLE_SOFTMAX(half, float)
#undef KG_SIMPLE_SOFTMAX

// dst = (grad - sum(grad * src)) * src by rows; the front call stops at the sum.
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling, bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftmaxGrad", isDataFormatNZ);
  kg_detail::softmax_grad("SoftmaxGrad", dstTensor, gradTensor, srcTensor, nullptr, tiling, isFront, softmaxShapeInfo,
                          kg_where.line);
}
template <typename T, bool isReuseSource = false, bool isDataFormatNZ = false>
inline void SoftmaxGrad(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                        const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                        const SoftMaxTiling& tiling, bool isFront = false,
                        const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftmaxGrad", isDataFormatNZ);
  kg_detail::softmax_grad("SoftmaxGrad", dstTensor, gradTensor, srcTensor, &sharedTmpBuffer, tiling, isFront,
                          softmaxShapeInfo, kg_where.line);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const SoftMaxTiling& tiling,
                             const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftmaxGradFront", isDataFormatNZ);
  kg_detail::softmax_grad("SoftmaxGradFront", dstTensor, gradTensor, srcTensor, nullptr, tiling, true, softmaxShapeInfo,
                          kg_where.line);
}
template <typename T, bool isBasicBlock = false, bool isDataFormatNZ = false>
inline void SoftmaxGradFront(const LocalTensor<T>& dstTensor, const LocalTensor<T>& gradTensor,
                             const LocalTensor<T>& srcTensor, const LocalTensor<uint8_t>& sharedTmpBuffer,
                             const SoftMaxTiling& tiling, const SoftMaxShapeInfo& softmaxShapeInfo = {}, KG_WHERE) {
  KG_NO_NZ("SoftmaxGradFront", isDataFormatNZ);
  kg_detail::softmax_grad("SoftmaxGradFront", dstTensor, gradTensor, srcTensor, &sharedTmpBuffer, tiling, true,
                          softmaxShapeInfo, kg_where.line);
}
// Rows whose maximum is `from` (its bits) become `to`.
template <typename T1, typename T2, bool isDataFormatNZ = false, uint8_t stepSizeMode = 0>
inline bool AdjustSoftMaxRes(const LocalTensor<T1>& softMaxRes, const LocalTensor<T2>& maxTensor, const uint32_t from,
                             const T1 to, const SoftMaxShapeInfo& softmaxShapeInfo, KG_WHERE) {
  KG_NO_NZ("AdjustSoftMaxRes", isDataFormatNZ);
  kg_detail::check_softmax_type<T1>();
  auto call = kg_detail::special<T1>("AdjustSoftMaxRes", ::kgnpu::Special::kAdjustSoftmax, kg_where.line);
  call.type2 = ::kgnpu::TypeOf<T2>::value;
  kg_detail::softmax_shape(call, softMaxRes, SoftMaxTiling(), softmaxShapeInfo);
  call.tensor[0] = &softMaxRes.kg_view;
  call.tensor[1] = &maxTensor.kg_view;
  call.number[4] = from;
  call.number[5] = static_cast<int64_t>(::kgnpu::bits_of(to));
  return kgnpu_special(&call) != 0;
}
// Tilings that a kernel makes itself.
namespace kg_detail {
inline constexpr SoftMaxTiling softmax_tiling(uint32_t srcM, uint32_t srcK, uint32_t dataTypeSize, uint32_t space,
                                              int64_t kept) {
  SoftMaxTiling tiling;
  tiling.srcM = srcM;
  tiling.srcK = srcK;
  tiling.srcSize = srcM * srcK;
  tiling.outMaxM = srcM;
  tiling.outMaxK = 32 / (dataTypeSize == 0 ? 4 : dataTypeSize);
  tiling.outMaxSize = tiling.outMaxM * tiling.outMaxK;
  const auto rows = static_cast<uint32_t>(space / (kept * ::kgnpu::softmax_row_bytes(srcK)));
  tiling.splitM = rows == 0 ? 1 : rows < srcM ? rows : srcM;
  tiling.splitK = srcK;
  tiling.splitSize = tiling.splitM * srcK;
  tiling.reduceM = tiling.splitM;
  tiling.reduceK = tiling.outMaxK;
  tiling.reduceSize = tiling.reduceM * tiling.reduceK;
  tiling.rangeM = tiling.splitM == 0 ? 0 : srcM / tiling.splitM;
  tiling.tailM = tiling.splitM == 0 ? 0 : srcM % tiling.splitM;
  tiling.tailSplitSize = tiling.tailM * srcK;
  tiling.tailReduceSize = tiling.tailM * tiling.reduceK;
  return tiling;
}
}  // namespace kg_detail
inline constexpr SoftMaxTiling SoftMaxTilingFunc(const uint32_t srcM, const uint32_t srcK, const uint32_t dataTypeSize,
                                                 const uint32_t localWorkSpaceSize, const bool = false,
                                                 const bool = false) {
  return kg_detail::softmax_tiling(srcM, srcK, dataTypeSize, localWorkSpaceSize, ::kgnpu::kSoftmaxRows);
}
inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFuncImpl(const uint32_t srcM, const uint32_t srcK, const uint32_t,
                                                            const uint32_t dataTypeSize2,
                                                            const uint32_t localWorkSpaceSize, const bool = false,
                                                            const bool = false, const bool = false,
                                                            const bool = false) {
  return kg_detail::softmax_tiling(srcM, srcK, dataTypeSize2, localWorkSpaceSize, ::kgnpu::kSoftmaxFlashRows);
}

inline constexpr SoftMaxTiling SoftMaxFlashV2TilingFunc(const SoftMaxShapeInfo& shapeInfo, const uint32_t,
                                                        const uint32_t dataTypeSize2, const uint32_t localWorkSpaceSize,
                                                        const bool = false, const bool = false, const bool = false,
                                                        const bool = false) {
  return kg_detail::softmax_tiling(shapeInfo.srcM, shapeInfo.srcK, dataTypeSize2, localWorkSpaceSize,
                                   ::kgnpu::kSoftmaxFlashRows);
}

}  // namespace AscendC
