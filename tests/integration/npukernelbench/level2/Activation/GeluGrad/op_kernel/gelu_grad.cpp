#include "kernel_operator.h"
using namespace AscendC;

// z = dy * (p r t^2 + t): p = exp(x (c0 x^2 + c1)), r = x (c2 x^2 + c3), t = 1 / (p + 1). The forward result y is not
// needed.
constexpr uint32_t kTile = 1024;

template <typename T>
class KernelGeluGrad {
 public:
  __aicore__ inline void Init(GM_ADDR dy, GM_ADDR x, GM_ADDR z, TPipe& pipe, uint32_t size) {
    size_ = size;
    dyGm_.SetGlobalBuffer((__gm__ T*)dy, size_);
    xGm_.SetGlobalBuffer((__gm__ T*)x, size_);
    zGm_.SetGlobalBuffer((__gm__ T*)z, size_);
    pipe.InitBuffer(in_, 2, 2 * kTile * sizeof(T));
    pipe.InitBuffer(out_, 2, kTile * sizeof(T));
    pipe.InitBuffer(work_, 5 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    const uint32_t tiles = (size_ + kTile - 1) / kTile;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t at = tile * kTile, n = size_ - at < kTile ? size_ - at : kTile;
      LocalTensor<T> in = in_.template AllocTensor<T>();
      DataCopy(in, dyGm_[at], n);
      DataCopy(in[kTile], xGm_[at], n);
      in_.EnQue(in);
      in = in_.template DeQue<T>();
      LocalTensor<float> f = work_.Get<float>();
      LocalTensor<float> dy = f, x = f[kTile], s = f[2 * kTile], p = f[3 * kTile], r = f[4 * kTile];
      if constexpr (std::is_same<T, float>::value) {
        DataCopy(dy, in, n);
        DataCopy(x, in[kTile], n);
      } else {
        Cast(dy, in, RoundMode::CAST_NONE, n);
        Cast(x, in[kTile], RoundMode::CAST_NONE, n);
      }
      in_.FreeTensor(in);
      Mul(s, x, x, n);
      Muls(p, s, -0.07135481627260025f, n);
      Adds(p, p, -1.5957691216057308f, n);
      Mul(p, p, x, n);
      Exp(p, p, n);
      Muls(r, s, 0.2140644488178007f, n);
      Adds(r, r, 1.5957691216057308f, n);
      Mul(r, r, x, n);
      Mul(r, r, p, n);  // p r
      Adds(p, p, 1.0f, n);
      Duplicate(s, 1.0f, n);
      Div(s, s, p, n);  // t
      Mul(r, r, s, n);
      Mul(r, r, s, n);
      Add(r, r, s, n);
      Mul(r, r, dy, n);
      LocalTensor<T> z = out_.template AllocTensor<T>();
      if constexpr (std::is_same<T, float>::value)
        DataCopy(z, r, n);
      else
        Cast(z, r, RoundMode::CAST_RINT, n);
      out_.EnQue(z);
      z = out_.template DeQue<T>();
      DataCopy(zGm_[at], z, n);
      out_.FreeTensor(z);
    }
  }

 private:
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> work_;
  GlobalTensor<T> dyGm_, xGm_, zGm_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void gelu_grad(GM_ADDR dy, GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace,
                                                GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  KernelGeluGrad<DTYPE_X> op;
  op.Init(dy, x, z, pipe, data.size);
  op.Process();
}
