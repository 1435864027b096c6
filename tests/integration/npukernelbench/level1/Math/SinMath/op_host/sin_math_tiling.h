#ifndef SIN_MATH_TILING_H
#define SIN_MATH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SinMathTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SinMath, SinMathTilingData)
}  // namespace optiling

#endif  // SIN_MATH_TILING_H
