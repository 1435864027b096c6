#include "kernel_operator.h"
using namespace AscendC;
constexpr uint32_t kTile = 8192;
// z = x + y in float, 48 cores, tiles dealt round, double buffered.
extern "C" __global__ __aicore__ void stream_add(GM_ADDR xg, GM_ADDR yg, GM_ADDR zg) {
  TPipe pipe;
  TQue<QuePosition::VECIN, 2> inX, inY;
  TQue<QuePosition::VECOUT, 2> outZ;
  GlobalTensor<float> x, y, z;
  x.SetGlobalBuffer((__gm__ float*)xg);
  y.SetGlobalBuffer((__gm__ float*)yg);
  z.SetGlobalBuffer((__gm__ float*)zg);
  pipe.InitBuffer(inX, 2, kTile * sizeof(float) / 2);
  pipe.InitBuffer(inY, 2, kTile * sizeof(float) / 2);
  pipe.InitBuffer(outZ, 2, kTile * sizeof(float) / 2);
  constexpr uint32_t part = kTile / 2, tiles = TOTAL / part;
  for (uint32_t t = GetBlockIdx(); t < tiles; t += GetBlockNum()) {
    LocalTensor<float> a = inX.AllocTensor<float>(), b = inY.AllocTensor<float>();
    DataCopy(a, x[t * part], part);
    DataCopy(b, y[t * part], part);
    inX.EnQue(a);
    inY.EnQue(b);
    a = inX.DeQue<float>();
    b = inY.DeQue<float>();
    LocalTensor<float> c = outZ.AllocTensor<float>();
    Add(c, a, b, part);
    outZ.EnQue(c);
    inX.FreeTensor(a);
    inY.FreeTensor(b);
    c = outZ.DeQue<float>();
    DataCopy(z[t * part], c, part);
    outZ.FreeTensor(c);
  }
}
