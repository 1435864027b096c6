#include "kernel_operator.h"
using namespace AscendC;

// y = x / sqrt(mean(x^2) + epsilon) * gamma and rstd = 1 / sqrt(...), a row of float at a time.
template <typename T>
class KernelRmsNorm {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, const RmsNormTilingData* tiling) {
    rows_ = tiling->rows;
    width_ = tiling->width;
    epsilon_ = tiling->epsilon;
    const uint32_t padded = (width_ + 15) / 16 * 16;
    x_.SetGlobalBuffer((__gm__ T*)x, rows_ * width_);
    gamma_.SetGlobalBuffer((__gm__ T*)gamma, width_);
    y_.SetGlobalBuffer((__gm__ T*)y, rows_ * width_);
    rstd_.SetGlobalBuffer((__gm__ float*)rstd, rows_);
    pipe_.InitBuffer(in_, 2, padded * sizeof(T));
    pipe_.InitBuffer(out_, 2, padded * sizeof(T));
    pipe_.InitBuffer(scale_, 2, 32);
    pipe_.InitBuffer(gammaBuffer_, padded * sizeof(float));
    pipe_.InitBuffer(row_, padded * sizeof(float));
    pipe_.InitBuffer(square_, padded * sizeof(float));
    pipe_.InitBuffer(work_, padded * sizeof(float));
  }
  __aicore__ inline void Process() {
    LocalTensor<float> gamma = gammaBuffer_.Get<float>();
    LocalTensor<T> raw = in_.template AllocTensor<T>();
    CopyIn(raw, gamma_);
    in_.EnQue(raw);
    raw = in_.template DeQue<T>();
    Widen(gamma, raw);
    in_.FreeTensor(raw);
    for (uint32_t row = GetBlockIdx(); row < rows_; row += GetBlockNum()) {
      raw = in_.template AllocTensor<T>();
      CopyIn(raw, x_[row * width_]);
      in_.EnQue(raw);
      Normalise(gamma);
      LocalTensor<T> y = out_.template DeQue<T>();
      DataCopyPad(y_[row * width_], y, {1, uint32_t(width_ * sizeof(T)), 0, 0, 0});
      out_.FreeTensor(y);
      LocalTensor<float> rstd = scale_.template DeQue<float>();
      DataCopyPad(rstd_[row], rstd, {1, sizeof(float), 0, 0, 0});
      scale_.FreeTensor(rstd);
    }
  }

 private:
  __aicore__ inline void CopyIn(const LocalTensor<T>& to, const GlobalTensor<T>& from) {
    DataCopyPad(to, from, {1, uint32_t(width_ * sizeof(T)), 0, 0, 0}, {false, 0, 0, T()});
  }
  __aicore__ inline void Widen(const LocalTensor<float>& to, const LocalTensor<T>& from) {
    if constexpr (std::is_same<T, float>::value)
      Adds(to, from, 0.0f, width_);
    else
      Cast(to, from, RoundMode::CAST_NONE, width_);
  }
  __aicore__ inline void Normalise(const LocalTensor<float>& gamma) {
    LocalTensor<float> row = row_.Get<float>(), square = square_.Get<float>();
    LocalTensor<T> x = in_.template DeQue<T>();
    Widen(row, x);
    in_.FreeTensor(x);
    Mul(square, row, row, width_);
    LocalTensor<float> rstd = scale_.template AllocTensor<float>();
    ReduceSum<float>(rstd, square, work_.Get<float>(), width_);
    Muls(rstd, rstd, 1.0f / static_cast<int32_t>(width_), 1);
    Adds(rstd, rstd, epsilon_, 1);
    Sqrt(rstd, rstd, 1);
    Duplicate(square, 1.0f, 8);
    Div(rstd, square, rstd, 1);
    const float by = rstd.GetValue(0);
    Muls(row, row, by, width_);
    LocalTensor<T> y = out_.template AllocTensor<T>();
    if constexpr (std::is_same<T, float>::value) {
      Mul(y, row, gamma, width_);
    } else {
      Mul(row, row, gamma, width_);
      Cast(y, row, RoundMode::CAST_RINT, width_);
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
  uint32_t rows_, width_;
  float epsilon_;
};

extern "C" __global__ __aicore__ void rms_norm(GM_ADDR x, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR workspace,
                                               GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelRmsNorm<DTYPE_X> op;
  op.Init(x, gamma, y, rstd, &data);
  op.Process();
}
