#pragma once
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ScaleShiftShape)
TILING_DATA_FIELD_DEF(uint8_t, hasBias);
TILING_DATA_FIELD_DEF(uint64_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShiftShapeOp, ScaleShiftShape)

BEGIN_TILING_DATA_DEF(ScaleShiftTilingData)
TILING_DATA_FIELD_DEF(float, scale);
TILING_DATA_FIELD_DEF_STRUCT(ScaleShiftShape, shape);
TILING_DATA_FIELD_DEF_ARR(int32_t, 3, shifts);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShift, ScaleShiftTilingData)

// Of the integer kernel, which has a key of its own.
BEGIN_TILING_DATA_DEF(ScaleShiftIntegerTilingData)
TILING_DATA_FIELD_DEF(int32_t, factor);
TILING_DATA_FIELD_DEF(uint32_t, length);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ScaleShift_30, ScaleShiftIntegerTilingData)
}  // namespace optiling
