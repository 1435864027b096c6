#ifndef EQUAL_TILING_H
#define EQUAL_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(EqualTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Equal, EqualTilingData)
}  // namespace optiling

#endif  // EQUAL_TILING_H
