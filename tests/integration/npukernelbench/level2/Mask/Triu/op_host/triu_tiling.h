#ifndef TRIU_TILING_H
#define TRIU_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(TriuTilingData)
TILING_DATA_FIELD_DEF(int32_t, rows);
TILING_DATA_FIELD_DEF(int32_t, columns);
TILING_DATA_FIELD_DEF(int32_t, diagonal);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Triu, TriuTilingData)
}  // namespace optiling

#endif  // TRIU_TILING_H
