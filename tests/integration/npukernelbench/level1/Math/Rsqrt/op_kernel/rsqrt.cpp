#include "kernel_operator.h"
using namespace AscendC;

// y = 1 / sqrt(x): Sqrt and Div, because the Rsqrt instruction alone is too coarse. In float whatever the type.
constexpr uint32_t kTile = 4096;

template <typename T>
class KernelRsqrt {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t size) {
    size_ = size;
    xGm_.SetGlobalBuffer((__gm__ T*)x, size_);
    yGm_.SetGlobalBuffer((__gm__ T*)y, size_);
    pipe_.InitBuffer(inQueue_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(outQueue_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(floats_, kTile * sizeof(float));
    pipe_.InitBuffer(ones_, 32);
    Duplicate(ones_.Get<float>(), 1.0f, 8);
  }
  __aicore__ inline void Process() {
    for (uint32_t tile = GetBlockIdx(); tile < size_ / kTile; tile += GetBlockNum()) {
      LocalTensor<T> in = inQueue_.template AllocTensor<T>();
      DataCopy(in, xGm_[tile * kTile], kTile);
      inQueue_.EnQue(in);
      in = inQueue_.template DeQue<T>();
      LocalTensor<T> out = outQueue_.template AllocTensor<T>();
      LocalTensor<float> v = floats_.Get<float>(), one = ones_.Get<float>();
      if constexpr (std::is_same<T, float>::value)
        Sqrt(v, in, kTile);
      else {
        Cast(v, in, RoundMode::CAST_NONE, kTile);
        Sqrt(v, v, kTile);
      }
      inQueue_.FreeTensor(in);
      // one block of ones serves every lane: both of its strides are 0
      Div(v, one, v, 64, kTile / 64, BinaryRepeatParams(1, 0, 1, 8, 0, 8));
      if constexpr (std::is_same<T, float>::value)
        DataCopy(out, v, kTile);
      else
        Cast(out, v, RoundMode::CAST_RINT, kTile);
      outQueue_.EnQue(out);
      out = outQueue_.template DeQue<T>();
      DataCopy(yGm_[tile * kTile], out, kTile);
      outQueue_.FreeTensor(out);
    }
  }

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, 2> inQueue_;
  TQue<TPosition::VECOUT, 2> outQueue_;
  TBuf<TPosition::VECCALC> floats_, ones_;
  GlobalTensor<T> xGm_, yGm_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void rsqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelRsqrt<DTYPE_X> op;
  op.Init(x, y, data.size);
  op.Process();
}
