#include "kernel_operator.h"
using namespace AscendC;

constexpr int32_t kTotal = 8 * 2048;
constexpr int32_t kTile = 128;

class AddKernel {
 public:
  __aicore__ inline AddKernel() {}
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
    length_ = kTotal / GetBlockNum();
    x_.SetGlobalBuffer((__gm__ half*)x + length_ * GetBlockIdx(), length_);
    y_.SetGlobalBuffer((__gm__ half*)y + length_ * GetBlockIdx(), length_);
    z_.SetGlobalBuffer((__gm__ half*)z + length_ * GetBlockIdx(), length_);
    pipe_.InitBuffer(in_x_, 2, kTile * sizeof(half));
    pipe_.InitBuffer(in_y_, 2, kTile * sizeof(half));
    pipe_.InitBuffer(out_z_, 2, kTile * sizeof(half));
  }
  __aicore__ inline void Process() {
    for (int32_t i = 0; i < length_ / kTile; ++i) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

 private:
  __aicore__ inline void CopyIn(int32_t i) {
    LocalTensor<half> x = in_x_.AllocTensor<half>();
    LocalTensor<half> y = in_y_.AllocTensor<half>();
    DataCopy(x, x_[i * kTile], kTile);
    DataCopy(y, y_[i * kTile], kTile);
    in_x_.EnQue(x);
    in_y_.EnQue(y);
  }
  __aicore__ inline void Compute() {
    LocalTensor<half> x = in_x_.DeQue<half>();
    LocalTensor<half> y = in_y_.DeQue<half>();
    LocalTensor<half> z = out_z_.AllocTensor<half>();
    Add(z, x, y, kTile);
    out_z_.EnQue<half>(z);
    in_x_.FreeTensor(x);
    in_y_.FreeTensor(y);
  }
  __aicore__ inline void CopyOut(int32_t i) {
    LocalTensor<half> z = out_z_.DeQue<half>();
    DataCopy(z_[i * kTile], z, kTile);
    out_z_.FreeTensor(z);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_x_, in_y_;
  TQue<QuePosition::VECOUT, 2> out_z_;
  GlobalTensor<half> x_, y_, z_;
  int32_t length_ = 0;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z) {
  AddKernel kernel;
  kernel.Init(x, y, z);
  kernel.Process();
}
