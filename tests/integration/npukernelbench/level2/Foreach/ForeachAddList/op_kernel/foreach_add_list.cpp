#include "foreach_binary_list_alpha.h"

using namespace AscendC;
using namespace Common::OpKernel;

// y = x1 + alpha * x2 of every pair of tensors; x2 is used up.
template <typename P>
__aicore__ void AddListAdapter(const LocalTensor<P>& dstLocal, const LocalTensor<P>& srcLocal1,
                               const LocalTensor<P>& srcLocal2, const P& alpha, const int32_t& uValue) {
  Muls(srcLocal2, srcLocal2, alpha, uValue);
  PipeBarrier<PIPE_V>();
  Add(dstLocal, srcLocal1, srcLocal2, uValue);
}

extern "C" __global__ __aicore__ void foreach_add_list(GM_ADDR inputs_1, GM_ADDR inputs_2, GM_ADDR alpha,
                                                       GM_ADDR outputs, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(tilingData, tiling);
  TPipe pipe;
  // foreach(vector) not need workspace
  GM_ADDR userWS = nullptr;
  if (TILING_KEY_IS(1)) {
    ForeachBinaryListAlpha<half, half, AddListAdapter<half>> op;
    op.Init(inputs_1, inputs_2, alpha, outputs, userWS, &tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(2)) {
    ForeachBinaryListAlpha<float, float, AddListAdapter<float>> op;
    op.Init(inputs_1, inputs_2, alpha, outputs, userWS, &tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(3)) {
    ForeachBinaryListAlpha<int, int, AddListAdapter<int>> op;
    op.Init(inputs_1, inputs_2, alpha, outputs, userWS, &tilingData, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(4)) {
    ForeachBinaryListAlpha<bfloat16_t, float, AddListAdapter<float>> op;
    op.Init(inputs_1, inputs_2, alpha, outputs, userWS, &tilingData, &pipe);
    op.Process();
  }
}
