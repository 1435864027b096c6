#include "kernel_operator.h"
using namespace AscendC;

// y = x (1 + erf(x / sqrt 2)) / 2 with the library's Erf in float.
constexpr uint32_t kTile = 1024;

template <typename T>
class KernelGelu {
 public:
  __aicore__ inline KernelGelu() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t size) {
    size_ = size;
    x_.SetGlobalBuffer((__gm__ T*)x);
    y_.SetGlobalBuffer((__gm__ T*)y);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(x32_, kTile * sizeof(float));
    pipe_.InitBuffer(erf_, kTile * sizeof(float));
    pipe_.InitBuffer(scaled_, kTile * sizeof(float));
    pipe_.InitBuffer(shared_, 3 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < size_; at += GetBlockNum() * kTile) {
      const uint32_t n = size_ - at < kTile ? size_ - at : kTile;
      LocalTensor<T> x = in_.template AllocTensor<T>();
      DataCopyPad(x, x_[at], {1, uint32_t(n * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
      in_.EnQue(x);
      x = in_.template DeQue<T>();
      LocalTensor<float> wide = x32_.template Get<float>();
      if constexpr (std::is_same_v<T, float>)
        Muls(wide, x, 1.0f, n);
      else
        Cast(wide, x, RoundMode::CAST_NONE, n);
      in_.FreeTensor(x);
      LocalTensor<float> erf = erf_.template Get<float>(), scaled = scaled_.template Get<float>();
      Muls(scaled, wide, 0.70710678118654752f, n);
      Erf(erf, scaled, shared_.template Get<uint8_t>(), n);
      Adds(erf, erf, 1.0f, n);
      Mul(erf, erf, wide, n);
      LocalTensor<T> y = out_.template AllocTensor<T>();
      if constexpr (std::is_same_v<T, float>) {
        Muls(y, erf, 0.5f, n);
      } else {
        Muls(erf, erf, 0.5f, n);
        Cast(y, erf, RoundMode::CAST_RINT, n);
      }
      out_.EnQue(y);
      y = out_.template DeQue<T>();
      DataCopyPad(y_[at], y, {1, uint32_t(n * sizeof(T)), 0, 0, 0});
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<> x32_, erf_, scaled_, shared_;
  GlobalTensor<T> x_, y_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void gelu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelGelu<DTYPE_X> op;
  op.Init(x, y, data.size);
  op.Process();
}
