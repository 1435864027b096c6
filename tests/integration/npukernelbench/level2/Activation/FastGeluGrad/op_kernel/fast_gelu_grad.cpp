#include "kernel_operator.h"
using namespace AscendC;

// z = dy * (e + 1.702 x e + exp(1.702 (x - |x|))) / (e + 1)^2 with e = exp(-1.702 |x|), float inside.
constexpr uint32_t kTile = 1024;

template <typename T>
class KernelFastGeluGrad {
 public:
  __aicore__ inline KernelFastGeluGrad(GM_ADDR dy, GM_ADDR x, GM_ADDR z, uint32_t size) {
    size_ = size;
    dy_.SetGlobalBuffer((__gm__ T*)dy, size_);
    x_.SetGlobalBuffer((__gm__ T*)x, size_);
    z_.SetGlobalBuffer((__gm__ T*)z, size_);
    pipe_.InitBuffer(inDy_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(inX_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(calc_, 5 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < size_; at += GetBlockNum() * kTile) {
      const uint32_t n = size_ - at < kTile ? size_ - at : kTile;
      const DataCopyExtParams run{1, uint32_t(n * sizeof(T)), 0, 0, 0};
      const DataCopyPadExtParams<T> pad{false, 0, 0, T(0)};
      LocalTensor<T> dy = inDy_.template AllocTensor<T>(), x = inX_.template AllocTensor<T>();
      DataCopyPad(dy, dy_[at], run, pad);
      DataCopyPad(x, x_[at], run, pad);
      inDy_.EnQue(dy);
      inX_.EnQue(x);
      Compute(n);
      LocalTensor<T> z = out_.template DeQue<T>();
      DataCopyPad(z_[at], z, run);
      out_.FreeTensor(z);
    }
  }

 private:
  __aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from, uint32_t n) {
    if constexpr (sizeof(T) == 4)
      Adds(to, from, 0.0f, n);
    else
      Cast(to, from, RoundMode::CAST_NONE, n);
  }
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<float> x = calc_.Get<float>(), g = x[kTile], e = x[2 * kTile], u = x[3 * kTile], t = x[4 * kTile];
    LocalTensor<T> dyIn = inDy_.template DeQue<T>(), xIn = inX_.template DeQue<T>();
    Widen(g, dyIn, n);
    Widen(x, xIn, n);
    inDy_.FreeTensor(dyIn);
    inX_.FreeTensor(xIn);
    Abs(t, x, n);
    Muls(e, t, -1.702f, n);
    Exp(e, e, n);
    Sub(t, x, t, n);
    Muls(t, t, 1.702f, n);
    Exp(t, t, n);
    Add(u, e, t, n);
    Muls(x, x, 1.702f, n);
    MulAddDst(u, x, e, n);
    Adds(e, e, 1.0f, n);
    Mul(e, e, e, n);
    Div(u, u, e, n);
    LocalTensor<T> z = out_.template AllocTensor<T>();
    if constexpr (sizeof(T) == 4) {
      Mul(z, u, g, n);
    } else {
      Mul(u, u, g, n);
      Cast(z, u, RoundMode::CAST_RINT, n);
    }
    out_.EnQue(z);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> inDy_, inX_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<> calc_;
  GlobalTensor<T> dy_, x_, z_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void fast_gelu_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR z, GM_ADDR workspace,
                                                     GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelFastGeluGrad<DTYPE_X> op(dy, x, z, data.size);
  op.Process();
}
