#pragma once

#include "tiling/softmax_tiling.h"

// The backward pass of LayerNorm keeps six values per element, that of gamma and beta two.

namespace AscendC {

// The shape (B, S, H) of one that may have a fourth extent: the row's length before it was padded to H.
inline ge::Shape kg_padded_shape(const ge::Shape& shape) {
  return shape.GetDimNum() < 4 ? shape : ge::Shape({shape.GetDim(0), shape.GetDim(1), shape.GetDim(2)});
}

inline void GetLayerNormGradMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                          uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  kg_temporary("LayerNormGrad", kg_padded_shape(srcShape), typeSize < 4 ? 4 : typeSize, maxValue, minValue);
}
inline void GetLayerNormGradBetaMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                              const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  kg_temporary("LayerNormGradBeta", kg_padded_shape(srcShape), typeSize < 4 ? 4 : typeSize, maxValue, minValue);
}

// For a shape (B, S, H), whose rows begin at multiples of 32 bytes.
template <typename Tiling>
inline void kg_shape_tiling(const ge::Shape& shape, uint32_t type_size, Tiling& tiling) {
  const uint32_t columns = kg_last_axis(shape), unit = type_size == 0 ? 8 : 32 / type_size;
  const uint32_t batch = shape.GetDimNum() < 3 ? 1 : static_cast<uint32_t>(shape.GetDim(0));
  tiling.set_bLength(batch);
  tiling.set_sLength(batch == 0 ? 0 : kg_rows(shape) / batch);
  tiling.set_hLength((columns + unit - 1) / unit * unit);
  tiling.set_originalHLength(columns);
}
template <typename Tiling>
inline void kg_layer_norm_tiling(const ge::Shape& shape, uint32_t type_size, Tiling& tiling) {
  kg_shape_tiling(kg_padded_shape(shape), type_size, tiling);
  tiling.set_originalHLength(kg_last_axis(shape));
}
KG_TILING(LayerNormGradTiling)
inline void GetLayerNormGradNDTilingInfo(const ge::Shape srcShape, const uint32_t stackBufferSize,
                                         const uint32_t typeSize, const bool isReuseSource, Tiling& tiling) {
  (void)stackBufferSize;
  (void)isReuseSource;
  kg_layer_norm_tiling(srcShape, typeSize, tiling);
}
KG_TILING(LayerNormGradBetaTiling)
inline void GetLayerNormGradBetaNDTilingInfo(const ge::Shape srcShape, const uint32_t stackBufferSize,
                                             const uint32_t typeSize, const bool isReuseSource, Tiling& tiling) {
  (void)stackBufferSize;
  (void)isReuseSource;
  kg_layer_norm_tiling(srcShape, typeSize, tiling);
}

}  // namespace AscendC
