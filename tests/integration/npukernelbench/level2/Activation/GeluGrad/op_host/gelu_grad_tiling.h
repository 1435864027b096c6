#ifndef GELU_GRAD_TILING_H
#define GELU_GRAD_TILING_H

#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(GeluGradTilingData)
TILING_DATA_FIELD_DEF(uint32_t, size);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(GeluGrad, GeluGradTilingData)
}  // namespace optiling

#endif  // GELU_GRAD_TILING_H
