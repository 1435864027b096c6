#pragma once

#include "kgnpu/library_norm.h"

// BatchNorm over the first axis of a (B, S, H) tensor, and mean and variance of long rows that come in parts: Welford's
// method, whose first call takes means and variances of 0.

namespace AscendC {

struct WelfordUpdateParam {
  uint32_t rnLength = 0, abLength = 0, abComputeLength = 0;
  float nRec = 0;  // 1 / number of the part, from 1
};
struct WelfordUpdateConfig {
  bool isInplace = false;  // elements behind abComputeLength stay as they are; otherwise the input's are copied
};
constexpr WelfordUpdateConfig WFUPDATE_DEFAULT_CFG = {false};
struct WelfordFinalizePara {
  uint32_t rnLength = 0, abLength = 0, headCount = 0, headCountLength = 0, tailCount = 0, tailCountLength = 0;
  float abRec = 0, rRec = 0;  // 1 / abLength, 1 / number of all elements
};

namespace kg_detail {

template <typename T>
inline void batch_norm(const LocalTensor<T>& output, const LocalTensor<T>& mean, const LocalTensor<T>& variance,
                       const LocalTensor<T>& src, const LocalTensor<T>& gamma, const LocalTensor<T>& beta,
                       const LocalTensor<uint8_t>* scratch, float epsilon, const BatchNormTiling& tiling, int line) {
  check_norm_type<T>();
  auto call = special<T>("BatchNorm", ::kgnpu::Special::kBatchNorm, line);
  const LocalTensor<T>* tensors[] = {&output, &mean, &variance, &src, &gamma, &beta};
  for (int k = 0; k < 6; ++k) call.tensor[k] = &tensors[k]->kg_view;
  call.tensor[6] = view_of(scratch);
  call.number[0] = tiling.originalBLength;
  call.number[1] = tiling.meanVarSize;
  call.number[2] = ::kgnpu::bits_of_float(epsilon);
  kgnpu_special(&call);
}
template <typename T, typename U>
inline void welford_update(const LocalTensor<U>& out_mean, const LocalTensor<U>& out_variance,
                           const LocalTensor<U>& mean, const LocalTensor<U>& variance, const LocalTensor<T>& x,
                           const LocalTensor<uint8_t>* scratch, const WelfordUpdateParam& para, bool in_place,
                           int line) {
  check_norm_type<T>();
  static_assert(std::is_same_v<U, float>, "WelfordUpdate: means and variances are float");
  auto call = special<T>("WelfordUpdate", ::kgnpu::Special::kWelfordUpdate, line);
  const LocalTensor<U>* tensors[] = {&out_mean, &out_variance, &mean, &variance};
  for (int k = 0; k < 4; ++k) call.tensor[k] = &tensors[k]->kg_view;
  call.tensor[4] = &x.kg_view;
  call.tensor[5] = view_of(scratch);
  call.number[0] = para.rnLength;
  call.number[1] = para.abLength;
  call.number[2] = para.abComputeLength;
  call.number[3] = ::kgnpu::bits_of_float(para.nRec);
  call.number[4] = in_place;
  kgnpu_special(&call);
}
inline void welford_finalize(const LocalTensor<float>& out_mean, const LocalTensor<float>& out_variance,
                             const LocalTensor<float>& mean, const LocalTensor<float>& variance,
                             const LocalTensor<int32_t>* counts, const LocalTensor<uint8_t>* scratch,
                             const WelfordFinalizePara& para, int line) {
  auto call = special<float>("WelfordFinalize", ::kgnpu::Special::kWelfordFinalize, line);
  const LocalTensor<float>* tensors[] = {&out_mean, &out_variance, &mean, &variance};
  for (int k = 0; k < 4; ++k) call.tensor[k] = &tensors[k]->kg_view;
  call.tensor[4] = counts == nullptr ? nullptr : &counts->kg_view;
  call.tensor[5] = view_of(scratch);
  const uint32_t numbers[] = {para.rnLength, para.abLength};
  for (int k = 0; k < 2; ++k) call.number[k] = numbers[k];
  call.number[2] = ::kgnpu::bits_of_float(para.abRec);
  call.number[3] = ::kgnpu::bits_of_float(para.rRec);
  const uint32_t counted[] = {para.headCount, para.headCountLength, para.tailCount, para.tailCountLength};
  for (int k = 0; k < 4; ++k) call.number[4 + k] = counted[k];
  kgnpu_special(&call);
}

}  // namespace kg_detail

template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const LocalTensor<uint8_t>& sharedTmpBuffer, const T epsilon,
                      BatchNormTiling& tiling, KG_WHERE) {
  kg_detail::batch_norm(output, outputMean, outputVariance, inputX, gamm, beta, &sharedTmpBuffer, float(epsilon),
                        tiling, kg_where.line);
}
template <typename T, bool isReuseSource = false, bool isBasicBlock = false>
inline void BatchNorm(const LocalTensor<T>& output, const LocalTensor<T>& outputMean,
                      const LocalTensor<T>& outputVariance, const LocalTensor<T>& inputX, const LocalTensor<T>& gamm,
                      const LocalTensor<T>& beta, const T epsilon, BatchNormTiling& tiling, KG_WHERE) {
  kg_detail::batch_norm<T>(output, outputMean, outputVariance, inputX, gamm, beta, nullptr, float(epsilon), tiling,
                           kg_where.line);
}

template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const WelfordUpdateParam& para, KG_WHERE) {
  kg_detail::welford_update(outputMean, outputVariance, inputMean, inputVariance, inputX, &sharedTmpBuffer, para,
                            config.isInplace, kg_where.line);
}
template <typename T, typename U, bool isReuseSource = false, const WelfordUpdateConfig& config = WFUPDATE_DEFAULT_CFG>
inline void WelfordUpdate(const LocalTensor<U>& outputMean, const LocalTensor<U>& outputVariance,
                          const LocalTensor<U>& inputMean, const LocalTensor<U>& inputVariance,
                          const LocalTensor<T>& inputX, const WelfordUpdateParam& para, KG_WHERE) {
  kg_detail::welford_update(outputMean, outputVariance, inputMean, inputVariance, inputX, nullptr, para,
                            config.isInplace, kg_where.line);
}

template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, WelfordFinalizePara& para, KG_WHERE) {
  kg_detail::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, &sharedTmpBuffer, para,
                              kg_where.line);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts, const LocalTensor<uint8_t>& sharedTmpBuffer,
                            WelfordFinalizePara& para, KG_WHERE) {
  kg_detail::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, &counts, &sharedTmpBuffer, para,
                              kg_where.line);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            WelfordFinalizePara& para, KG_WHERE) {
  kg_detail::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, nullptr, nullptr, para,
                              kg_where.line);
}
template <bool isReuseSource = false>
inline void WelfordFinalize(const LocalTensor<float>& outputMean, const LocalTensor<float>& outputVariance,
                            const LocalTensor<float>& inputMean, const LocalTensor<float>& inputVariance,
                            const LocalTensor<int32_t>& counts, WelfordFinalizePara& para, KG_WHERE) {
  kg_detail::welford_finalize(outputMean, outputVariance, inputMean, inputVariance, &counts, nullptr, para,
                              kg_where.line);
}

}  // namespace AscendC
