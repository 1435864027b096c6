#include "template_scale.h"

#include "template_scale_key.h"

template <typename D_T_X, int TIMES, bool NEGATE>
__global__ __aicore__ void template_scale(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(tilingData, tiling);
  TemplateScale<D_T_X, TIMES, NEGATE> op;
  op.Process(x, y, tilingData.total);
}
