#ifndef ADD_RMS_NORM_H_
#define ADD_RMS_NORM_H_
#include "rms_norm_base.h"

template <typename T>
class KernelAddRmsNorm {
 public:
  __aicore__ inline KernelAddRmsNorm(TPipe* pipe) { Ppipe = pipe; }
  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR gamma, GM_ADDR y, GM_ADDR rstd, GM_ADDR x,
                              const AddRMSNormTilingData* tiling) {
    ASSERT(GetBlockNum() != 0 && "Block dim can not be zero!");
    this->numRow = tiling->num_row;
    this->numCol = tiling->num_col;
    this->blockFactor = tiling->block_factor;
    this->rowFactor = tiling->row_factor;
    this->ubFactor = tiling->ub_factor;
    this->epsilon = tiling->epsilon;
    this->avgFactor = tiling->avg_factor;
    blockIdx_ = GetBlockIdx();
    if (blockIdx_ < GetBlockNum() - 1) {
      this->rowWork = blockFactor;
    } else if (blockIdx_ == GetBlockNum() - 1) {
      this->rowWork = numRow - (GetBlockNum() - 1) * blockFactor;
    }
    x1Gm.SetGlobalBuffer((__gm__ T*)x1 + blockIdx_ * blockFactor * numCol, rowWork * numCol);
    x2Gm.SetGlobalBuffer((__gm__ T*)x2 + blockIdx_ * blockFactor * numCol, rowWork * numCol);
    gammaGm.SetGlobalBuffer((__gm__ T*)gamma, numCol);
    yGm.SetGlobalBuffer((__gm__ T*)y + blockIdx_ * blockFactor * numCol, rowWork * numCol);
    rstdGm.SetGlobalBuffer((__gm__ float*)rstd + blockIdx_ * blockFactor, blockFactor);
    xGm.SetGlobalBuffer((__gm__ T*)x + blockIdx_ * blockFactor * numCol, rowWork * numCol);

    Ppipe->InitBuffer(inQueueX, BUFFER_NUM, ubFactor * sizeof(T));
    Ppipe->InitBuffer(inQueueGamma, BUFFER_NUM, ubFactor * sizeof(T));
    Ppipe->InitBuffer(outQueueY, BUFFER_NUM, ubFactor * sizeof(T));
    Ppipe->InitBuffer(outQueueRstd, BUFFER_NUM, rowFactor * sizeof(float));
    if constexpr (is_same<T, half>::value || is_same<T, bfloat16_t>::value) {
      Ppipe->InitBuffer(xFp32Buf, ubFactor * sizeof(float));
    }
    Ppipe->InitBuffer(sqxBuf, ubFactor * sizeof(float));
    Ppipe->InitBuffer(reduceFp32Buf, NUM_PER_REP_FP32 * sizeof(float));
  }

  __aicore__ inline void Process() {
    CopyInGamma();
    LocalTensor<T> gammaLocal = inQueueGamma.DeQue<T>();
    uint32_t i_o_max = CeilDiv(rowWork, rowFactor);
    uint32_t row_tail = rowWork - (i_o_max - 1) * rowFactor;
    for (uint32_t i_o = 0; i_o < i_o_max - 1; i_o++) {
      SubProcess(i_o, rowFactor, gammaLocal);
    }
    SubProcess(i_o_max - 1, row_tail, gammaLocal);
    inQueueGamma.FreeTensor(gammaLocal);
  }

 private:
  __aicore__ inline void SubProcess(uint32_t i_o, uint32_t calc_row_num, LocalTensor<T>& gammaLocal) {
    LocalTensor<float> rstdLocal = outQueueRstd.AllocTensor<float>();
    for (uint32_t i_i = 0; i_i < calc_row_num; i_i++) {
      uint32_t gm_bias = (i_o * rowFactor + i_i) * numCol;
      CopyIn(gm_bias);
      Compute(i_i, gammaLocal, rstdLocal);
      CopyOutY(gm_bias);
    }
    outQueueRstd.EnQue<float>(rstdLocal);
    CopyOutRstd(i_o, calc_row_num);
  }

  __aicore__ inline void CopyIn(uint32_t gm_bias) {
    LocalTensor<T> x1Local_in = inQueueX.AllocTensor<T>();
    LocalTensor<T> x2Local = sqxBuf.Get<T>();
    LocalTensor<T> xLocal = outQueueY.AllocTensor<T>();
    if constexpr (is_same<T, half>::value || is_same<T, bfloat16_t>::value) {
      x2Local = x2Local[ubFactor];
    }
    DataCopyCustom<T>(x1Local_in, x1Gm[gm_bias], numCol);
    DataCopyCustom<T>(x2Local, x2Gm[gm_bias], numCol);
    inQueueX.EnQue(x1Local_in);
    auto x1Local = inQueueX.DeQue<T>();
    if constexpr (is_same<T, bfloat16_t>::value) {
      LocalTensor<float> x1_fp32 = xFp32Buf.Get<float>();
      LocalTensor<float> x2_fp32 = sqxBuf.Get<float>();
      Cast(x1_fp32, x1Local, RoundMode::CAST_NONE, numCol);
      Cast(x2_fp32, x2Local, RoundMode::CAST_NONE, numCol);
      PipeBarrier<PIPE_V>();
      Add(x1_fp32, x1_fp32, x2_fp32, numCol);
      PipeBarrier<PIPE_V>();
      Cast(xLocal, x1_fp32, RoundMode::CAST_RINT, numCol);
      PipeBarrier<PIPE_V>();
      Cast(x1_fp32, xLocal, RoundMode::CAST_NONE, numCol);
      PipeBarrier<PIPE_V>();
    } else {
      Add(xLocal, x1Local, x2Local, numCol);
      PipeBarrier<PIPE_V>();
      if constexpr (is_same<T, half>::value) {
        LocalTensor<float> x1_fp32 = xFp32Buf.Get<float>();
        Cast(x1_fp32, xLocal, RoundMode::CAST_NONE, numCol);
      } else {
        Adds(x1Local, xLocal, ZERO, numCol);
      }
      PipeBarrier<PIPE_V>();
    }
    if constexpr (is_same<T, float>::value) {
      inQueueX.EnQue(x1Local);
    } else {
      inQueueX.FreeTensor(x1Local);
    }
    // CopyOut x1 + x2
    outQueueY.EnQue(xLocal);
    auto x_out = outQueueY.DeQue<T>();
    DataCopyCustom<T>(xGm[gm_bias], x_out, numCol);
    outQueueY.FreeTensor(x_out);
  }

  __aicore__ inline void Compute(uint32_t inner_progress, LocalTensor<T> gammaLocal, LocalTensor<float> rstdLocal) {
    LocalTensor<float> x_fp32;
    if constexpr (is_same<T, float>::value) {
      x_fp32 = inQueueX.DeQue<float>();
    } else {
      x_fp32 = xFp32Buf.Get<float>();
    }
    LocalTensor<float> sqx = sqxBuf.Get<float>();
    LocalTensor<float> reduce_buf_local = reduceFp32Buf.Get<float>();
    Mul(sqx, x_fp32, x_fp32, numCol);
    PipeBarrier<PIPE_V>();
    Muls(sqx, sqx, avgFactor, numCol);
    PipeBarrier<PIPE_V>();
    ReduceSumFP32(sqx, sqx, reduce_buf_local, numCol);
    Adds(sqx, sqx, epsilon, 1);
    PipeBarrier<PIPE_V>();
    Sqrt(sqx, sqx, 1);
    Duplicate(reduce_buf_local, ONE, 1);
    PipeBarrier<PIPE_V>();
    Div(sqx, reduce_buf_local, sqx, 1);
    PipeBarrier<PIPE_V>();
    event_t event_v_s = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_S));
    SetFlag<HardEvent::V_S>(event_v_s);
    WaitFlag<HardEvent::V_S>(event_v_s);
    float rstdValue = sqx.GetValue(0);
    event_t event_s_v = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::S_V));
    SetFlag<HardEvent::S_V>(event_s_v);
    WaitFlag<HardEvent::S_V>(event_s_v);
    rstdLocal.SetValue(inner_progress, rstdValue);
    PipeBarrier<PIPE_V>();
    Muls(x_fp32, x_fp32, rstdValue, numCol);
    PipeBarrier<PIPE_V>();
    LocalTensor<T> yLocal = outQueueY.AllocTensor<T>();
    if constexpr (is_same<T, half>::value) {
      Cast(yLocal, x_fp32, RoundMode::CAST_NONE, numCol);
      PipeBarrier<PIPE_V>();
      Mul(yLocal, gammaLocal, yLocal, numCol);
    } else if constexpr (is_same<T, bfloat16_t>::value) {
      Cast(yLocal, x_fp32, RoundMode::CAST_RINT, numCol);
      PipeBarrier<PIPE_V>();
      Cast(x_fp32, yLocal, RoundMode::CAST_NONE, numCol);
      Cast(sqx, gammaLocal, RoundMode::CAST_NONE, numCol);
      PipeBarrier<PIPE_V>();
      Mul(x_fp32, x_fp32, sqx, numCol);
      PipeBarrier<PIPE_V>();
      Cast(yLocal, x_fp32, RoundMode::CAST_RINT, numCol);
    } else {
      Mul(yLocal, gammaLocal, x_fp32, numCol);
      inQueueX.FreeTensor(x_fp32);
    }
    PipeBarrier<PIPE_V>();
    event_t event_v_mte = static_cast<event_t>(GetTPipePtr()->FetchEventID(HardEvent::V_MTE2));
    SetFlag<HardEvent::V_MTE2>(event_v_mte);
    WaitFlag<HardEvent::V_MTE2>(event_v_mte);
    outQueueY.EnQue<T>(yLocal);
  }

  __aicore__ inline void CopyInGamma() {
    LocalTensor<T> gammaLocal = inQueueGamma.AllocTensor<T>();
    DataCopyCustom<T>(gammaLocal, gammaGm, numCol);
    inQueueGamma.EnQue(gammaLocal);
  }
  __aicore__ inline void CopyOutY(uint32_t progress) {
    LocalTensor<T> yLocal = outQueueY.DeQue<T>();
    DataCopyCustom<T>(yGm[progress], yLocal, numCol);
    outQueueY.FreeTensor(yLocal);
  }
  __aicore__ inline void CopyOutRstd(uint32_t outer_progress, uint32_t num) {
    LocalTensor<float> rstdLocal = outQueueRstd.DeQue<float>();
    DataCopyCustom<float>(rstdGm[outer_progress * rowFactor], rstdLocal, num);
    outQueueRstd.FreeTensor(rstdLocal);
  }

 private:
  TPipe* Ppipe = nullptr;
  TQue<QuePosition::VECIN, BUFFER_NUM> inQueueX;
  TQue<QuePosition::VECIN, BUFFER_NUM> inQueueGamma;
  TQue<QuePosition::VECOUT, BUFFER_NUM> outQueueY;
  TQue<QuePosition::VECOUT, BUFFER_NUM> outQueueRstd;
  TBuf<TPosition::VECCALC> xFp32Buf;
  TBuf<TPosition::VECCALC> sqxBuf;
  TBuf<TPosition::VECCALC> reduceFp32Buf;
  GlobalTensor<T> x1Gm;
  GlobalTensor<T> x2Gm;
  GlobalTensor<T> gammaGm;
  GlobalTensor<T> yGm;
  GlobalTensor<float> rstdGm;
  GlobalTensor<T> xGm;
  uint32_t numRow;
  uint32_t numCol;
  uint32_t blockFactor;
  uint32_t rowFactor;
  uint32_t ubFactor;
  float epsilon;
  float avgFactor;
  int32_t blockIdx_;
  uint32_t rowWork = 1;
};
#endif
