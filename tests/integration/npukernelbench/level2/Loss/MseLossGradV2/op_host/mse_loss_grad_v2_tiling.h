#ifndef MSE_LOSS_GRAD_V2_TILING_H
#define MSE_LOSS_GRAD_V2_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(MseLossGradV2TilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
TILING_DATA_FIELD_DEF(float, factor);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(MseLossGradV2, MseLossGradV2TilingData)
}  // namespace optiling

#endif  // MSE_LOSS_GRAD_V2_TILING_H
