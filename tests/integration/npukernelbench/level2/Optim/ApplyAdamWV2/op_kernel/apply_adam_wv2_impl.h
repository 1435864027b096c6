#ifndef APPLY_ADAM_W_V2_IMPL_H
#define APPLY_ADAM_W_V2_IMPL_H
#include "apply_adam_wv2_base.h"

namespace ApplyAdamWV2 {
using namespace AscendC;

// T: type of the tensors; U: type of step.
template <typename T, typename U>
class ApplyAdamWV2Kernel {
 public:
  __aicore__ inline ApplyAdamWV2Kernel() {}
  __aicore__ inline void Init(GM_ADDR var, GM_ADDR m, GM_ADDR v, GM_ADDR grad, GM_ADDR step, GM_ADDR maxGradNorm,
                              GM_ADDR workspace, const ApplyAdamWV2TilingData* tilingData, TPipe* pipe) {
    blockIdx_ = GetBlockIdx();
    tiling_ = tilingData;
    // The first cores take one loop more.
    const int64_t extra = tiling_->handleExtraLoopCoreNum;
    loops_ = tiling_->loopNumPerCore + (blockIdx_ < extra ? 1 : 0);
    firstLoop_ = blockIdx_ * tiling_->loopNumPerCore + (blockIdx_ < extra ? blockIdx_ : extra);
    const int64_t offset = firstLoop_ * tiling_->numPerLoop;
    gm_[0].SetGlobalBuffer((__gm__ T*)var + offset);
    gm_[1].SetGlobalBuffer((__gm__ T*)m + offset);
    gm_[2].SetGlobalBuffer((__gm__ T*)v + offset);
    gm_[3].SetGlobalBuffer((__gm__ T*)grad + offset);
    if (tiling_->amsgrad) {
      gm_[4].SetGlobalBuffer((__gm__ T*)maxGradNorm + offset);
    }
    GlobalTensor<U> stepGm;
    stepGm.SetGlobalBuffer((__gm__ U*)step, 1);
    const int64_t steps = static_cast<int64_t>(stepGm.GetValue(0)) + 1;
    const int64_t lr = tiling_->lrMantissa;
    const uint64_t rest1 = OneMinusPower(tiling_->beta1Fixed, steps);  // in units of 2^-62
    const float size = Ratio(lr < 0 ? -lr : lr, rest1, tiling_->lrExponent + 62);
    minusStepSize_ = lr < 0 ? size : -size;
    correction2_ = Ratio(OneMinusPower(tiling_->beta2Fixed, steps), FIXED_ONE, 0);
    const uint32_t tensors = tiling_->amsgrad ? 5 : 4;
    pipe->InitBuffer(inQue_, BUFFER_NUM, tensors * tiling_->numPerLoop * sizeof(T));
    pipe->InitBuffer(outQue_, BUFFER_NUM, 4 * tiling_->numPerLoop * sizeof(T));
    if constexpr (!IsSameType<T, float>::value) {
      pipe->InitBuffer(roundBuf_, tiling_->numPerLoop * sizeof(T));
    }
    pipe->InitBuffer(calcBuf_, 7 * tiling_->numPerLoop * sizeof(float));
  }

  __aicore__ inline void Process() {
    if (blockIdx_ >= tiling_->usedCoreNum) {
      return;
    }
    const int64_t all = tiling_->loopNumPerCore * tiling_->usedCoreNum + tiling_->handleExtraLoopCoreNum;
    for (int64_t n = 0; n < loops_; n++) {
      const bool last = firstLoop_ + n == all - 1;
      const int64_t count = last ? tiling_->numLastLoop : tiling_->numPerLoop;
      CopyIn(n, count);
      Compute(count);
      CopyOut(n, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(int64_t index, int64_t count) {
    LocalTensor<T> in = inQue_.template AllocTensor<T>();
    const int32_t tensors = tiling_->amsgrad ? 5 : 4;
    for (int32_t i = 0; i < tensors; i++) {
      CopyAny(in[i * tiling_->numPerLoop], gm_[i][index * tiling_->numPerLoop], count);
    }
    inQue_.EnQue(in);
  }

  __aicore__ inline void Widen(const LocalTensor<float>& dst, const LocalTensor<T>& src, int64_t count) {
    if constexpr (IsSameType<T, float>::value) {
      DataCopy(dst, src, (count + 7) / 8 * 8);
    } else {
      Cast(dst, src, RoundMode::CAST_NONE, count);
    }
  }
  __aicore__ inline void Narrow(const LocalTensor<T>& dst, const LocalTensor<float>& src, int64_t count) {
    if constexpr (IsSameType<T, float>::value) {
      DataCopy(dst, src, (count + 7) / 8 * 8);
    } else {
      Cast(dst, src, RoundMode::CAST_RINT, count);
    }
  }
  // What a step of the reference leaves: it stores every result as T.
  __aicore__ inline void Round(const LocalTensor<float>& values, int64_t count) {
    PipeBarrier<PIPE_V>();
    if constexpr (!IsSameType<T, float>::value) {
      LocalTensor<T> rounded = roundBuf_.template Get<T>();
      Cast(rounded, values, RoundMode::CAST_RINT, count);
      PipeBarrier<PIPE_V>();
      Cast(values, rounded, RoundMode::CAST_NONE, count);
      PipeBarrier<PIPE_V>();
    }
  }

  // m + weight (grad - m), from the end that is nearer to the result.
  __aicore__ inline void Lerp(const LocalTensor<float>& m, const LocalTensor<float>& grad,
                              const LocalTensor<float>& work, int64_t count) {
    const float weight = tiling_->beta1Rest;
    Sub(work, grad, m, count);
    PipeBarrier<PIPE_V>();
    if (weight < 0.5f) {
      Axpy(m, work, weight, count);
    } else {
      Muls(work, work, weight - 1.0f, count);
      PipeBarrier<PIPE_V>();
      Add(m, grad, work, count);
    }
    Round(m, count);
  }

  __aicore__ inline void Compute(int64_t count) {
    const int64_t n = tiling_->numPerLoop;
    LocalTensor<T> in = inQue_.template DeQue<T>();
    LocalTensor<float> calc = calcBuf_.Get<float>();
    LocalTensor<float> var = calc, m = calc[n], v = calc[2 * n], grad = calc[3 * n], most = calc[4 * n],
                       work = calc[5 * n];
    LocalTensor<float> numerator = calc[6 * n];
    Widen(var, in, count);
    Widen(m, in[n], count);
    Widen(v, in[2 * n], count);
    Widen(grad, in[3 * n], count);
    if (tiling_->amsgrad) {
      Widen(most, in[4 * n], count);
    }
    PipeBarrier<PIPE_V>();
    inQue_.FreeTensor(in);
    if (tiling_->maximize) {
      Muls(grad, grad, -1.0f, count);
      PipeBarrier<PIPE_V>();
    }
    Muls(var, var, tiling_->decay, count);
    Round(var, count);
    Lerp(m, grad, work, count);
    // v = beta2 v + (1 - beta2) grad^2
    Muls(v, v, tiling_->beta2, count);
    Round(v, count);
    Mul(work, grad, grad, count);
    PipeBarrier<PIPE_V>();
    Axpy<float, float>(v, work, tiling_->beta2Rest, count);
    Round(v, count);
    Duplicate(numerator, correction2_, count);
    if (tiling_->amsgrad) {
      Max(most, most, v, count);
      PipeBarrier<PIPE_V>();
      Div(work, most, numerator, count);
    } else {
      PipeBarrier<PIPE_V>();
      Div(work, v, numerator, count);
    }
    Round(work, count);
    Sqrt(work, work, count);
    Round(work, count);
    Adds(work, work, tiling_->eps, count);
    Round(work, count);
    Muls(numerator, m, minusStepSize_, count);
    PipeBarrier<PIPE_V>();
    Div(work, numerator, work, count);
    PipeBarrier<PIPE_V>();
    Add(var, var, work, count);
    PipeBarrier<PIPE_V>();
    LocalTensor<T> out = outQue_.template AllocTensor<T>();
    Narrow(out, var, count);
    Narrow(out[n], m, count);
    Narrow(out[2 * n], v, count);
    if (tiling_->amsgrad) {
      Narrow(out[3 * n], most, count);
    }
    outQue_.EnQue(out);
  }

  __aicore__ inline void CopyOut(int64_t index, int64_t count) {
    const int64_t n = tiling_->numPerLoop;
    LocalTensor<T> out = outQue_.template DeQue<T>();
    for (int32_t i = 0; i < 3; i++) {
      CopyAny(gm_[i][index * n], out[i * n], count);
    }
    if (tiling_->amsgrad) {
      CopyAny(gm_[4][index * n], out[3 * n], count);
    }
    outQue_.FreeTensor(out);
  }

  TQue<QuePosition::VECIN, BUFFER_NUM> inQue_;
  TQue<QuePosition::VECOUT, BUFFER_NUM> outQue_;
  TBuf<QuePosition::VECCALC> calcBuf_;
  TBuf<QuePosition::VECCALC> roundBuf_;
  GlobalTensor<T> gm_[5];
  const ApplyAdamWV2TilingData* tiling_ = nullptr;
  int64_t blockIdx_ = 0;
  int64_t loops_ = 0;
  int64_t firstLoop_ = 0;
  float minusStepSize_ = 0;  // -lr / (1 - beta1^steps)
  float correction2_ = 0;    // 1 - beta2^steps
};
}  // namespace ApplyAdamWV2
#endif
