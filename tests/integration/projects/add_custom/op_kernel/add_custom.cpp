#include "kernel_operator.h"

using namespace AscendC;

template <typename T>
class KernelAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR z, uint32_t total, uint32_t tile) {
    total_ = total;
    tile_ = tile;
    x_.SetGlobalBuffer((__gm__ T*)x, total);
    y_.SetGlobalBuffer((__gm__ T*)y, total);
    z_.SetGlobalBuffer((__gm__ T*)z, total);
    pipe_.InitBuffer(in_x_, 2, tile * sizeof(T));
    pipe_.InitBuffer(in_y_, 2, tile * sizeof(T));
    pipe_.InitBuffer(out_z_, 2, tile * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * tile_; at < total_; at += GetBlockNum() * tile_) {
      const uint32_t count = total_ - at < tile_ ? total_ - at : tile_;
      DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> pad{false, 0, 0, 0};
      LocalTensor<T> x = in_x_.AllocTensor<T>();
      LocalTensor<T> y = in_y_.AllocTensor<T>();
      DataCopyPad(x, x_[at], copy, pad);
      DataCopyPad(y, y_[at], copy, pad);
      in_x_.EnQue(x);
      in_y_.EnQue(y);
      x = in_x_.DeQue<T>();
      y = in_y_.DeQue<T>();
      LocalTensor<T> z = out_z_.AllocTensor<T>();
      Add(z, x, y, count);
      out_z_.EnQue(z);
      in_x_.FreeTensor(x);
      in_y_.FreeTensor(y);
      z = out_z_.DeQue<T>();
      DataCopyPad(z_[at], z, copy);
      out_z_.FreeTensor(z);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_x_, in_y_;
  TQue<QuePosition::VECOUT, 2> out_z_;
  GlobalTensor<T> x_, y_, z_;
  uint32_t total_, tile_;
};

extern "C" __global__ __aicore__ void add_custom(GM_ADDR x, GM_ADDR y, GM_ADDR z, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelAdd<DTYPE_X> op;
  op.Init(x, y, z, data.totalLength, data.tileLength);
  op.Process();
}
