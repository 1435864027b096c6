#ifndef LAYER_NORM_V4_TILING_H
#define LAYER_NORM_V4_TILING_H
#include "register/op_def_registry.h"
#include "register/tilingdata_base.h"
#include "tiling/tiling_api.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LayerNormV4TilingData)
TILING_DATA_FIELD_DEF(uint32_t, colSize);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(LayerNormV4, LayerNormV4TilingData)

// Several rows at once, read one time.
BEGIN_TILING_DATA_DEF(LayerNormV4TilingDataSingleRead)
TILING_DATA_FIELD_DEF(uint32_t, blockDim);
TILING_DATA_FIELD_DEF(uint32_t, colSize);
TILING_DATA_FIELD_DEF(uint32_t, rowSize);
TILING_DATA_FIELD_DEF(float, eps);
TILING_DATA_FIELD_DEF(float, coefficient);
TILING_DATA_FIELD_DEF(uint32_t, rowAlign);
TILING_DATA_FIELD_DEF(uint32_t, nRow);
TILING_DATA_FIELD_DEF(uint32_t, loopCount);
TILING_DATA_FIELD_DEF(uint32_t, formerNum);
TILING_DATA_FIELD_DEF(uint32_t, formerRows);
TILING_DATA_FIELD_DEF(uint32_t, tailRows);
TILING_DATA_FIELD_DEF(uint32_t, nullptrGamma);
TILING_DATA_FIELD_DEF(uint32_t, nullptrBeta);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(LayerNormV4_100, LayerNormV4TilingDataSingleRead)
REGISTER_TILING_DATA_CLASS(LayerNormV4_110, LayerNormV4TilingDataSingleRead)
REGISTER_TILING_DATA_CLASS(LayerNormV4_111, LayerNormV4TilingDataSingleRead)
REGISTER_TILING_DATA_CLASS(LayerNormV4_120, LayerNormV4TilingDataSingleRead)
REGISTER_TILING_DATA_CLASS(LayerNormV4_122, LayerNormV4TilingDataSingleRead)

struct LayerNormV4CompileInfo {
  uint64_t coreNum = 0;
  uint64_t ubSizePlatForm = 0;
  bool isAscend310P = false;
};
}  // namespace optiling
#endif
