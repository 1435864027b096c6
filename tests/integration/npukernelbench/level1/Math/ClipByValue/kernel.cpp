#include "kernel_operator.h"
using namespace AscendC;

// y = min(max(x, low), high), the bounds read from memory.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 65536
#endif

using T = IN0_TYPE;
constexpr uint32_t kSize = IN0_SIZE;
constexpr uint32_t kTile = 32768 / sizeof(T);
constexpr uint32_t kTiles = (kSize + kTile - 1) / kTile;

class KernelClip {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR low, GM_ADDR high, GM_ADDR y) {
    xGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(x), kSize);
    yGm_.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(y), kSize);
    low_ = *reinterpret_cast<__gm__ T*>(low);
    high_ = *reinterpret_cast<__gm__ T*>(high);
    pipe_.InitBuffer(in_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(out_, 2, kTile * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (uint32_t tile = GetBlockIdx(); tile < kTiles; tile += GetBlockNum()) {
      const uint32_t n = tile == kTiles - 1 ? kSize - tile * kTile : kTile;
      const DataCopyExtParams run{1, uint32_t(n * sizeof(T)), 0, 0, 0};
      {
        LocalTensor<T> x = in_.AllocTensor<T>();
        DataCopyPad(x, xGm_[tile * kTile], run, DataCopyPadExtParams<T>{});
        in_.EnQue(x);
      }
      {
        LocalTensor<T> x = in_.DeQue<T>(), y = out_.AllocTensor<T>();
        Maxs(y, x, low_, n);
        Mins(y, y, high_, n);
        out_.EnQue(y);
        in_.FreeTensor(x);
      }
      LocalTensor<T> y = out_.DeQue<T>();
      DataCopyPad(yGm_[tile * kTile], y, run);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  GlobalTensor<T> xGm_, yGm_;
  T low_, high_;
};

extern "C" __global__ __aicore__ void clip_by_value(GM_ADDR x, GM_ADDR clip_value_min, GM_ADDR clip_value_max,
                                                    GM_ADDR y, GM_ADDR workspace) {
  KernelClip op;
  op.Init(x, clip_value_min, clip_value_max, y);
  op.Process();
}
