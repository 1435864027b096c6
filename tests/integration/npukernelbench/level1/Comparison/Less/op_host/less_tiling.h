#ifndef LESS_TILING_H
#define LESS_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LessTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Less, LessTilingData)
}  // namespace optiling

#endif  // LESS_TILING_H
