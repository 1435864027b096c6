#include "layer_norm_v4_single_read.h"

using namespace AscendC;

#define INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(Tfm, Tweight)                               \
  do {                                                                                    \
    GET_TILING_DATA_WITH_STRUCT(LayerNormV4TilingDataSingleRead, tiling_data_in, tiling); \
    const LayerNormV4TilingDataSingleRead* __restrict tilingData = &tiling_data_in;       \
    TPipe pipe;                                                                           \
    LayerNormV4::LayerNormV4SingleRead<Tfm, Tweight> op(tilingData);                      \
    op.Init(x, gamma, beta, y, mean, rstd, pipe);                                         \
    op.Process();                                                                         \
  } while (0)

extern "C" __global__ __aicore__ void layer_norm_v4(GM_ADDR x, GM_ADDR normalized_shape, GM_ADDR gamma, GM_ADDR beta,
                                                    GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR workspace,
                                                    GM_ADDR tiling) {
  if (TILING_KEY_IS(100)) {
    INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(float, float);
    return;
  } else if (TILING_KEY_IS(110)) {
    INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(half, float);
    return;
  } else if (TILING_KEY_IS(111)) {
    INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(half, half);
    return;
  } else if (TILING_KEY_IS(120)) {
    INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(bfloat16_t, float);
    return;
  } else if (TILING_KEY_IS(122)) {
    INVOKE_LAYER_NORM_V4_SINGLE_READ_IMPL(bfloat16_t, bfloat16_t);
    return;
  }
}
