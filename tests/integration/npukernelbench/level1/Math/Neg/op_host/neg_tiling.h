#ifndef NEG_TILING_H
#define NEG_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(NegTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(Neg, NegTilingData)
}  // namespace optiling

#endif  // NEG_TILING_H
