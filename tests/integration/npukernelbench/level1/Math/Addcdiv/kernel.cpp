#include "kernel_operator.h"
using namespace AscendC;

// y = input + x1 / x2 * value. bf16 is computed in float and rounded once at the end.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 49152
#endif

constexpr uint32_t kSize = IN0_SIZE;
constexpr uint32_t kTile = 2048;

template <typename T>
class KernelAddcdiv {
 public:
  __aicore__ inline KernelAddcdiv(GM_ADDR input, GM_ADDR x1, GM_ADDR x2, GM_ADDR value, GM_ADDR y) {
    in_[0].SetGlobalBuffer((__gm__ T*)input, kSize);
    in_[1].SetGlobalBuffer((__gm__ T*)x1, kSize);
    in_[2].SetGlobalBuffer((__gm__ T*)x2, kSize);
    y_.SetGlobalBuffer((__gm__ T*)y, kSize);
    GlobalTensor<T> scalar;
    scalar.SetGlobalBuffer((__gm__ T*)value, 1);
    if constexpr (std::is_same<T, bfloat16_t>::value)
      value_ = ToFloat(scalar.GetValue(0));
    else
      value_ = static_cast<float>(scalar.GetValue(0));
    pipe_.InitBuffer(inputs_, 2, 3 * kTile * sizeof(T));
    pipe_.InitBuffer(output_, 2, kTile * sizeof(T));
    if constexpr (std::is_same<T, bfloat16_t>::value) pipe_.InitBuffer(wide_, 3 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t at = GetBlockIdx() * kTile; at < kSize; at += GetBlockNum() * kTile) {
      const uint32_t n = kSize - at < kTile ? kSize - at : kTile;
      LocalTensor<T> all = inputs_.template AllocTensor<T>();
      for (uint32_t i = 0; i < 3; ++i) DataCopy(all[i * kTile], in_[i][at], n);
      inputs_.EnQue(all);
      Compute(n);
      LocalTensor<T> y = output_.template DeQue<T>();
      DataCopy(y_[at], y, n);
      output_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> all = inputs_.template DeQue<T>();
    LocalTensor<T> y = output_.template AllocTensor<T>();
    if constexpr (!std::is_same<T, bfloat16_t>::value) {
      Div(y, all[kTile], all[2 * kTile], n);
      Muls(y, y, static_cast<T>(value_), n);
      Add(y, all, y, n);
    } else {
      LocalTensor<float> wide = wide_.template Get<float>();
      Cast(wide, all, RoundMode::CAST_NONE, 3 * kTile);
      Div(wide[kTile], wide[kTile], wide[2 * kTile], n);
      Muls(wide[kTile], wide[kTile], value_, n);
      Add(wide, wide, wide[kTile], n);
      Cast(y, wide, RoundMode::CAST_RINT, n);
    }
    inputs_.FreeTensor(all);
    output_.EnQue(y);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> inputs_;
  TQue<QuePosition::VECOUT, 1> output_;
  TBuf<> wide_;
  GlobalTensor<T> in_[3], y_;
  float value_;
};

extern "C" __global__ __aicore__ void addcdiv(GM_ADDR input_data, GM_ADDR x1, GM_ADDR x2, GM_ADDR value, GM_ADDR y,
                                              GM_ADDR workspace) {
  KernelAddcdiv<IN0_TYPE> op(input_data, x1, x2, value, y);
  op.Process();
}
