#ifndef RMS_NORM_BASE_H_
#define RMS_NORM_BASE_H_
#include "kernel_operator.h"
#include "kernel_tiling/kernel_tiling.h"

using namespace AscendC;

constexpr int32_t BUFFER_NUM = 1;
constexpr int32_t NUM_PER_REP_FP32 = ONE_REPEAT_BYTE_SIZE / sizeof(float);
constexpr int32_t NUM_PER_BLK_FP32 = 8;
constexpr float MINUS_HALF = -0.5;
constexpr float ZERO = 0;
constexpr float ONE = 1;

template <typename T>
__aicore__ inline T CeilDiv(T x, T y) {
  return y == 0 ? x : (x + y - 1) / y;
}
template <typename T>
__aicore__ inline T ROUND_UP32(T x) {
  return (x + ONE_BLK_SIZE - 1) / ONE_BLK_SIZE * ONE_BLK_SIZE;
}
template <typename T>
__aicore__ inline T Min(T left, T right) {
  return left < right ? left : right;
}
template <typename Tp, Tp v>
struct integral_constant {
  static constexpr Tp value = v;
};
using true_type = integral_constant<bool, true>;
using false_type = integral_constant<bool, false>;
template <typename, typename>
struct is_same : public false_type {};
template <typename Tp>
struct is_same<Tp, Tp> : public true_type {};

// The sum of count floats lies in dst[0]; work holds a repeat.
__aicore__ inline void ReduceSumFP32(const LocalTensor<float>& dst_local, const LocalTensor<float>& src_local,
                                     const LocalTensor<float>& work_local, int32_t count) {
  const uint64_t mask = NUM_PER_REP_FP32;
  const int32_t repeatTimes = count / NUM_PER_REP_FP32;
  const int32_t tailCount = count % NUM_PER_REP_FP32;
  const int32_t bodyCount = repeatTimes * NUM_PER_REP_FP32;
  BinaryRepeatParams repeatParams;
  repeatParams.src0RepStride = ONE_REPEAT_BYTE_SIZE / ONE_BLK_SIZE;
  repeatParams.src0BlkStride = 1;
  repeatParams.src1RepStride = 0;
  repeatParams.src1BlkStride = 1;
  repeatParams.dstRepStride = 0;
  repeatParams.dstBlkStride = 1;
  Duplicate(work_local, ZERO, NUM_PER_REP_FP32);
  PipeBarrier<PIPE_V>();
  if (likely(repeatTimes > 0)) {
    Add(work_local, src_local, work_local, mask, repeatTimes, repeatParams);
    PipeBarrier<PIPE_V>();
  }
  if (unlikely(tailCount != 0)) {
    Add(work_local, src_local[bodyCount], work_local, tailCount, 1, repeatParams);
    PipeBarrier<PIPE_V>();
  }
  AscendCUtils::SetMask<float>(NUM_PER_REP_FP32);
  if (g_coreType == AIV) {
    vcadd((__ubuf__ float*)dst_local.GetPhyAddr(), (__ubuf__ float*)work_local.GetPhyAddr(), 1, 0, 1, 0, false);
  }
  PipeBarrier<PIPE_V>();
}

template <typename T>
__aicore__ inline void DataCopyCustom(const LocalTensor<T>& dstTensor, const GlobalTensor<T>& srcTensor,
                                      const uint32_t count) {
  const uint32_t num_per_block = ONE_BLK_SIZE / sizeof(T);
  if (count % num_per_block == 0) {
    DataCopy(dstTensor, srcTensor, count);
  } else {
    DataCopyParams copyParams;
    copyParams.blockLen = count * sizeof(T);
    copyParams.blockCount = 1;
    DataCopyPadParams padParams;
    DataCopyPad(dstTensor, srcTensor, copyParams, padParams);
  }
}
template <typename T>
__aicore__ inline void DataCopyCustom(const GlobalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                                      const uint32_t count) {
  const uint32_t num_per_block = ONE_BLK_SIZE / sizeof(T);
  if (count % num_per_block == 0) {
    DataCopy(dstTensor, srcTensor, count);
  } else {
    DataCopyParams copyParams;
    copyParams.blockLen = count * sizeof(T);
    copyParams.blockCount = 1;
    DataCopyPad(dstTensor, srcTensor, copyParams);
  }
}
#endif
