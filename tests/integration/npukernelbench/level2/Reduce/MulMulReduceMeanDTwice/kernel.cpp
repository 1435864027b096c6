#include "kernel_operator.h"
using namespace AscendC;

// p = a b s, then a normalisation of its rows: beta - g m + g p, m the mean of the row, g = gamma / sqrt(variance +
// eps); a row a step.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_SIZE 92160
#define IN0_LAST 1024
#endif

constexpr uint32_t kWidth = IN0_LAST, kRows = IN0_SIZE / IN0_LAST;

class KernelMeanTwice {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR s, GM_ADDR eps, GM_ADDR gamma, GM_ADDR beta, GM_ADDR out) {
    a_.SetGlobalBuffer((__gm__ half*)a, IN0_SIZE);
    b_.SetGlobalBuffer((__gm__ half*)b, IN0_SIZE);
    gamma_.SetGlobalBuffer((__gm__ half*)gamma, kWidth);
    beta_.SetGlobalBuffer((__gm__ half*)beta, kWidth);
    out_.SetGlobalBuffer((__gm__ half*)out, IN0_SIZE);
    scale_ = float(((__gm__ half*)s)[0]);
    epsilon_ = float(((__gm__ half*)eps)[0]);
    pipe_.InitBuffer(in_, 2, 2 * kWidth * sizeof(half));
    pipe_.InitBuffer(outQueue_, 2, kWidth * sizeof(half));
    pipe_.InitBuffer(parameters_, 1, 2 * kWidth * sizeof(half));
    pipe_.InitBuffer(wide_, 6 * kWidth * sizeof(float));
    pipe_.InitBuffer(sum_, 32);
  }
  __aicore__ inline void Process() {
    LocalTensor<half> raw = parameters_.AllocTensor<half>();
    DataCopy(raw, gamma_, kWidth);
    DataCopy(raw[kWidth], beta_, kWidth);
    parameters_.EnQue(raw);
    raw = parameters_.DeQue<half>();
    LocalTensor<float> gamma = wide_.Get<float>(), p = gamma[2 * kWidth];
    Cast(gamma, raw, RoundMode::CAST_NONE, 2 * kWidth);
    parameters_.FreeTensor(raw);
    for (uint32_t row = GetBlockIdx(); row < kRows; row += GetBlockNum()) {
      LocalTensor<half> ab = in_.AllocTensor<half>();
      DataCopy(ab, a_[row * kWidth], kWidth);
      DataCopy(ab[kWidth], b_[row * kWidth], kWidth);
      in_.EnQue(ab);
      Row(gamma, gamma[kWidth], p);
      LocalTensor<half> y = outQueue_.DeQue<half>();
      DataCopy(out_[row * kWidth], y, kWidth);
      outQueue_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline float Mean(const LocalTensor<float>& row, const LocalTensor<float>& work) {
    LocalTensor<float> sum = sum_.Get<float>();
    ReduceSum<float>(sum, row, work, kWidth);
    return sum.GetValue(0) / kWidth;
  }
  __aicore__ inline void Row(const LocalTensor<float>& gamma, const LocalTensor<float>& beta,
                             const LocalTensor<float>& p) {
    LocalTensor<float> d = p[kWidth], t = p[2 * kWidth], work = p[3 * kWidth];
    LocalTensor<half> ab = in_.DeQue<half>();
    Cast(p, ab, RoundMode::CAST_NONE, kWidth);
    Cast(d, ab[kWidth], RoundMode::CAST_NONE, kWidth);
    in_.FreeTensor(ab);
    Mul(p, p, d, kWidth);
    Muls(p, p, scale_, kWidth);
    const float mean = Mean(p, work);
    Adds(d, p, -mean, kWidth);
    Mul(t, d, d, kWidth);
    const float deviation = sqrt(Mean(t, work) + epsilon_);
    Muls(d, d, 1.0f / deviation, kWidth);
    FusedMulAdd(d, gamma, beta, kWidth);
    LocalTensor<half> y = outQueue_.AllocTensor<half>();
    Cast(y, d, RoundMode::CAST_RINT, kWidth);
    outQueue_.EnQue(y);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> in_, parameters_;
  TQue<TPosition::VECOUT, 1> outQueue_;
  TBuf<> wide_, sum_;
  GlobalTensor<half> a_, b_, gamma_, beta_, out_;
  float scale_, epsilon_;
};

extern "C" __global__ __aicore__ void mul_mul_reduce_mean_d_twice(GM_ADDR mul0_input0, GM_ADDR mul0_input1,
                                                                  GM_ADDR mul1_input0, GM_ADDR add_y, GM_ADDR gamma,
                                                                  GM_ADDR beta, GM_ADDR output, GM_ADDR workspace) {
  KernelMeanTwice op;
  op.Init(mul0_input0, mul0_input1, mul1_input0, add_y, gamma, beta, output);
  op.Process();
}
