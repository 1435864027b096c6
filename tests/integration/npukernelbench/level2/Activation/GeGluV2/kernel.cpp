#include "kernel_operator.h"
using namespace AscendC;

// gelu = Gelu(first half of each row), y = gelu * second half. Rows are read as strided blocks, a few at a time. The
// error function is the published rational fit: x / (1 + exp(-x (a7 + x^2 (a6 + ...)))) for x in [-13.25, 5.75].
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 65536
#define IN0_LAST 512
#endif

constexpr uint32_t kHalf = IN0_LAST / 2;
constexpr uint32_t kRows = IN0_SIZE / IN0_LAST;
constexpr uint32_t kBand = kHalf >= 2048 ? 1 : 2048 / kHalf;  // rows a tile
constexpr uint32_t kTile = kBand * kHalf;

template <typename T>
class KernelGeGlu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR gelu) {
    static_assert(kHalf * sizeof(T) % 32 == 0, "half a row is whole blocks in every row of the task");
    x_.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
    y_.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE / 2);
    gelu_.SetGlobalBuffer((__gm__ T*)gelu, IN0_SIZE / 2);
    pipe_.InitBuffer(left_, 1, kTile * sizeof(T));
    pipe_.InitBuffer(right_, 1, kTile * sizeof(T));
    pipe_.InitBuffer(outY_, 1, kTile * sizeof(T));
    pipe_.InitBuffer(outGelu_, 1, kTile * sizeof(T));
    pipe_.InitBuffer(work_, 4 * kTile * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t row = GetBlockIdx() * kBand; row < kRows; row += GetBlockNum() * kBand) {
      const uint16_t rows = kRows - row < kBand ? kRows - row : kBand;
      constexpr uint16_t blocks = kHalf * sizeof(T) / 32;
      LocalTensor<T> left = left_.template AllocTensor<T>(), right = right_.template AllocTensor<T>();
      DataCopy(left, x_[row * IN0_LAST], DataCopyParams(rows, blocks, blocks, 0));
      DataCopy(right, x_[row * IN0_LAST + kHalf], DataCopyParams(rows, blocks, blocks, 0));
      left_.EnQue(left);
      right_.EnQue(right);
      Compute(rows * kHalf);
      LocalTensor<T> y = outY_.template DeQue<T>(), gelu = outGelu_.template DeQue<T>();
      DataCopy(y_[row * kHalf], y, rows * kHalf);
      DataCopy(gelu_[row * kHalf], gelu, rows * kHalf);
      outY_.FreeTensor(y);
      outGelu_.FreeTensor(gelu);
    }
  }

 private:
  __aicore__ inline void Compute(uint32_t n) {
    LocalTensor<T> left = left_.template DeQue<T>(), right = right_.template DeQue<T>();
    LocalTensor<T> y = outY_.template AllocTensor<T>(), gelu = outGelu_.template AllocTensor<T>();
    LocalTensor<float> x = work_.Get<float>(), c = x[kTile], s = x[2 * kTile], p = x[3 * kTile];
    if constexpr (std::is_same<T, float>::value)
      Adds(x, left, 0.0f, n);
    else
      Cast(x, left, RoundMode::CAST_NONE, n);
    Maxs(c, x, -13.25f, n);
    Mins(c, c, 5.75f, n);
    Mul(s, c, c, n);
    const float fit[] = {2.64526617e-07f,  -7.929488134e-06f, 0.000110612384f,
                         6.518995814e-05f, -0.07266616915f,   -1.595769883f};
    Muls(p, s, -3.512339572e-09f, n);
    for (int i = 0; i < 5; ++i) {
      Adds(p, p, fit[i], n);
      Mul(p, p, s, n);
    }
    Adds(p, p, fit[5], n);
    Mul(p, p, c, n);
    Exp(p, p, n);
    Adds(p, p, 1.0f, n);
    Div(p, x, p, n);
    if constexpr (std::is_same<T, float>::value) {
      Adds(gelu, p, 0.0f, n);
      Mul(y, gelu, right, n);
    } else {
      Cast(gelu, p, RoundMode::CAST_RINT, n);
      Cast(x, gelu, RoundMode::CAST_NONE, n);  // torch multiplies the rounded gelu
      Cast(s, right, RoundMode::CAST_NONE, n);
      Mul(x, x, s, n);
      Cast(y, x, RoundMode::CAST_RINT, n);
    }
    left_.FreeTensor(left);
    right_.FreeTensor(right);
    outY_.EnQue(y);
    outGelu_.EnQue(gelu);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> left_, right_;
  TQue<TPosition::VECOUT, 1> outY_, outGelu_;
  TBuf<TPosition::VECCALC> work_;
  GlobalTensor<T> x_, y_, gelu_;
};

extern "C" __global__ __aicore__ void ge_glu_v2(GM_ADDR x, GM_ADDR y, GM_ADDR gelu, GM_ADDR workspace) {
  KernelGeGlu<IN0_TYPE> op;
  op.Init(x, y, gelu);
  op.Process();
}
