#include "kernel_operator.h"
using namespace AscendC;

// y = x is infinite, by its bits: without its sign an infinity is exactly the exponent mask. NaN has more bits set.
constexpr uint32_t kTile = 4096;

template <typename T>
class KernelIsInf {
 public:
  __aicore__ inline void Init(GM_ADDR inputs, GM_ADDR outputs, TPipe* pipe, uint32_t size) {
    size_ = size;
    x_.SetGlobalBuffer((__gm__ T*)inputs, size_);
    y_.SetGlobalBuffer((__gm__ int8_t*)outputs, size_);
    pipe->InitBuffer(in_, 2, kTile * sizeof(T));
    pipe->InitBuffer(out_, 2, kTile);
    pipe->InitBuffer(keep_, kTile * sizeof(T));
    pipe->InitBuffer(bits_, kTile / 8);
    pipe->InitBuffer(half_, 2 * kTile * sizeof(half));
    if constexpr (sizeof(T) == 2) {
      Duplicate(keep_.Get<int16_t>(), int16_t(0x7FFF), kTile);
    } else {  // And has 16-bit lanes only: the low half of a word keeps all its bits, the high half loses the sign
      Duplicate(keep_.Get<int32_t>(), int32_t(0x7FFFFFFF), kTile);
    }
    Duplicate(half_.Get<half>(), half(1), kTile);
  }
  __aicore__ inline void Process() {
    const uint32_t tiles = size_ / kTile + (size_ % kTile != 0);
    for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
      const uint32_t at = tile * kTile, n = size_ - at < kTile ? size_ - at : kTile;
      LocalTensor<T> x = in_.template AllocTensor<T>();
      DataCopy(x, x_[at], n);
      in_.EnQue(x);
      Test(n);
      LocalTensor<int8_t> y = out_.template DeQue<int8_t>();
      DataCopy(y_[at], y, n);
      out_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Test(uint32_t n) {
    LocalTensor<T> x = in_.template DeQue<T>();
    LocalTensor<uint8_t> bits = bits_.Get<uint8_t>();
    LocalTensor<int16_t> words = x.template ReinterpretCast<int16_t>();
    And(words, words, keep_.Get<int16_t>(), int32_t(n * sizeof(T) / sizeof(int16_t)));
    if constexpr (sizeof(T) == 2) {
      LocalTensor<half> distance = half_.Get<half>()[kTile];
      Adds(words, words, int16_t(-0x7C00), n);
      Cast(distance, words, RoundMode::CAST_ROUND, n);  // rounds, but only 0 becomes 0
      CompareScalar(bits, distance, half(0), CMPMODE::EQ, kTile);
    } else {
      LocalTensor<int32_t> whole = x.template ReinterpretCast<int32_t>();
      CompareScalar(bits, whole, int32_t(0x7F800000), CMPMODE::EQ, kTile);
    }
    LocalTensor<half> one = half_.Get<half>(), chosen = half_.Get<half>()[kTile];
    Select(chosen, bits, one, half(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, kTile);
    LocalTensor<int8_t> y = out_.template AllocTensor<int8_t>();
    Cast(y, chosen, RoundMode::CAST_NONE, n);
    out_.EnQue(y);
    in_.FreeTensor(x);
  }

  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<> keep_, bits_, half_;
  GlobalTensor<T> x_;
  GlobalTensor<int8_t> y_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void is_inf(GM_ADDR inputs, GM_ADDR outputs, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  TPipe pipe;
  KernelIsInf<DTYPE_X> op;
  op.Init(inputs, outputs, &pipe, data.size);
  op.Process();
}
