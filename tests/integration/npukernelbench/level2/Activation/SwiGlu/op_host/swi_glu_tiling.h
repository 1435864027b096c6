#ifndef SWI_GLU_TILING_H
#define SWI_GLU_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(SwiGluTilingData)
TILING_DATA_FIELD_DEF(uint32_t, outer);
TILING_DATA_FIELD_DEF(uint32_t, run);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(SwiGlu, SwiGluTilingData)
}  // namespace optiling

#endif  // SWI_GLU_TILING_H
