#ifndef LAYER_NORM_V4_SINGLE_READ_H
#define LAYER_NORM_V4_SINGLE_READ_H
#include "kernel_operator.h"

namespace LayerNormV4 {
using namespace AscendC;

template <typename Tfm, typename Tweight>
class LayerNormV4SingleRead {
 public:
  __aicore__ inline LayerNormV4SingleRead(const LayerNormV4TilingDataSingleRead* tilingData) : td(tilingData) {}

  __aicore__ inline void Init(GM_ADDR x, GM_ADDR gamma, GM_ADDR beta, GM_ADDR y, GM_ADDR mean, GM_ADDR rstd,
                              TPipe& pipe) {
    const uint32_t block = GetBlockIdx();
    myRows = block < td->formerNum ? td->formerRows : td->tailRows;
    const uint64_t first =
        static_cast<uint64_t>(td->tailRows) * block + (block < td->formerNum ? block : td->formerNum);
    xGm.SetGlobalBuffer((__gm__ Tfm*)x + first * td->rowSize, static_cast<uint64_t>(myRows) * td->rowSize);
    yGm.SetGlobalBuffer((__gm__ Tfm*)y + first * td->rowSize, static_cast<uint64_t>(myRows) * td->rowSize);
    meanGm.SetGlobalBuffer((__gm__ float*)mean + first, myRows);
    rstdGm.SetGlobalBuffer((__gm__ float*)rstd + first, myRows);
    gammaGm.SetGlobalBuffer((__gm__ Tweight*)gamma, td->rowSize);
    betaGm.SetGlobalBuffer((__gm__ Tweight*)beta, td->rowSize);
    pipe.InitBuffer(xQue, 1, td->nRow * td->rowAlign * sizeof(Tfm));
    pipe.InitBuffer(yQue, 1, td->nRow * td->rowAlign * sizeof(Tfm));
    pipe.InitBuffer(meanQue, 1, (td->nRow + 7) / 8 * 32);
    pipe.InitBuffer(rstdQue, 1, (td->nRow + 7) / 8 * 32);
    pipe.InitBuffer(xBuf, td->nRow * td->rowAlign * sizeof(float));
    pipe.InitBuffer(weightBuf, 2 * td->rowAlign * sizeof(float));
    pipe.InitBuffer(paramQue, 1, td->rowAlign * sizeof(float));
    pipe.InitBuffer(workBuf, td->rowAlign * sizeof(float));
    pipe.InitBuffer(sumBuf, 4096);
  }

  __aicore__ inline void Process() {
    LocalTensor<float> gamma = weightBuf.Get<float>();
    LocalTensor<float> beta = gamma[td->rowAlign];
    if (td->nullptrGamma == 0) {
      LoadWeight(gamma, gammaGm);
    }
    if (td->nullptrBeta == 0) {
      LoadWeight(beta, betaGm);
    }
    for (uint32_t at = 0; at < myRows; at += td->nRow) {
      const uint32_t rows = myRows - at < td->nRow ? myRows - at : td->nRow;
      CopyIn(at, rows);
      Compute(rows, gamma, beta);
      CopyOut(at, rows);
    }
  }

 private:
  __aicore__ inline void LoadWeight(const LocalTensor<float>& dst, const GlobalTensor<Tweight>& src) {
    LocalTensor<Tweight> loaded = paramQue.template AllocTensor<Tweight>();
    DataCopyExtParams params{1, static_cast<uint32_t>(td->rowSize * sizeof(Tweight)), 0, 0, 0};
    DataCopyPadExtParams<Tweight> pad{false, 0, 0, 0};
    DataCopyPad(loaded, src, params, pad);
    paramQue.EnQue(loaded);
    loaded = paramQue.template DeQue<Tweight>();
    if constexpr (IsSameType<Tweight, float>::value) {
      Adds(dst, loaded, 0.0f, td->rowSize);
    } else {
      Cast(dst, loaded, RoundMode::CAST_NONE, td->rowSize);
    }
    PipeBarrier<PIPE_V>();
    paramQue.FreeTensor(loaded);
  }

  __aicore__ inline void CopyIn(uint32_t at, uint32_t rows) {
    LocalTensor<Tfm> x = xQue.template AllocTensor<Tfm>();
    const uint8_t right = td->rowAlign - td->rowSize;
    DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(td->rowSize * sizeof(Tfm)), 0, 0, 0};
    DataCopyPadExtParams<Tfm> pad{true, 0, right, 0};
    DataCopyPad(x, xGm[static_cast<uint64_t>(at) * td->rowSize], params, pad);
    xQue.EnQue(x);
  }

  __aicore__ inline float SumOf(const LocalTensor<float>& src) {
    LocalTensor<float> sum = sumBuf.Get<float>();
    ReduceSum<float>(sum, src, sum[8], td->rowSize);
    event_t eventVS = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(eventVS);
    WaitFlag<HardEvent::V_S>(eventVS);
    return sum.GetValue(0);
  }

  __aicore__ inline void Compute(uint32_t rows, const LocalTensor<float>& gamma, const LocalTensor<float>& beta) {
    LocalTensor<Tfm> x = xQue.template DeQue<Tfm>();
    LocalTensor<float> x32 = xBuf.Get<float>();
    LocalTensor<float> work = workBuf.Get<float>();
    if constexpr (IsSameType<Tfm, float>::value) {
      Adds(x32, x, 0.0f, rows * td->rowAlign);
    } else {
      Cast(x32, x, RoundMode::CAST_NONE, rows * td->rowAlign);
    }
    PipeBarrier<PIPE_V>();
    xQue.FreeTensor(x);
    LocalTensor<float> mean = meanQue.template AllocTensor<float>();
    LocalTensor<float> rstd = rstdQue.template AllocTensor<float>();
    for (uint32_t i = 0; i < rows; i++) {
      LocalTensor<float> row = x32[i * td->rowAlign];
      const float meanValue = SumOf(row) * td->coefficient;
      Adds(row, row, -meanValue, td->rowSize);
      PipeBarrier<PIPE_V>();
      Mul(work, row, row, td->rowSize);
      PipeBarrier<PIPE_V>();
      const float rstdValue = 1.0f / sqrt(SumOf(work) * td->coefficient + td->eps);
      Muls(row, row, rstdValue, td->rowSize);
      PipeBarrier<PIPE_V>();
      if (td->nullptrGamma == 0) {
        Mul(row, row, gamma, td->rowSize);
        PipeBarrier<PIPE_V>();
      }
      if (td->nullptrBeta == 0) {
        Add(row, row, beta, td->rowSize);
        PipeBarrier<PIPE_V>();
      }
      mean.SetValue(i, meanValue);
      rstd.SetValue(i, rstdValue);
    }
    LocalTensor<Tfm> y = yQue.template AllocTensor<Tfm>();
    if constexpr (IsSameType<Tfm, float>::value) {
      Adds(y, x32, 0.0f, rows * td->rowAlign);
    } else {
      Cast(y, x32, RoundMode::CAST_RINT, rows * td->rowAlign);
    }
    yQue.EnQue(y);
    meanQue.EnQue(mean);
    rstdQue.EnQue(rstd);
  }

  __aicore__ inline void CopyOut(uint32_t at, uint32_t rows) {
    LocalTensor<Tfm> y = yQue.template DeQue<Tfm>();
    DataCopyExtParams params{static_cast<uint16_t>(rows), static_cast<uint32_t>(td->rowSize * sizeof(Tfm)), 0, 0, 0};
    DataCopyPad(yGm[static_cast<uint64_t>(at) * td->rowSize], y, params);
    yQue.FreeTensor(y);
    LocalTensor<float> mean = meanQue.template DeQue<float>();
    LocalTensor<float> rstd = rstdQue.template DeQue<float>();
    event_t eventSMTE3 = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_MTE3));
    SetFlag<HardEvent::S_MTE3>(eventSMTE3);
    WaitFlag<HardEvent::S_MTE3>(eventSMTE3);
    DataCopyExtParams statParams{1, static_cast<uint32_t>(rows * sizeof(float)), 0, 0, 0};
    DataCopyPad(meanGm[at], mean, statParams);
    DataCopyPad(rstdGm[at], rstd, statParams);
    meanQue.FreeTensor(mean);
    rstdQue.FreeTensor(rstd);
  }

  const LayerNormV4TilingDataSingleRead* td;
  uint32_t myRows = 0;
  TQue<QuePosition::VECIN, 1> xQue, paramQue;
  TQue<QuePosition::VECOUT, 1> yQue, meanQue, rstdQue;
  TBuf<TPosition::VECCALC> xBuf, weightBuf, workBuf, sumBuf;
  GlobalTensor<Tfm> xGm, yGm;
  GlobalTensor<Tweight> gammaGm, betaGm;
  GlobalTensor<float> meanGm, rstdGm;
};
}  // namespace LayerNormV4
#endif
