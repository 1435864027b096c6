#include "kernel_operator.h"
using namespace AscendC;

// y = min(max(x, low), high), the bounds read from memory.

template <typename T>
class KernelClip {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR low, GM_ADDR high, GM_ADDR y, uint32_t size) {
    size_ = size;
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), size_);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), size_);
    low_ = *reinterpret_cast<__gm__ T*>(low);
    high_ = *reinterpret_cast<__gm__ T*>(high);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
  }
  __aicore__ inline void Process() {
    const uint32_t tiles = (size_ + kTile - 1) / kTile;
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t n = tile == tiles - 1 ? size_ - tile * kTile : kTile;
      const DataCopyExtParams run{1, uint32_t(n * sizeof(T)), 0, 0, 0};
      {
        LocalTensor<T> x = in_.template AllocTensor<T>();
        DataCopyPad(x, xGm_[tile * kTile], run, DataCopyPadExtParams<T>{});
        in_.EnQue(x);
      }
      {
        LocalTensor<T> x = in_.template DeQue<T>(), y = out_.template AllocTensor<T>();
        Maxs(y, x, low_, n);
        Mins(y, y, high_, n);
        out_.EnQue(y);
        in_.FreeTensor(x);
      }
      LocalTensor<T> y = out_.template DeQue<T>();
      DataCopyPad(yGm_[tile * kTile], y, run);
      out_.FreeTensor(y);
    }
  }

 private:
  static constexpr uint32_t kTile = 32768 / sizeof(T);

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  GlobalTensor<T> xGm_, yGm_;
  T low_, high_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void clip_by_value(GM_ADDR x, GM_ADDR clip_value_min, GM_ADDR clip_value_max,
                                                    GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelClip<DTYPE_X> op;
  op.Init(x, clip_value_min, clip_value_max, y, data.size);
  op.Process();
}
