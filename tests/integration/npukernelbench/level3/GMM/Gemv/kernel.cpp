#include "kernel_operator.h"
using namespace AscendC;

// out = alpha A x + beta y on the vector cores: a core takes rows of A in runs of 8 and writes whole blocks of out.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define ROW_M 128
#define ROW_N 512
#define ROW_ALPHA 0.5
#define ROW_BETA 0.25
#endif

constexpr uint32_t kM = ROW_M, kN = ROW_N;
constexpr uint32_t kPadded = (kN + 63) / 64 * 64;
constexpr uint32_t kBand = 8;

class KernelGemv {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out) {
    a_.SetGlobalBuffer((__gm__ float*)a, kM * kN);
    x_.SetGlobalBuffer((__gm__ float*)x, kN);
    y_.SetGlobalBuffer((__gm__ float*)y, kM);
    out_.SetGlobalBuffer((__gm__ float*)out, kM);
    pipe_.InitBuffer(inX_, 1, kPadded * sizeof(float));
    pipe_.InitBuffer(inA_, 2, kPadded * sizeof(float));
    pipe_.InitBuffer(inY_, 2, 32);
    pipe_.InitBuffer(outQueue_, 2, 32);
    pipe_.InitBuffer(work_, kPadded * sizeof(float));
    pipe_.InitBuffer(sums_, 32 * kBand);
  }
  __aicore__ inline void Process() {
    LocalTensor<float> x = inX_.AllocTensor<float>();
    Load(x, x_, kN);
    inX_.EnQue(x);
    x = inX_.DeQue<float>();
    Muls(x, x, static_cast<float>(ROW_ALPHA), kN);
    for (uint32_t band = GetBlockIdx() * kBand; band < kM; band += GetBlockNum() * kBand) Band(band, x);
    inX_.FreeTensor(x);
  }

 private:
  __aicore__ inline void Load(const LocalTensor<float>& to, const GlobalTensor<float>& from, uint32_t n) {
    DataCopyPad(to, from, {1, uint32_t(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
  }
  __aicore__ inline void Band(uint32_t band, const LocalTensor<float>& x) {
    const uint32_t rows = kM - band < kBand ? kM - band : kBand;
    LocalTensor<float> y = inY_.AllocTensor<float>();
    Load(y, y_[band], rows);
    inY_.EnQue(y);
    LocalTensor<float> sums = sums_.Get<float>(), work = work_.Get<float>();
    for (uint32_t i = 0; i < rows; ++i) {
      LocalTensor<float> a = inA_.AllocTensor<float>();
      Load(a, a_[(band + i) * kN], kN);
      inA_.EnQue(a);
      a = inA_.DeQue<float>();
      Mul(a, a, x, kN);
      ReduceSum(sums[i * 8], a, work, kN);
      inA_.FreeTensor(a);
    }
    y = inY_.DeQue<float>();
    LocalTensor<float> out = outQueue_.AllocTensor<float>();
    Muls(out, y, static_cast<float>(ROW_BETA), rows);
    inY_.FreeTensor(y);
    for (uint32_t i = 0; i < rows; ++i) out.SetValue(i, out.GetValue(i) + sums.GetValue(i * 8));
    outQueue_.EnQue(out);
    out = outQueue_.DeQue<float>();
    DataCopyPad(out_[band], out, {1, uint32_t(rows * sizeof(float)), 0, 0, 0});
    outQueue_.FreeTensor(out);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> inX_, inA_, inY_;
  TQue<TPosition::VECOUT, 1> outQueue_;
  TBuf<> work_, sums_;
  GlobalTensor<float> a_, x_, y_, out_;
};

extern "C" __global__ __aicore__ void gemv(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace) {
  KernelGemv op;
  op.Init(a, x, y, out);
  op.Process();
}
