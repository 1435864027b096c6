#ifndef IS_INF_TILING_H
#define IS_INF_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(IsInfTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(IsInf, IsInfTilingData)
}  // namespace optiling

#endif  // IS_INF_TILING_H
