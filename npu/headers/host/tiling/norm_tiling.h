#pragma once

#include "tiling/layer_norm_grad_tiling.h"

// The normalisations keep a few fp32 values per element. Their tiling data holds the shape; each function that splits
// the work on the device is one pass here.

namespace AscendC {

inline void kg_norm_temporary(const char* call, const ge::Shape& shape, uint32_t type_size, uint32_t& most,
                              uint32_t& least) {
  kg_temporary(call, shape, type_size < 4 ? 4 : type_size, most, least);
}

inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                      uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("LayerNorm", kg_padded_shape(srcShape), typeSize, maxValue, minValue);
}
inline void GetLayerNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const bool,
                                      const bool, uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("LayerNorm", kg_padded_shape(srcShape), typeSize, maxValue, minValue);
}
KG_TILING(LayerNormTiling)
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSize, const bool,
                                     Tiling& tiling) {
  kg_layer_norm_tiling(srcShape, typeSize, tiling);
}
KG_TILING(LayerNormTiling)
inline void GetLayerNormNDTillingInfo(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSize, const bool,
                                      Tiling& tiling) {
  kg_layer_norm_tiling(srcShape, typeSize, tiling);
}
KG_TILING(LayerNormSeparateTiling)
inline void GetLayerNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t, const uint32_t, const bool, const bool,
                                     Tiling& tiling) {
  tiling.set_aLength(kg_rows(srcShape));
  tiling.set_rLength(kg_last_axis(srcShape));
}

inline bool GetRmsNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                    uint32_t& minValue, const bool = false) {
  kg_norm_temporary("RmsNorm", srcShape, typeSize, maxValue, minValue);
  return true;
}
KG_TILING(RmsNormTiling)
inline bool GetRmsNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape, const uint32_t,
                                 const uint32_t typeSize, Tiling& tiling, const bool = false) {
  kg_shape_tiling(srcShape, typeSize, tiling);
  tiling.set_originalHLength(kg_last_axis(originSrcShape));
  tiling.set_reciprocalOfHLength(kg_last_axis(originSrcShape) == 0 ? 0 : 1.0f / kg_last_axis(originSrcShape));
  return true;
}

inline bool GetDeepNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const bool,
                                     uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("DeepNorm", srcShape, typeSize, maxValue, minValue);
  return true;
}
KG_TILING(DeepNormTiling)
inline bool GetDeepNormTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape, const uint32_t,
                                  const uint32_t typeSize, const bool, const bool, Tiling& tiling) {
  kg_shape_tiling(srcShape, typeSize, tiling);
  tiling.set_originalHLength(kg_last_axis(originSrcShape));
  return true;
}

// (N, C, H, W) in groups of channels.
inline void GetGroupNormMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const uint32_t,
                                      uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("GroupNorm", srcShape, typeSize, maxValue, minValue);
}
KG_TILING(GroupNormTiling)
inline void GetGroupNormNDTilingInfo(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSize, const bool,
                                     const uint32_t groupNum, Tiling& tiling) {
  const auto axis = [&](size_t k) { return k < srcShape.GetDimNum() ? static_cast<uint32_t>(srcShape.GetDim(k)) : 1; };
  const uint32_t hw = axis(2) * axis(3), unit = typeSize == 0 ? 8 : 32 / typeSize;
  tiling.set_n(axis(0));
  tiling.set_c(axis(1));
  tiling.set_hw(hw);
  tiling.set_g(groupNum);
  tiling.set_d(groupNum == 0 ? 0 : axis(1) / groupNum);
  tiling.set_hwAlignSize((hw + unit - 1) / unit * unit);
}

// (B, S, H) over B.
inline bool GetBatchNormMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape&, const uint32_t typeSize, const bool,
                                      uint32_t& maxValue, uint32_t& minValue, const bool = false) {
  kg_norm_temporary("BatchNorm", srcShape, typeSize, maxValue, minValue);
  return true;
}
KG_TILING(BatchNormTiling)
inline bool GetBatchNormNDTilingInfo(const ge::Shape& srcShape, const ge::Shape& originSrcShape, const uint32_t,
                                     const uint32_t, const bool, Tiling& tiling, const bool = false) {
  if (srcShape.GetDimNum() == 0 || originSrcShape.GetDimNum() == 0 || srcShape.GetDim(0) <= 0) return false;
  const auto batch = static_cast<uint32_t>(originSrcShape.GetDim(0));
  tiling.set_originalBLength(batch);
  tiling.set_meanVarSize(static_cast<uint32_t>(srcShape.GetShapeSize() / srcShape.GetDim(0)));
  tiling.set_firstDimValueBack(batch == 0 ? 0 : 1.0f / batch);
  return true;
}

// Rows in parts: a few values for each element of a part.
inline void GetWelfordUpdateMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSizeU,
                                          const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("WelfordUpdate", srcShape, typeSizeU, maxValue, minValue);
}
inline void GetWelfordFinalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool,
                                            uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("WelfordFinalize", srcShape, typeSize, maxValue, minValue);
}

inline void GetNormalizeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t typeSizeT, const bool,
                                      const bool, const bool, uint32_t& maxValue, uint32_t& minValue) {
  kg_norm_temporary("Normalize", srcShape, typeSizeT, maxValue, minValue);
}

}  // namespace AscendC
