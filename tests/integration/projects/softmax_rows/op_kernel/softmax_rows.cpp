#include "kernel_operator.h"

using namespace AscendC;

extern "C" __global__ __aicore__ void softmax_rows(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  const uint32_t n = data.rows * data.columns;
  GlobalTensor<float> from, to;
  from.SetGlobalBuffer((__gm__ float*)x, n);
  to.SetGlobalBuffer((__gm__ float*)y, n);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<QuePosition::VECCALC> tmp;
  pipe.InitBuffer(in, 1, n * sizeof(float));
  pipe.InitBuffer(out, 1, n * sizeof(float));
  pipe.InitBuffer(tmp, data.tmpBytes);
  LocalTensor<float> a = in.AllocTensor<float>();
  DataCopy(a, from, n);
  in.EnQue(a);
  a = in.DeQue<float>();
  LocalTensor<float> b = out.AllocTensor<float>();
  LocalTensor<uint8_t> space = tmp.Get<uint8_t>();
  const SoftMaxShapeInfo shape = {data.rows, data.columns, data.rows, data.columns};
  SoftMax<float>(b, a, space, data.softmax, shape);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<float>();
  DataCopy(to, b, n);
  out.FreeTensor(b);
}
