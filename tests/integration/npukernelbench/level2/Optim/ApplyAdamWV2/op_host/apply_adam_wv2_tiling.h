#ifndef APPLY_ADAM_W_V2_TILING_H
#define APPLY_ADAM_W_V2_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(ApplyAdamWV2TilingData)
TILING_DATA_FIELD_DEF(int64_t, totalCoreNum);
TILING_DATA_FIELD_DEF(int64_t, handleExtraLoopCoreNum);
TILING_DATA_FIELD_DEF(int64_t, usedCoreNum);
TILING_DATA_FIELD_DEF(int64_t, numPerLoop);
TILING_DATA_FIELD_DEF(int64_t, loopNumPerCore);
TILING_DATA_FIELD_DEF(int64_t, numLastLoop);
TILING_DATA_FIELD_DEF(int64_t, isBfloat16);
TILING_DATA_FIELD_DEF(int64_t, lrMantissa);  // lr = lrMantissa * 2^lrExponent
TILING_DATA_FIELD_DEF(int64_t, lrExponent);
TILING_DATA_FIELD_DEF(uint64_t, beta1Fixed);  // in units of 2^-62
TILING_DATA_FIELD_DEF(uint64_t, beta2Fixed);
TILING_DATA_FIELD_DEF(float, decay);      // 1 - lr weight_decay
TILING_DATA_FIELD_DEF(float, beta1Rest);  // 1 - beta1
TILING_DATA_FIELD_DEF(float, beta2);
TILING_DATA_FIELD_DEF(float, beta2Rest);
TILING_DATA_FIELD_DEF(float, eps);
TILING_DATA_FIELD_DEF(int64_t, amsgrad);
TILING_DATA_FIELD_DEF(int64_t, maximize);
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(ApplyAdamWV2, ApplyAdamWV2TilingData)
}  // namespace optiling
#endif
