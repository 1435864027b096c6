#ifndef COS_MATH_TILING_H
#define COS_MATH_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(CosMathTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(CosMath, CosMathTilingData)
}  // namespace optiling

#endif  // COS_MATH_TILING_H
