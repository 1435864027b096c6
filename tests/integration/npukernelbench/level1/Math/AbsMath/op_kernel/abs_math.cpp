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

// Pairs of real and imaginary part: the length goes into the real part, the imaginary part is 0.
class KernelAbsOfPairs {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, uint32_t size) {
    from_.SetGlobalBuffer((__gm__ float*)x, size);
    to_.SetGlobalBuffer((__gm__ float*)y, size);
    pipe_.InitBuffer(in_, 1, kPairs * 2 * sizeof(float));
    pipe_.InitBuffer(out_, 1, kPairs * 2 * sizeof(float));
    pipe_.InitBuffer(parts_, (2 * kPairs + 8) * sizeof(float));
    pipe_.InitBuffer(places_, 2 * kPairs * sizeof(uint32_t));
    LocalTensor<uint32_t> places = places_.Get<uint32_t>();
    for (uint32_t i = 0; i < 2 * kPairs; ++i) places.SetValue(i, (i % 2 == 0 ? i / 2 : 2 * kPairs) * sizeof(float));
    for (uint32_t at = GetBlockIdx() * 2 * kPairs; at < size; at += GetBlockNum() * 2 * kPairs)
      Tile(at, size - at < 2 * kPairs ? size - at : 2 * kPairs);
  }

 private:
  static constexpr uint32_t kPairs = 1024;
  __aicore__ inline void Tile(uint32_t at, uint32_t n) {
    LocalTensor<float> t = in_.AllocTensor<float>(), parts = parts_.Get<float>();
    LocalTensor<float> real = parts, imaginary = parts[kPairs];
    DataCopyPad(t, from_[at], DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0},
                DataCopyPadExtParams<float>{false, 0, 0, 0});
    in_.EnQue(t);
    t = in_.DeQue<float>();
    uint64_t kept = 0;
    const uint16_t repeats = (n + 63) / 64;
    GatherMask(real, t, 1, false, 0, {1, repeats, 8, 8}, kept);
    GatherMask(imaginary, t, 2, false, 0, {1, repeats, 8, 8}, kept);
    ResetMask();
    const uint32_t pairs = n / 2;
    Mul(real, real, real, pairs);
    Mul(imaginary, imaginary, imaginary, pairs);
    Add(real, real, imaginary, pairs);
    Sqrt(real, real, pairs);
    Duplicate(parts[2 * kPairs], 0.0f, 8);
    in_.FreeTensor(t);
    LocalTensor<float> out = out_.AllocTensor<float>();
    Gather(out, parts, places_.Get<uint32_t>(), 0, n);
    out_.EnQue(out);
    out = out_.DeQue<float>();
    DataCopyPad(to_[at], out, DataCopyExtParams{1, static_cast<uint32_t>(n * sizeof(float)), 0, 0, 0});
    out_.FreeTensor(out);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<QuePosition::VECCALC> parts_, places_;
  GlobalTensor<float> from_, to_;
};

extern "C" __global__ __aicore__ void abs_math(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
#if ORIG_DTYPE_X == DT_COMPLEX64
  KernelAbsOfPairs().Process(x, y, 2 * data.size);
#else
  KernelAbs<DTYPE_X> op;
  op.Init(x, y, data.size);
  op.Process();
#endif
}
