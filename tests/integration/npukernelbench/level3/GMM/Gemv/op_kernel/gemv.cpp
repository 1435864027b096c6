#include "kernel_operator.h"
using namespace AscendC;

// out = alpha A x + beta y on the vector cores: a core takes rows of A in runs of 8 and writes whole blocks of out.
constexpr uint32_t kBand = 8;

class KernelGemv {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, const GemvTilingData& tiling) {
    m_ = tiling.m;
    n_ = tiling.n;
    alpha_ = tiling.alpha;
    beta_ = tiling.beta;
    const uint32_t padded = (n_ + 63) / 64 * 64;
    a_.SetGlobalBuffer((__gm__ float*)a, m_ * n_);
    x_.SetGlobalBuffer((__gm__ float*)x, n_);
    y_.SetGlobalBuffer((__gm__ float*)y, m_);
    out_.SetGlobalBuffer((__gm__ float*)out, m_);
    pipe_.InitBuffer(inX_, 1, padded * sizeof(float));
    pipe_.InitBuffer(inA_, 2, padded * sizeof(float));
    pipe_.InitBuffer(inY_, 2, 32);
    pipe_.InitBuffer(outQueue_, 2, 32);
    pipe_.InitBuffer(work_, padded * sizeof(float));
    pipe_.InitBuffer(sums_, 32 * kBand);
  }
  __aicore__ inline void Process() {
    LocalTensor<float> x = inX_.AllocTensor<float>();
    Load(x, x_, n_);
    inX_.EnQue(x);
    x = inX_.DeQue<float>();
    Muls(x, x, alpha_, n_);
    for (uint32_t band = GetBlockIdx() * kBand; band < m_; band += GetBlockNum() * kBand) Band(band, x);
    inX_.FreeTensor(x);
  }

 private:
  __aicore__ inline void Load(const LocalTensor<float>& to, const GlobalTensor<float>& from, uint32_t n) {
    DataCopyPad(to, from, {1, uint32_t(n * sizeof(float)), 0, 0, 0}, {false, 0, 0, 0});
  }
  __aicore__ inline void Band(uint32_t band, const LocalTensor<float>& x) {
    const uint32_t rows = m_ - band < kBand ? m_ - band : kBand;
    LocalTensor<float> y = inY_.AllocTensor<float>();
    Load(y, y_[band], rows);
    inY_.EnQue(y);
    LocalTensor<float> sums = sums_.Get<float>(), work = work_.Get<float>();
    for (uint32_t i = 0; i < rows; ++i) {
      LocalTensor<float> a = inA_.AllocTensor<float>();
      Load(a, a_[(band + i) * n_], n_);
      inA_.EnQue(a);
      a = inA_.DeQue<float>();
      Mul(a, a, x, n_);
      ReduceSum(sums[i * 8], a, work, n_);
      inA_.FreeTensor(a);
    }
    y = inY_.DeQue<float>();
    LocalTensor<float> out = outQueue_.AllocTensor<float>();
    Muls(out, y, beta_, rows);
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
  uint32_t m_, n_;
  float alpha_, beta_;
};

extern "C" __global__ __aicore__ void gemv(GM_ADDR a, GM_ADDR x, GM_ADDR y, GM_ADDR out, GM_ADDR workspace,
                                           GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelGemv op;
  op.Init(a, x, y, out, data);
  op.Process();
}
