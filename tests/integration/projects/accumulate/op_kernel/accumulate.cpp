#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void accumulate(GM_ADDR var, GM_ADDR x, GM_ADDR count, GM_ADDR var_out,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  ASSERT(var == var_out);
  const uint32_t n = data.length;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x);
  to.SetGlobalBuffer((__gm__ float*)var_out);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, n * sizeof(float));
  pipe.InitBuffer(out, 1, n * sizeof(float));
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, from, n);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>();
  Adds(b, a, 0.0f, n);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  SetAtomicAdd<float>();
  DataCopy(to, b, n);
  SetAtomicNone();
  out.FreeTensor(b);
}
