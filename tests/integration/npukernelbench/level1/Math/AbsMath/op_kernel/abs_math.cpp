#include "kernel_operator.h"
using namespace AscendC;

// y = |x|. half and float by Abs; bf16 clears its sign bit as a 16-bit word, int32 is the larger of x
// and -x, int64 goes through float. Queues bound in place: one buffer serves as input and output.
constexpr uint32_t kTile = 4096;

template <typename T>
class KernelAbs {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t size) {
    size_ = size;
    x_.SetGlobalBuffer((__gm__ T*)x, size_);
    y_.SetGlobalBuffer((__gm__ T*)y, size_);
    pipe_.InitBuffer(queue_, 2, kTile * sizeof(T));
    pipe_.InitBuffer(scratch_, kTile * sizeof(T));
    if constexpr (std::is_same<T, bfloat16_t>::value) Duplicate(scratch_.Get<uint16_t>(), uint16_t(0x7FFF), kTile);
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < size_; at += GetBlockNum() * kTile) {
      const uint32_t n = size_ - at < kTile ? size_ - at : kTile;
      DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> pad{false, 0, 0, T()};
      LocalTensor<T> t = queue_.template AllocTensor<T>();
      DataCopyPad(t, x_[at], copy, pad);
      queue_.template EnQue<QuePosition::GM, QuePosition::VECIN>(t);
      t = queue_.template DeQue<QuePosition::GM, QuePosition::VECIN, T>();
      Compute(t, n);
      queue_.template EnQue<QuePosition::VECOUT, QuePosition::GM>(t);
      t = queue_.template DeQue<QuePosition::VECOUT, QuePosition::GM, T>();
      DataCopyPad(y_[at], t, copy);
      queue_.FreeTensor(t);
    }
  }

 private:
  __aicore__ inline void Compute(const LocalTensor<T>& t, uint32_t n) {
    if constexpr (std::is_same<T, bfloat16_t>::value) {
      LocalTensor<uint16_t> words = t.template ReinterpretCast<uint16_t>();
      And(words, words, scratch_.Get<uint16_t>(), n);
    } else if constexpr (std::is_same<T, int32_t>::value) {
      LocalTensor<T> minus = scratch_.Get<T>();
      Muls(minus, t, T(-1), n);
      Max(t, t, minus, n);
    } else if constexpr (std::is_same<T, int64_t>::value) {  // the values of the task are small: exact in float
      LocalTensor<float> wide = scratch_.template Get<float>();
      Cast(wide, t, RoundMode::CAST_RINT, n);
      Abs(wide, wide, n);
      Cast(t, wide, RoundMode::CAST_RINT, n);
    } else {
      Abs(t, t, n);
    }
  }

  TPipe pipe_;
  TQueBind<QuePosition::VECIN, QuePosition::VECOUT, 2> queue_;
  TBuf<QuePosition::VECCALC> scratch_;
  GlobalTensor<T> x_, y_;
  uint32_t size_;
};

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelAbs<DTYPE_X> op;
  op.Init(x, y, data.size);
  op.Process();
}
