#include "kernel_operator.h"
using namespace AscendC;

// y = x * value; value is one float of memory. bf16 in float; a complex64 number is two floats.
constexpr uint32_t kTile = 4096;

template <typename T>
class KernelMuls {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR value, GM_ADDR y, uint32_t size) {
    size_ = size;
    value_ = *(__gm__ float*)value;
    x_.SetGlobalBuffer((__gm__ T*)x, size_);
    y_.SetGlobalBuffer((__gm__ T*)y, size_);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(wide_, kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    const uint32_t tiles = (size_ + kTile - 1) / kTile;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t n = size_ - tile * kTile < kTile ? size_ - tile * kTile : kTile;
      copy_.blockLen = n * sizeof(T);
      LocalTensor<T> x = in_.template AllocTensor<T>();
      DataCopyPad(x, x_[tile * kTile], copy_, pad_);
      in_.template EnQue<T>(x);
      x = in_.template DeQue<T>();
      LocalTensor<T> y = out_.template AllocTensor<T>();
      if constexpr (std::is_same<T, bfloat16_t>::value) {
        LocalTensor<float> wide = wide_.template Get<float>();
        Cast(wide, x, RoundMode::CAST_NONE, n);
        Muls(wide, wide, value_, n);
        Cast(y, wide, RoundMode::CAST_RINT, n);
      } else {
        Muls(y, x, static_cast<T>(value_), n);
      }
      out_.template EnQue<T>(y);
      in_.FreeTensor(x);
      y = out_.template DeQue<T>();
      DataCopyPad(y_[tile * kTile], y, copy_);
      out_.FreeTensor(y);
    }
  }

 private:
  DataCopyExtParams copy_{1, 0, 0, 0, 0};
  DataCopyPadExtParams<T> pad_{false, 0, 0, T()};
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<> wide_;
  GlobalTensor<T> x_, y_;
  float value_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void muls(GM_ADDR x, GM_ADDR value, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
#if ORIG_DTYPE_X == DT_COMPLEX64
  KernelMuls<float> op;
  op.Init(x, value, y, 2 * data.size);
#else
  KernelMuls<DTYPE_X> op;
  op.Init(x, value, y, data.size);
#endif
  op.Process();
}
