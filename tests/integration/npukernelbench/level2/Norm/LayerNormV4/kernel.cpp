#include "kernel_operator.h"
using namespace AscendC;

// Layer norm over the last dimensions, seen as one: y = (x - mean) rstd [* gamma] [+ beta]. Several rows a tile come
// and go in one strided copy each; their means and deviations leave as the first floats of blocks.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 32768
#define ROW_NORMALIZED_SHAPE {256}
#define ROW_EPSILON 1e-5
#define ROW_WEIGHT_TYPE "present"
#define ROW_BIAS_TYPE "present"
#endif
#ifdef ROW_WEIGHT_TYPE
constexpr bool kGamma = true;
#else
constexpr bool kGamma = false;
#endif
#ifdef ROW_BIAS_TYPE
constexpr bool kBeta = true;
#else
constexpr bool kBeta = false;
#endif

constexpr uint32_t kNormalized[] = ROW_NORMALIZED_SHAPE;
constexpr uint32_t Width() {
  uint32_t width = 1;
  for (uint32_t extent : kNormalized) width *= extent;
  return width;
}
constexpr uint32_t kWidth = Width(), kRows = IN0_SIZE / kWidth;
constexpr uint32_t kBlock = 32 / sizeof(IN0_TYPE);
constexpr uint32_t kPadded = (kWidth + kBlock - 1) / kBlock * kBlock;  // a row in UB: whole blocks
constexpr uint32_t kBand = kPadded >= 2048 ? 1 : 8;                    // rows a tile

template <typename T>
class KernelLayerNorm {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd) {
    x_.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
    gamma_.SetGlobalBuffer((__gm__ T*)gamma, kWidth);
    beta_.SetGlobalBuffer((__gm__ T*)beta, kWidth);
    y_.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
    mean_.SetGlobalBuffer((__gm__ float*)mean, kRows);
    rstd_.SetGlobalBuffer((__gm__ float*)rstd, kRows);
    pipe_.InitBuffer(in_, 1, kBand * kPadded * sizeof(T));
    pipe_.InitBuffer(out_, 1, kBand * kPadded * sizeof(T));
    pipe_.InitBuffer(outMean_, 1, kBand * 32);
    pipe_.InitBuffer(outRstd_, 1, kBand * 32);
    pipe_.InitBuffer(affine_, 2 * kPadded * sizeof(float));
    pipe_.InitBuffer(wide_, kBand * kPadded * sizeof(float));
    pipe_.InitBuffer(square_, (kPadded + 64) * sizeof(float));
  }
  __aicore__ inline void Process() {
    LocalTensor<float> gamma = affine_.Get<float>(), beta = gamma[kPadded];
    if constexpr (kGamma) LoadParameter(gamma, gamma_);
    if constexpr (kBeta) LoadParameter(beta, beta_);
    for (uint32_t row = GetBlockIdx() * kBand; row < kRows; row += GetBlockNum() * kBand) {
      const uint16_t rows = kRows - row < kBand ? kRows - row : kBand;
      const DataCopyExtParams run{rows, uint32_t(kWidth * sizeof(T)), 0, 0, 0};
      LocalTensor<T> x = in_.template AllocTensor<T>();
      DataCopyPad(x, x_[row * kWidth], run, {true, 0, uint8_t(kPadded - kWidth), T(0)});
      in_.EnQue(x);
      x = in_.template DeQue<T>();
      LocalTensor<float> wide = wide_.Get<float>();
      if constexpr (sizeof(T) == 2)
        Cast(wide, x, RoundMode::CAST_NONE, rows * kPadded);
      else
        DataCopy(wide, x, rows * kPadded);
      in_.FreeTensor(x);
      LocalTensor<float> mean = outMean_.AllocTensor<float>(), rstd = outRstd_.AllocTensor<float>();
      for (uint32_t i = 0; i < rows; ++i) Row(wide[i * kPadded], mean[i * 8], rstd[i * 8], gamma, beta);
      outMean_.EnQue(mean);
      outRstd_.EnQue(rstd);
      LocalTensor<T> y = out_.template AllocTensor<T>();
      if constexpr (sizeof(T) == 2)
        Cast(y, wide, RoundMode::CAST_RINT, rows * kPadded);
      else
        DataCopy(y, wide, rows * kPadded);
      out_.EnQue(y);
      y = out_.template DeQue<T>();
      DataCopyPad(y_[row * kWidth], y, run);
      out_.FreeTensor(y);
      const DataCopyExtParams column{rows, sizeof(float), 0, 0, 0};  // the first float of each block
      mean = outMean_.DeQue<float>();
      DataCopyPad(mean_[row], mean, column);
      outMean_.FreeTensor(mean);
      rstd = outRstd_.DeQue<float>();
      DataCopyPad(rstd_[row], rstd, column);
      outRstd_.FreeTensor(rstd);
    }
  }

 private:
  __aicore__ inline void LoadParameter(const LocalTensor<float>& to, const GlobalTensor<T>& from) {
    LocalTensor<T> raw = in_.template AllocTensor<T>();
    DataCopyPad(raw, from, {1, uint32_t(kWidth * sizeof(T)), 0, 0, 0}, {false, 0, 0, T(0)});
    in_.EnQue(raw);
    raw = in_.template DeQue<T>();
    if constexpr (sizeof(T) == 2)
      Cast(to, raw, RoundMode::CAST_NONE, kWidth);
    else
      Adds(to, raw, 0.0f, kWidth);
    in_.FreeTensor(raw);
  }
  __aicore__ inline void Row(const LocalTensor<float>& x, const LocalTensor<float>& mean,
                             const LocalTensor<float>& rstd, const LocalTensor<float>& gamma,
                             const LocalTensor<float>& beta) {
    LocalTensor<float> square = square_.Get<float>(), work = square[kPadded];
    ReduceSum(mean, x, work, kWidth);
    Muls(mean, mean, 1.0f / kWidth, 1);
    Adds(x, x, -mean.GetValue(0), kWidth);
    Mul(square, x, x, kWidth);
    ReduceSum(rstd, square, work, kWidth);
    Muls(rstd, rstd, 1.0f / kWidth, 1);
    Adds(rstd, rstd, static_cast<float>(ROW_EPSILON), 1);
    Sqrt(rstd, rstd, 1);
    const float by = 1.0f / rstd.GetValue(0);
    rstd.SetValue(0, by);
    Muls(x, x, by, kWidth);
    if constexpr (kGamma) Mul(x, x, gamma, kWidth);
    if constexpr (kBeta) Add(x, x, beta, kWidth);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> in_;
  TQue<QuePosition::VECOUT, 1> out_, outMean_, outRstd_;
  TBuf<> affine_, wide_, square_;
  GlobalTensor<T> x_, gamma_, beta_, y_;
  GlobalTensor<float> mean_, rstd_;
};

extern "C" __global__ __aicore__ void layer_norm_v4(GM_ADDR x, GM_ADDR normalized_shape, GM_ADDR gamma, GM_ADDR beta,
                                                    GM_ADDR y, GM_ADDR mean, GM_ADDR rstd, GM_ADDR workspace) {
  KernelLayerNorm<IN0_TYPE> op;
  op.Init(x, gamma, beta, y, mean, rstd);
  op.Process();
}
