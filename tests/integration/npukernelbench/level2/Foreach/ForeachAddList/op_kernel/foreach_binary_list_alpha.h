#ifndef FOREACH_BINARY_LIST_ALPHA_H
#define FOREACH_BINARY_LIST_ALPHA_H

#include "kernel_foreach_base.h"

namespace Common {
namespace OpKernel {
template <typename P>
using BinaryOp = void(const LocalTensor<P>&, const LocalTensor<P>&, const LocalTensor<P>&, const P&, const int32_t&);

// Computes in P what is stored as T.
template <typename T, typename P, BinaryOp<P>* op>
class InnerComputer {
 public:
  __aicore__ inline static void Compute(const LocalTensor<T>& x1, const LocalTensor<T>& x2, const LocalTensor<T>& y,
                                        LocalTensor<float>& float32Tensor, P alpha, uint32_t maxDataCount,
                                        int64_t dataCount) {
    if constexpr (std::is_same_v<T, P>) {
      op(y, x1, x2, alpha, dataCount);
    } else {
      LocalTensor<P> wide1 = float32Tensor;
      LocalTensor<P> wide2 = float32Tensor[maxDataCount];
      Cast(wide1, x1, RoundMode::CAST_NONE, dataCount);
      Cast(wide2, x2, RoundMode::CAST_NONE, dataCount);
      PipeBarrier<PIPE_V>();
      op(wide1, wide1, wide2, alpha, dataCount);
      PipeBarrier<PIPE_V>();
      Cast(y, wide1, RoundMode::CAST_RINT, dataCount);
    }
  }
};

template <typename T, typename P, BinaryOp<P>* op>
class ForeachBinaryListAlpha : public KernelForeachBase<T> {
 public:
  using Base = KernelForeachBase<T>;
  __aicore__ inline ForeachBinaryListAlpha() = default;

  template <typename Tiling>
  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR alpha, GM_ADDR y, GM_ADDR workspace,
                              const Tiling* tilingData, TPipe* tPipe) {
    Base::Init(tilingData);
    firstPtr = x1;
    secondPtr = x2;
    outPtr = y;
    GlobalTensor<P> alphaGM;
    alphaGM.SetGlobalBuffer((__gm__ P*)alpha, 1);
    alphaVal = alphaGM.GetValue(0);
    pipe = tPipe;
    pipe->InitBuffer(dataQueue1, BUFFER_NUM, Base::inputsTensorUbSize);
    pipe->InitBuffer(dataQueue2, BUFFER_NUM, Base::inputsTensorUbSize);
    pipe->InitBuffer(outQueue, BUFFER_NUM, Base::inputsTensorUbSize);
    if constexpr (!std::is_same_v<T, P>) {
      pipe->InitBuffer(float32Queue, 1, Base::inputsTensorUbSize * 4);
      LocalTensor<float> float32Tensor = float32Queue.template AllocTensor<float>();
      float32Queue.EnQue(float32Tensor);
    }
  }

  __aicore__ inline void Process() {
    LocalTensor<float> float32Tensor;
    if constexpr (!std::is_same_v<T, P>) {
      float32Tensor = float32Queue.template DeQue<float>();
    }
    for (uint16_t i = Base::tensorStart; i <= Base::tensorEnd; i++) {
      if (Base::tensorDataCountList[i] == 0) {
        continue;
      }
      int64_t cursorStart = i == Base::tensorStart ? Base::tensorStartOffset : 0;
      int64_t cursorEnd = i == Base::tensorEnd ? Base::tensorEndOffset : Base::tensorDataCountList[i] - 1;
      int64_t dataCount = cursorEnd - cursorStart + 1;
      in1GM.SetGlobalBuffer(Base::GetTensorAddr(i, firstPtr) + cursorStart);
      in2GM.SetGlobalBuffer(Base::GetTensorAddr(i, secondPtr) + cursorStart);
      outGM.SetGlobalBuffer(Base::GetTensorAddr(i, outPtr) + cursorStart);
      SingleTensorProcess(dataCount, float32Tensor);
    }
    if constexpr (!std::is_same_v<T, P>) {
      float32Queue.FreeTensor(float32Tensor);
    }
  }

 private:
  __aicore__ inline void SingleTensorProcess(int64_t dataCount, LocalTensor<float>& float32Tensor) {
    uint32_t copyTimes = dataCount / Base::maxDataCount;
    uint32_t copyTimesRemainder = dataCount % Base::maxDataCount;
    for (uint32_t i = 0; i < copyTimes; i++) {
      CopyIn(i, Base::maxDataCount);
      ComputeAndCopyOut(i, Base::maxDataCount, float32Tensor);
    }
    if (copyTimesRemainder > 0) {
      CopyIn(copyTimes, copyTimesRemainder);
      ComputeAndCopyOut(copyTimes, copyTimesRemainder, float32Tensor);
    }
  }

  __aicore__ inline void CopyIn(uint32_t index, uint32_t dataCount) {
    LocalTensor<T> dataLocal1 = dataQueue1.template AllocTensor<T>();
    LocalTensor<T> dataLocal2 = dataQueue2.template AllocTensor<T>();
    const int64_t offset = 1LL * index * Base::maxDataCount;
    if (dataCount * sizeof(T) % BYTE_PER_BLOCK == 0) {
      DataCopy(dataLocal1, in1GM[offset], dataCount);
      DataCopy(dataLocal2, in2GM[offset], dataCount);
    } else {
      struct DataCopyExtParams params = {1, static_cast<uint32_t>(dataCount * sizeof(T)), 0, 0, 0};
      DataCopyPadExtParams<T> padParams{false, 0, 0, 0};
      DataCopyPad(dataLocal1, in1GM[offset], params, padParams);
      DataCopyPad(dataLocal2, in2GM[offset], params, padParams);
    }
    dataQueue1.EnQue(dataLocal1);
    dataQueue2.EnQue(dataLocal2);
  }

  __aicore__ inline void ComputeAndCopyOut(uint32_t index, int64_t dataCount, LocalTensor<float>& float32Tensor) {
    LocalTensor<T> dataLocal1 = dataQueue1.template DeQue<T>();
    LocalTensor<T> dataLocal2 = dataQueue2.template DeQue<T>();
    LocalTensor<T> outLocal = outQueue.template AllocTensor<T>();
    InnerComputer<T, P, op>::Compute(dataLocal1, dataLocal2, outLocal, float32Tensor, alphaVal, Base::maxDataCount,
                                     dataCount);
    dataQueue1.FreeTensor(dataLocal1);
    dataQueue2.FreeTensor(dataLocal2);
    outQueue.template EnQue<T>(outLocal);

    LocalTensor<T> retLocal = outQueue.template DeQue<T>();
    const int64_t offset = 1LL * index * Base::maxDataCount;
    if (dataCount * sizeof(T) % BYTE_PER_BLOCK == 0) {
      DataCopy(outGM[offset], retLocal, dataCount);
    } else {
      DataCopyExtParams copyParams{1, static_cast<uint32_t>(dataCount * sizeof(T)), 0, 0, 0};
      DataCopyPad(outGM[offset], retLocal, copyParams);
    }
    outQueue.FreeTensor(retLocal);
  }

  TPipe* pipe = nullptr;
  TQue<QuePosition::VECIN, BUFFER_NUM> dataQueue1;
  TQue<QuePosition::VECIN, BUFFER_NUM> dataQueue2;
  TQue<QuePosition::VECOUT, BUFFER_NUM> outQueue;
  TQue<QuePosition::VECIN, 1> float32Queue;
  GlobalTensor<T> in1GM, in2GM, outGM;
  GM_ADDR firstPtr = nullptr;
  GM_ADDR secondPtr = nullptr;
  GM_ADDR outPtr = nullptr;
  P alphaVal = 0;
};
}  // namespace OpKernel
}  // namespace Common

#endif
