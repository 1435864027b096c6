#include "kernel_operator.h"
using namespace AscendC;

// y = x / sqrt(mean(x^2) + epsilon) * gamma and rstd = 1 / sqrt(...), a row of float at a time.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 32768
#define IN0_LAST 256
#define ROW_EPSILON 1e-6
#endif

constexpr uint32_t kWidth = IN0_LAST, kRows = IN0_SIZE / IN0_LAST;
constexpr uint32_t kPadded = (kWidth + 15) / 16 * 16;

template <typename T>
class KernelRmsNorm {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd) {
    x_.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
    gamma_.SetGlobalBuffer((__gm__ T*)gamma, kWidth);
    y_.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
    rstd_.SetGlobalBuffer((__gm__ float*)rstd, kRows);
    pipe_.InitBuffer(in_, 2, kPadded * sizeof(T));
    pipe_.InitBuffer(out_, 2, kPadded * sizeof(T));
    pipe_.InitBuffer(scale_, 2, 32);
    pipe_.InitBuffer(gammaBuffer_, kPadded * sizeof(float));
    pipe_.InitBuffer(row_, kPadded * sizeof(float));
    pipe_.InitBuffer(square_, kPadded * sizeof(float));
    pipe_.InitBuffer(work_, kPadded * sizeof(float));
  }
  __aicore__ inline void Process() {
    LocalTensor<float> gamma = gammaBuffer_.Get<float>();
    LocalTensor<T> raw = in_.template AllocTensor<T>();
    CopyIn(raw, gamma_);
    in_.EnQue(raw);
    raw = in_.template DeQue<T>();
    Widen(gamma, raw);
    in_.FreeTensor(raw);
    for (uint32_t row = GetBlockIdx(); row < kRows; row += GetBlockNum()) {
      raw = in_.template AllocTensor<T>();
      CopyIn(raw, x_[row * kWidth]);
      in_.EnQue(raw);
      Normalise(gamma);
      LocalTensor<T> y = out_.template DeQue<T>();
      DataCopyPad(y_[row * kWidth], y, {1, uint32_t(kWidth * sizeof(T)), 0, 0, 0});
      out_.FreeTensor(y);
      LocalTensor<float> rstd = scale_.template DeQue<float>();
      DataCopyPad(rstd_[row], rstd, {1, sizeof(float), 0, 0, 0});
      scale_.FreeTensor(rstd);
    }
  }

 private:
  __aicore__ inline void CopyIn(const LocalTensor<T>& to, const GlobalTensor<T>& from) {
    DataCopyPad(to, from, {1, uint32_t(kWidth * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
  }
  __aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from) {
    if constexpr (std::is_same<T, float>::value)
      Adds(to, from, 0.0f, kWidth);
    else
      Cast(to, from, RoundMode::CAST_NONE, kWidth);
  }
  __aicore__ inline void Normalise(const LocalTensor<float>& gamma) {
    LocalTensor<float> row = row_.Get<float>(), square = square_.Get<float>();
    LocalTensor<T> x = in_.template DeQue<T>();
    Widen(row, x);
    in_.FreeTensor(x);
    Mul(square, row, row, kWidth);
    LocalTensor<float> rstd = scale_.template AllocTensor<float>();
    ReduceSum<float>(rstd, square, work_.Get<float>(), kWidth);
    Muls(rstd, rstd, 1.0f / kWidth, 1);
    Adds(rstd, rstd, static_cast<float>(ROW_EPSILON), 1);
    Sqrt(rstd, rstd, 1);
    Duplicate(square, 1.0f, 8);
    Div(rstd, square, rstd, 1);
    const float by = rstd.GetValue(0);
    Muls(row, row, by, kWidth);
    LocalTensor<T> y = out_.template AllocTensor<T>();
    if constexpr (std::is_same<T, float>::value) {
      Mul(y, row, gamma, kWidth);
    } else {
      Mul(row, row, gamma, kWidth);
      Cast(y, row, RoundMode::CAST_RINT, kWidth);
    }
    out_.EnQue(y);
    scale_.EnQue(rstd);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_, scale_;
  TBuf<> gammaBuffer_, row_, square_, work_;
  GlobalTensor<T> x_, gamma_, y_;
  GlobalTensor<float> rstd_;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace) {
  KernelRmsNorm<IN0_TYPE> op;
  op.Init(x, gamma, y, rstd);
  op.Process();
}
