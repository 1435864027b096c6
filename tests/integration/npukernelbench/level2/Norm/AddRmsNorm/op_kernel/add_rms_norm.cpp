#include "add_rms_norm.h"

#define GENERAL_OP_IMPL(templateClass, ...)          \
  do {                                               \
    templateClass<__VA_ARGS__> op(&pipe);            \
    op.Init(x1, x2, gamma, y, rstd, x, &tilingData); \
    op.Process();                                    \
  } while (0)

extern "C" __global__ __aicore__ void add_rms_norm(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd,
                                                   GM_ADDR x, GM_ADDR workspace, GM_ADDR tiling) {
  TPipe pipe;
  GET_TILING_DATA(tilingData, tiling);
  if (TILING_KEY_IS(10)) {
    GENERAL_OP_IMPL(KernelAddRmsNorm, half);
  } else if (TILING_KEY_IS(20)) {
    GENERAL_OP_IMPL(KernelAddRmsNorm, float);
  } else if (TILING_KEY_IS(30)) {
    GENERAL_OP_IMPL(KernelAddRmsNorm, bfloat16_t);
  }
}
