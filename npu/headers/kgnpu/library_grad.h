#pragma once

#include "kgnpu/library_norm.h"

// The backward pass of LayerNorm over the last axis of a (B, S, H) tensor.

namespace AscendC {

struct LayerNormGradShapeInfo {
  DataFormat dataFormat = DataFormat::ND;
};

namespace kg_detail {

template <typename T>
inline void layer_norm_grad(const LocalTensor<T>& pd_x, const LocalTensor<T>& for_gamma, const LocalTensor<T>& dy,
                            const LocalTensor<T>& x, const LocalTensor<T>& variance, const LocalTensor<T>& mean,
                            const LocalTensor<T>& gamma, const LocalTensor<uint8_t>* scratch, float epsilon,
                            const NormShape& shape, int line) {
  check_norm_type<T>();
  auto call = special<T>("LayerNormGrad", ::kgnpu::Special::kLayerNormGrad, line);
  const LocalTensor<T>* tensors[] = {&pd_x, &for_gamma, &dy, &x, &variance, &mean, &gamma};
  for (int k = 0; k < 7; ++k) call.tensor[k] = &tensors[k]->kg_view;
  call.tensor[7] = view_of(scratch);
  call.number[0] = shape.rows;
  call.number[1] = shape.step;
  call.number[2] = shape.valid;
  call.number[3] = ::kgnpu::bits_of_float(epsilon);
  kgnpu_special(&call);
}
template <typename T>
inline void layer_norm_grad_beta(const LocalTensor<T>& pd_gamma, const LocalTensor<T>& pd_beta,
                                 const LocalTensor<T>& for_gamma, const LocalTensor<T>& dy,
                                 const LocalTensor<uint8_t>* scratch, const NormShape& shape, int line) {
  check_norm_type<T>();
  auto call = special<T>("LayerNormGradBeta", ::kgnpu::Special::kLayerNormGradBeta, line);
  const LocalTensor<T>* tensors[] = {&pd_gamma, &pd_beta, &for_gamma, &dy};
  for (int k = 0; k < 4; ++k) call.tensor[k] = &tensors[k]->kg_view;
  call.tensor[4] = view_of(scratch);
  call.number[0] = shape.rows;
  call.number[1] = shape.step;
  call.number[2] = shape.valid;
  kgnpu_special(&call);
}

}  // namespace kg_detail

template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, LocalTensor<uint8_t>& sharedTmpBuffer, T epsilon,
                          LayerNormGradTiling& tiling, const LayerNormGradShapeInfo& shapeInfo = {}, KG_WHERE) {
  (void)shapeInfo;
  kg_detail::layer_norm_grad(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma,
                             &sharedTmpBuffer, float(epsilon), kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGrad(const LocalTensor<T>& outputPdX, const LocalTensor<T>& resForGamma,
                          const LocalTensor<T>& inputDy, const LocalTensor<T>& inputX,
                          const LocalTensor<T>& inputVariance, const LocalTensor<T>& inputMean,
                          const LocalTensor<T>& inputGamma, T epsilon, LayerNormGradTiling& tiling,
                          const LayerNormGradShapeInfo& shapeInfo = {}, KG_WHERE) {
  (void)shapeInfo;
  kg_detail::layer_norm_grad<T>(outputPdX, resForGamma, inputDy, inputX, inputVariance, inputMean, inputGamma, nullptr,
                                float(epsilon), kg_detail::norm_shape(tiling), kg_where.line);
}

template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                              const LocalTensor<uint8_t>& sharedTmpBuffer, const LayerNormGradBetaTiling& tiling,
                              KG_WHERE) {
  kg_detail::layer_norm_grad_beta(outputPdGamma, outputPdBeta, resForGamma, inputDy, &sharedTmpBuffer,
                                  kg_detail::norm_shape(tiling), kg_where.line);
}
template <typename T, bool isReuseSource = false>
inline void LayerNormGradBeta(const LocalTensor<T>& outputPdGamma, const LocalTensor<T>& outputPdBeta,
                              const LocalTensor<T>& resForGamma, const LocalTensor<T>& inputDy,
                              LayerNormGradBetaTiling& tiling, KG_WHERE) {
  kg_detail::layer_norm_grad_beta<T>(outputPdGamma, outputPdBeta, resForGamma, inputDy, nullptr,
                                     kg_detail::norm_shape(tiling), kg_where.line);
}

}  // namespace AscendC
