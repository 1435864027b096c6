#include "kernel_operator.h"
using namespace AscendC;

// y = x sigmoid(scale x) = x / (1 + exp(-scale x)); scale is a constant of the case.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 1024
#define ROW_SCALE 1.11753
#endif

constexpr uint32_t kSize = IN0_SIZE;
constexpr uint32_t kTile = 4096;

template <typename T>
__aicore__ inline void SwishKernel(GM_ADDR x, GM_ADDR y) {
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, kSize);
  yGm.SetGlobalBuffer((__gm__ T*)y, kSize);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<> wide, denominator;
  pipe.InitBuffer(in, 2, kTile * sizeof(T));
  pipe.InitBuffer(out, 2, kTile * sizeof(T));
  pipe.InitBuffer(wide, kTile * sizeof(float));
  pipe.InitBuffer(denominator, kTile * sizeof(float));
  for (uint32_t at = GetBlockIdx() * kTile; at < kSize; at += GetBlockNum() * kTile) {
    const uint32_t n = kSize - at < kTile ? kSize - at : kTile;
    LocalTensor<T> a = in.AllocTensor<T>();
    DataCopy(a, xGm[at], n);
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    LocalTensor<float> d = denominator.Get<float>();
    if constexpr (std::is_same<T, float>::value) {
      Muls(d, a, static_cast<float>(-ROW_SCALE), n);
      Exp(d, d, n);
      Adds(d, d, 1.0f, n);
      Div(b, a, d, n);
    } else {
      LocalTensor<float> w = wide.Get<float>();
      Cast(w, a, RoundMode::CAST_NONE, n);
      Muls(d, w, static_cast<float>(-ROW_SCALE), n);
      Exp(d, d, n);
      Adds(d, d, 1.0f, n);
      Div(w, w, d, n);
      Cast(b, w, RoundMode::CAST_RINT, n);
    }
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<T>();
    DataCopy(yGm[at], b, n);
    out.FreeTensor(b);
  }
}

extern "C" __global__ __aicore__ void swish(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) { SwishKernel<IN0_TYPE>(x, y); }
