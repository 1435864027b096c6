#pragma once

#include "kgnpu/library_choices.h"
#include "kgnpu/tiling_names.h"
#include "kgnpu/vector_gather.h"

// Normalisations of the high-level library, over the last axis of a (B, S, H) or (A, R) tensor, and over groups of
// channels. Every call exists with and without a temporary buffer.

namespace AscendC {

struct LayerNormPara {
  uint32_t aLength = 0, rLength = 0, rLengthWithPadding = 0;
};
struct LayerNormConfig {
  bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr LayerNormConfig LNCFG_NORM = {false, false, false};
struct NormalizePara {
  uint32_t aLength = 0, rLength = 0, rLengthWithPadding = 0;
};
struct NormalizeConfig {
  ReducePattern reducePattern = ReducePattern::AR;
  int32_t aLength = -1;
  bool isNoBeta = false, isNoGamma = false, isOnlyOutput = false;
};
constexpr NormalizeConfig NLCFG_NORM = {ReducePattern::AR, -1, false, false, false};

namespace kg_detail {

struct NormShape {
  int64_t rows, step, valid;
};
template <typename Tiling>
inline NormShape norm_shape(const Tiling& tiling) {
  return {int64_t{tiling.bLength} * tiling.sLength, tiling.hLength,
          tiling.originalHLength == 0 ? tiling.hLength : tiling.originalHLength};
}
template <typename T>
constexpr void check_norm_type() {
  static_assert(::kgnpu::is_one_of<T, half, float>, "the normalisation calls take: half, float");
}
// Kinds: 0 mean and variance, 1 mean and reciprocal deviation, 2 RmsNorm, 3 DeepNorm.
template <typename T, typename U, typename S>
inline void layer_norm(const char* name, int kind, const LocalTensor<T>& dst, const LocalTensor<S>* mean,
                       const LocalTensor<S>* variance, const LocalTensor<T>& src, const LocalTensor<T>* second,
                       const LocalTensor<U>* gamma, const LocalTensor<U>* beta, const LocalTensor<uint8_t>* scratch,
                       float epsilon, float alpha, const NormShape& shape, int line) {
  check_norm_type<T>();
  auto call = special<T>(name, ::kgnpu::Special::kLayerNorm, line);
  const auto view = [](const auto* tensor) { return tensor == nullptr ? nullptr : &tensor->kg_view; };
  call.type2 = ::kgnpu::TypeOf<S>::value;
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = view(mean);
  call.tensor[2] = view(variance);
  call.tensor[3] = &src.kg_view;
  call.tensor[4] = view(gamma);
  call.tensor[5] = view(beta);
  call.tensor[6] = view(scratch);
  call.tensor[7] = view(second);
  call.number[0] = shape.rows;
  call.number[1] = shape.step;
  call.number[2] = shape.valid;
  call.number[3] = ::kgnpu::bits_of_float(epsilon);
  call.number[4] = kind;
  call.number[5] = ::kgnpu::bits_of_float(alpha);
  call.number[6] = static_cast<int64_t>(::kgnpu::TypeOf<U>::value);
  kgnpu_special(&call);
}

}  // namespace kg_detail

template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      LayerNormTiling& tiling, KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("LayerNorm", 0, output, &outputMean, &outputVariance, inputX, nullptr, &gamma, &beta,
                                 &sharedTmpBuffer, float(epsilon), 1, kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const T epsilon, LayerNormTiling& tiling, KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("LayerNorm", 0, output, &outputMean, &outputVariance, inputX, nullptr, &gamma, &beta,
                                 nullptr, float(epsilon), 1, kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LocalTensor<uint8_t>& sharedTmpBuffer,
                      const LayerNormPara& para, const LayerNormSeparateTiling&, KG_WHERE) {
  kg_detail::layer_norm<T, U, float>("LayerNorm", 1, output, &outputMean, &outputRstd, inputX, nullptr,
                                     config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta,
                                     &sharedTmpBuffer, epsilon, 1,
                                     {para.aLength, para.rLengthWithPadding, para.rLength}, kg_where.line);
}
template <typename U, typename T, bool isReuseSource = false, const LayerNormConfig& config = LNCFG_NORM>
inline void LayerNorm(const LocalTensor<T>& output, const LocalTensor<float>& outputMean,
                      const LocalTensor<float>& outputRstd, const LocalTensor<T>& inputX, const LocalTensor<U>& gamma,
                      const LocalTensor<U>& beta, const float epsilon, const LayerNormPara& para,
                      const LayerNormSeparateTiling&, KG_WHERE) {
  kg_detail::layer_norm<T, U, float>("LayerNorm", 1, output, &outputMean, &outputRstd, inputX, nullptr,
                                     config.isNoGamma ? nullptr : &gamma, config.isNoBeta ? nullptr : &beta, nullptr,
                                     epsilon, 1, {para.aLength, para.rLengthWithPadding, para.rLength}, kg_where.line);
}

template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon, const RmsNormTiling& tiling,
                    KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("RmsNorm", 2, dstLocal, nullptr, nullptr, srcLocal, nullptr, &gammaLocal, nullptr,
                                 &sharedTmpBuffer, float(epsilon), 1, kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename T, bool isBasicBlock = false>
inline void RmsNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const LocalTensor<T>& gammaLocal,
                    const T epsilon, const RmsNormTiling& tiling, KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("RmsNorm", 2, dstLocal, nullptr, nullptr, srcLocal, nullptr, &gammaLocal, nullptr,
                                 nullptr, float(epsilon), 1, kg_detail::norm_shape(tiling), kg_where.line);
}

// LayerNorm of alpha * src + gx.
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
                     const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const LocalTensor<uint8_t>& sharedTmpBuffer, const T alpha,
                     const T epsilon, DeepNormTiling& tiling, KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("DeepNorm", 3, dstLocal, &meanLocal, &rstdLocal, srcLocal, &gxLocal, &gammaLocal,
                                 &betaLocal, &sharedTmpBuffer, float(epsilon), float(alpha),
                                 kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename T, bool isReuseSrc = false, bool isBasicBlock = false>
inline void DeepNorm(const LocalTensor<T>& dstLocal, const LocalTensor<T>& meanLocal, const LocalTensor<T>& rstdLocal,
                     const LocalTensor<T>& srcLocal, const LocalTensor<T>& gxLocal, const LocalTensor<T>& betaLocal,
                     const LocalTensor<T>& gammaLocal, const T alpha, const T epsilon, DeepNormTiling& tiling,
                     KG_WHERE) {
  kg_detail::layer_norm<T, T, T>("DeepNorm", 3, dstLocal, &meanLocal, &rstdLocal, srcLocal, &gxLocal, &gammaLocal,
                                 &betaLocal, nullptr, float(epsilon), float(alpha), kg_detail::norm_shape(tiling),
                                 kg_where.line);
}

namespace kg_detail {
template <typename T, typename U>
inline void normalize(const LocalTensor<T>& output, const LocalTensor<float>& rstd, const LocalTensor<float>& mean,
                      const LocalTensor<float>& variance, const LocalTensor<T>& src, const LocalTensor<U>* gamma,
                      const LocalTensor<U>* beta, const LocalTensor<uint8_t>* scratch, float epsilon,
                      const NormalizePara& para, int line) {
  check_norm_type<T>();
  auto call = special<T>("Normalize", ::kgnpu::Special::kNormalize, line);
  call.tensor[0] = &output.kg_view;
  call.tensor[1] = &rstd.kg_view;
  call.tensor[2] = &mean.kg_view;
  call.tensor[3] = &variance.kg_view;
  call.tensor[4] = &src.kg_view;
  call.tensor[5] = gamma == nullptr ? nullptr : &gamma->kg_view;
  call.tensor[6] = beta == nullptr ? nullptr : &beta->kg_view;
  call.tensor[7] = scratch == nullptr ? nullptr : &scratch->kg_view;
  call.number[0] = para.aLength;
  call.number[1] = para.rLengthWithPadding;
  call.number[2] = para.rLength;
  call.number[3] = ::kgnpu::bits_of_float(epsilon);
  call.number[4] = static_cast<int64_t>(::kgnpu::TypeOf<U>::value);
  kgnpu_special(&call);
}
template <typename T>
inline void group_norm(const LocalTensor<T>& output, const LocalTensor<T>& mean, const LocalTensor<T>& variance,
                       const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                       const LocalTensor<uint8_t>* scratch, float epsilon, const GroupNormTiling& tiling, int line) {
  check_norm_type<T>();
  auto call = special<T>("GroupNorm", ::kgnpu::Special::kGroupNorm, line);
  const ::kgnpu::Local* tensors[] = {&output.kg_view,
                                     &mean.kg_view,
                                     &variance.kg_view,
                                     &src.kg_view,
                                     &gamma.kg_view,
                                     &beta.kg_view,
                                     scratch == nullptr ? nullptr : &scratch->kg_view};
  for (int k = 0; k < 7; ++k) call.tensor[k] = tensors[k];
  call.number[0] = tiling.n;
  call.number[1] = tiling.c;
  call.number[2] = tiling.hw;
  call.number[3] = tiling.hwAlignSize == 0 ? tiling.hw : tiling.hwAlignSize;
  call.number[4] = tiling.g;
  call.number[5] = ::kgnpu::bits_of_float(epsilon);
  kgnpu_special(&call);
}
}  // namespace kg_detail

template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                      const LocalTensor<uint8_t>& sharedTmpBuffer, const float epsilon, const NormalizePara& para,
                      KG_WHERE) {
  kg_detail::normalize(output, outputRstd, inputMean, inputVariance, inputX, config.isNoGamma ? nullptr : &gamma,
                       config.isNoBeta ? nullptr : &beta, &sharedTmpBuffer, epsilon, para, kg_where.line);
}
template <typename U, typename T, bool isReuseSource = false, const NormalizeConfig& config = NLCFG_NORM>
inline void Normalize(const LocalTensor<T>& output, const LocalTensor<float>& outputRstd,
                      const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                      const LocalTensor<T>& inputX, const LocalTensor<U>& gamma, const LocalTensor<U>& beta,
                      const float epsilon, const NormalizePara& para, KG_WHERE) {
  kg_detail::normalize(output, outputRstd, inputMean, inputVariance, inputX, config.isNoGamma ? nullptr : &gamma,
                       config.isNoBeta ? nullptr : &beta, nullptr, epsilon, para, kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      GroupNormTiling& tiling, KG_WHERE) {
  kg_detail::group_norm(output, outputMean, outputVariance, inputX, gamma, beta, &sharedTmpBuffer, float(epsilon),
                        tiling, kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void GroupNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamma,
                      const LocalTensor<T>& beta, const T epsilon, GroupNormTiling& tiling, KG_WHERE) {
  kg_detail::group_norm(output, outputMean, outputVariance, inputX, gamma, beta, nullptr, float(epsilon), tiling,
                        kg_where.line);
}

}  // namespace AscendC
