#include "kernel_operator.h"
using namespace AscendC;

// y = x1 < x2. Compare knows half and float: bf16 and int32, int64 (which stay below 2^24 here) are compared as
// float, int8 and uint8 as half.
constexpr uint32_t kTile = 4096;
constexpr int32_t kBuffers = 2;

template <typename T>
class KernelLess {
 public:
  using C = typename std::conditional<std::is_same<T, half>::value || sizeof(T) == 1, half, float>::type;
  static constexpr RoundMode kWiden = sizeof(T) == 8 ? RoundMode::CAST_RINT : RoundMode::CAST_NONE;

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, uint32_t size) {
    size_ = size;
    const uint32_t share = ((size_ + GetBlockNum() - 1) / GetBlockNum() + 127) / 128 * 128;
    begin_ = share * GetBlockIdx();
    end_ = begin_ + share < size_ ? begin_ + share : size_;
    x1Gm_.SetGlobalBuffer((__gm__ T*)x1, size_);
    x2Gm_.SetGlobalBuffer((__gm__ T*)x2, size_);
    yGm_.SetGlobalBuffer((__gm__ int8_t*)y, size_);
    pipe_.InitBuffer(in1_, kBuffers, kTile * sizeof(T));
    pipe_.InitBuffer(in2_, kBuffers, kTile * sizeof(T));
    pipe_.InitBuffer(out_, kBuffers, kTile);
    pipe_.InitBuffer(mask_, kTile / 8);
    pipe_.InitBuffer(one_, kTile * sizeof(half));
    pipe_.InitBuffer(chosen_, kTile * sizeof(half));
    if constexpr (!std::is_same<T, C>::value) {
      pipe_.InitBuffer(wide1_, kTile * sizeof(C));
      pipe_.InitBuffer(wide2_, kTile * sizeof(C));
    }
  }
  __aicore__ inline void Process() {
    Duplicate(one_.Get<half>(), (half)1, kTile);
    for (uint32_t at = begin_; at < end_; at += kTile) {
      const uint32_t n = end_ - at < kTile ? end_ - at : kTile;
      CopyIn(at, n);
      Compute(n);
      CopyOut(at, n);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t at, uint32_t n) {
    LocalTensor<T> x1 = in1_.AllocTensor<T>();
    LocalTensor<T> x2 = in2_.AllocTensor<T>();
    DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
    DataCopyPadExtParams<T> pad{false, 0, 0, T()};
    DataCopyPad(x1, x1Gm_[at], copy, pad);
    DataCopyPad(x2, x2Gm_[at], copy, pad);
    in1_.EnQue(x1);
    in2_.EnQue(x2);
  }
  __aicore__ inline void Compute(uint32_t n) {
    const uint32_t whole = (n + 127) / 128 * 128;  // Compare wants whole repeats of 256 bytes
    LocalTensor<T> x1 = in1_.DeQue<T>();
    LocalTensor<T> x2 = in2_.DeQue<T>();
    LocalTensor<uint8_t> mask = mask_.Get<uint8_t>();
    if constexpr (std::is_same<T, C>::value) {
      Compare(mask, x1, x2, CMPMODE::LT, whole);
    } else {
      LocalTensor<C> w1 = wide1_.Get<C>();
      LocalTensor<C> w2 = wide2_.Get<C>();
      Cast(w1, x1, kWiden, n);
      Cast(w2, x2, kWiden, n);
      Compare(mask, w1, w2, CMPMODE::LT, whole);
    }
    in1_.FreeTensor(x1);
    in2_.FreeTensor(x2);
    LocalTensor<half> chosen = chosen_.Get<half>();
    Select(chosen, mask, one_.Get<half>(), (half)0, SELMODE::VSEL_TENSOR_SCALAR_MODE, whole);
    LocalTensor<int8_t> y = out_.AllocTensor<int8_t>();
    Cast(y, chosen, RoundMode::CAST_NONE, n);
    out_.EnQue(y);
  }
  __aicore__ inline void CopyOut(uint32_t at, uint32_t n) {
    LocalTensor<int8_t> y = out_.DeQue<int8_t>();
    DataCopyPad(yGm_[at], y, DataCopyExtParams{1, n, 0, 0, 0});
    out_.FreeTensor(y);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, kBuffers> in1_, in2_;
  TQue<QuePosition::VECOUT, kBuffers> out_;
  TBuf<QuePosition::VECCALC> mask_, one_, chosen_, wide1_, wide2_;
  GlobalTensor<T> x1Gm_, x2Gm_;
  GlobalTensor<int8_t> yGm_;
  uint32_t begin_, end_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void less(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelLess<DTYPE_X1> op;
  op.Init(x1, x2, y, data.size);
  op.Process();
}
