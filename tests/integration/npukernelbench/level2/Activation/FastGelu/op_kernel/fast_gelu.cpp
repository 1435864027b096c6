#include "kernel_operator.h"
using namespace AscendC;

// y = x exp(0.851 (x - |x|)) / (1 + exp(-1.702 |x|)), float inside.
constexpr uint32_t kTile = 2048;

template <typename T>
class KernelFastGelu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t size) {
    size_ = size;
    x_.SetGlobalBuffer((__gm__ T*)x, size_);
    y_.SetGlobalBuffer((__gm__ T*)y, size_);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(a_, kTile * sizeof(float));
    pipe_.InitBuffer(b_, kTile * sizeof(float));
    pipe_.InitBuffer(c_, kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < size_; at += GetBlockNum() * kTile) {
      const uint32_t n = size_ - at < kTile ? size_ - at : kTile;
      LocalTensor<T> x = in_.template AllocTensor<T>();
      DataCopy(x, x_[at], n);
      in_.EnQue(x);
      Compute(n);
      LocalTensor<T> y = out_.template DeQue<T>();
      DataCopy(y_[at], y, n);
      out_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> in = in_.template DeQue<T>();
    LocalTensor<T> out = out_.template AllocTensor<T>();
    LocalTensor<float> x = c_.template Get<float>(), a = a_.template Get<float>(), b = b_.template Get<float>();
    if constexpr (std::is_same<T, float>::value) {
      x = in;
    } else {
      Cast(x, in, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
    }
    Abs(a, x, n);
    PipeBarrier<PIPE_V>();
    Sub(b, x, a, n);
    Muls(a, a, -1.702f, n);
    PipeBarrier<PIPE_V>();
    Muls(b, b, 0.851f, n);
    Exp(a, a, n);
    PipeBarrier<PIPE_V>();
    Exp(b, b, n);
    Adds(a, a, 1.0f, n);
    PipeBarrier<PIPE_V>();
    Mul(b, b, x, n);
    PipeBarrier<PIPE_V>();
    if constexpr (std::is_same<T, float>::value) {
      Div(out, b, a, n);
    } else {
      Div(b, b, a, n);
      PipeBarrier<PIPE_V>();
      Cast(out, b, RoundMode::CAST_RINT, n);
    }
    out_.EnQue(out);
    in_.FreeTensor(in);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> a_, b_, c_;
  GlobalTensor<T> x_, y_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void fast_gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelFastGelu<DTYPE_X> op;
  op.Init(x, y, data.size);
  op.Process();
}
