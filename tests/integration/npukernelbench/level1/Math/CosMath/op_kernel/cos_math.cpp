#include "kernel_operator.h"
using namespace AscendC;

// y = cos(x): the library's Cos in float, with its temporary space given; half and bf16 are widened first.
constexpr uint32_t kTile = 2048;

template <typename T>
__aicore__ inline void CosKernel(GM_ADDR x, GM_ADDR y, uint32_t size) {
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, size);
  yGm.SetGlobalBuffer((__gm__ T*)y, size);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<QuePosition::VECCALC> wide, work;
  pipe.InitBuffer(in, 2, kTile * sizeof(T));
  pipe.InitBuffer(out, 2, kTile * sizeof(T));
  pipe.InitBuffer(wide, 2 * kTile * sizeof(float));
  pipe.InitBuffer(work, 4 * kTile * sizeof(float));
  for (uint32_t at = GetBlockIdx() * kTile; at < size; at += GetBlockNum() * kTile) {
    const uint32_t n = size - at < kTile ? size - at : kTile;
    LocalTensor<T> xs = in.AllocTensor<T>();
    DataCopyPad(xs, xGm[at], {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0},
                DataCopyPadExtParams<T>(false, 0, 0, T()));
    in.EnQue(xs);
    xs = in.DeQue<T>();
    LocalTensor<T> ys = out.AllocTensor<T>();
    if constexpr (std::is_same_v<T, float>) {
      Cos<float, false>(ys, xs, work.Get<uint8_t>(), n);
    } else {
      LocalTensor<float> a = wide.Get<float>(), b = wide.Get<float>()[kTile];
      Cast(a, xs, RoundMode::CAST_NONE, n);
      Cos<float, false>(b, a, work.Get<uint8_t>(), n);
      Cast(ys, b, RoundMode::CAST_RINT, n);
    }
    in.FreeTensor(xs);
    out.EnQue(ys);
    ys = out.DeQue<T>();
    DataCopyPad(yGm[at], ys, {1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0});
    out.FreeTensor(ys);
  }
}

extern "C" __global__ __aicore__ void cos_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  CosKernel<DTYPE_X>(x, y, data.size);
}
