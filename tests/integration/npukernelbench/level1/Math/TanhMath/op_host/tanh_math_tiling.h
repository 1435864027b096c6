#ifndef TANH_MATH_TILING_H
#define TANH_MATH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TanhMathTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(TanhMath, TanhMathTilingData)
}  // namespace optiling

#endif  // TANH_MATH_TILING_H
