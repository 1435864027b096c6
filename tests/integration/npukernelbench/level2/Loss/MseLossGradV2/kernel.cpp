#include "kernel_operator.h"
using namespace AscendC;

// y = (predict - label) * 2 [/ n] * dout in float, rounded once.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 6144
#define ROW_REDUCTION "mean"
#endif

constexpr uint32_t kSize = IN0_SIZE;
constexpr uint32_t kTile = 2048;
constexpr float kFactor = ROW_REDUCTION[0] == 'm' ? 2.0 / kSize : 2.0;

template <typename T>
class KernelMseGrad {
 public:
  __aicore__ inline void Init(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y) {
    in_[0].SetGlobalBuffer((__gm__ T*)predict, kSize);
    in_[1].SetGlobalBuffer((__gm__ T*)label, kSize);
    in_[2].SetGlobalBuffer((__gm__ T*)dout, kSize);
    y_.SetGlobalBuffer((__gm__ T*)y, kSize);
    for (auto& queue : queues_) pipe_.InitBuffer(queue, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    if constexpr (sizeof(T) == 2) pipe_.InitBuffer(wide_, 3 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < kSize; at += GetBlockNum() * kTile) {
      const uint32_t n = kSize - at < kTile ? kSize - at : kTile;
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
        Muls(f, f, kFactor, n);
        Mul(f, f, f[2 * kTile], n);
        Cast(y, f, RoundMode::CAST_RINT, n);
      } else {
        Sub(t[0], t[0], t[1], n);
        Muls(t[0], t[0], kFactor, n);
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
};

extern "C" __global__ __aicore__ void mse_loss_grad_v2(GM_ADDR predict, GM_ADDR label, GM_ADDR dout, GM_ADDR y,
                                                       GM_ADDR workspace) {
  KernelMseGrad<IN0_TYPE> op;
  op.Init(predict, label, dout, y);
  op.Process();
}
