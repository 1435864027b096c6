#include "kernel_operator.h"
using namespace AscendC;

// y = (predict - label) * 2 [/ n] * dout in float, rounded once.
constexpr uint32_t kTile = 2048;

template <typename T>
class KernelMseGrad {
 public:
  __aicore__ inline void Init(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y, uint32_t size, float factor) {
    size_ = size;
    factor_ = factor;
    in_[0].SetGlobalBuffer((__gm__ T*)predict, size_);
    in_[1].SetGlobalBuffer((__gm__ T*)label, size_);
    in_[2].SetGlobalBuffer((__gm__ T*)dout, size_);
    y_.SetGlobalBuffer((__gm__ T*)y, size_);
    for (auto& queue : queues_) pipe_.InitBuffer(queue, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    if constexpr (sizeof(T) == 2) pipe_.InitBuffer(wide_, 3 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < size_; at += GetBlockNum() * kTile) {
      const uint32_t n = size_ - at < kTile ? size_ - at : kTile;
      LocalTensor<T> t[3];
      for (int i = 0; i < 3; ++i) {
        t[i] = queues_[i].template AllocTensor<T>();
        DataCopy(t[i], in_[i][at], n);
        queues_[i].EnQue(t[i]);
      }
      for (int i = 0; i < 3; ++i) t[i] = queues_[i].template DeQue<T>();
      LocalTensor<T> y = out_.template AllocTensor<T>();
      if constexpr (sizeof(T) == 2) {
        LocalTensor<float> f = wide_.Get<float>();
        for (int i = 0; i < 3; ++i) Cast(f[i * kTile], t[i], RoundMode::CAST_NONE, n);
        Sub(f, f, f[kTile], n);
        Muls(f, f, factor_, n);
        Mul(f, f, f[2 * kTile], n);
        Cast(y, f, RoundMode::CAST_RINT, n);
      } else {
        Sub(t[0], t[0], t[1], n);
        Muls(t[0], t[0], factor_, n);
        Mul(y, t[0], t[2], n);
      }
      for (int i = 0; i < 3; ++i) queues_[i].FreeTensor(t[i]);
      out_.EnQue(y);
      y = out_.template DeQue<T>();
      DataCopy(y_[at], y, n);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> queues_[3];
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<> wide_;
  GlobalTensor<T> in_[3], y_;
  uint32_t size_;
  float factor_;
};

extern "C" __global__ __aicore__ void mse_loss_grad_v2(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y,
                                                       GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelMseGrad<DTYPE_PREDICT> op;
  op.Init(predict, label, dout, y, data.size, data.factor);
  op.Process();
}
