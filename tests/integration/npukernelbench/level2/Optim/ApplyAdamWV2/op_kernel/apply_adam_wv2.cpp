#include "apply_adam_wv2_impl.h"

#define RUN(T, U)                                                                      \
  ApplyAdamWV2::ApplyAdamWV2Kernel<T, U> op;                                           \
  op.Init(var_ref, m_ref, v_ref, grad, step, maxGradNorm, userWS, &tilingData, &pipe); \
  op.Process()

extern "C" __global__ __aicore__ void apply_adam_wv2(GM_ADDR var_ref, GM_ADDR m_ref, GM_ADDR v_ref, GM_ADDR grad,
                                                     GM_ADDR step, GM_ADDR maxGradNorm, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  GET_TILING_DATA(tilingData, tiling);
  if (workspace == nullptr) {
    return;
  }
  GM_ADDR userWS = AscendC::GetUserWorkspace(workspace);
  if (userWS == nullptr) {
    return;
  }
  AscendC::TPipe pipe;
#if (defined(DTYPE_VAR))
  if (TILING_KEY_IS(101)) {
    RUN(float, float);
  } else if (TILING_KEY_IS(102)) {
    RUN(float, int64_t);
  } else if (TILING_KEY_IS(103)) {
    RUN(half, float);
  } else if (TILING_KEY_IS(104)) {
    RUN(half, int64_t);
  } else if (TILING_KEY_IS(105)) {
    RUN(bfloat16_t, float);
  } else if (TILING_KEY_IS(106)) {
    RUN(bfloat16_t, int64_t);
  }
#endif
}
