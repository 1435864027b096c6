#include "kernel_operator.h"
using namespace AscendC;

// Along the sequence dimension the first seq_lengths[b] entries of batch b are turned round, the others stay. The
// tensor is seen with the later of the two dimensions outside of an inner run of contiguous elements, which moves as
// one piece.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 50331648
#define IN0_RANK 3
#define IN0_SHAPE {48, 1024, 1024}
#define ROW_SEQ_DIM 1
#define ROW_BATCH_DIM 0
#endif

using T = IN0_TYPE;
constexpr uint32_t kShape[] = IN0_SHAPE;
constexpr uint32_t Product(uint32_t from) {
  uint32_t product = 1;
  for (uint32_t i = from; i < IN0_RANK; ++i) product *= kShape[i];
  return product;
}
constexpr uint32_t kLast = ROW_SEQ_DIM > ROW_BATCH_DIM ? ROW_SEQ_DIM : ROW_BATCH_DIM;
constexpr uint32_t kRun = Product(kLast + 1);
constexpr uint32_t kRuns = IN0_SIZE / kRun;
constexpr uint32_t kSeqStride = Product(ROW_SEQ_DIM + 1) / kRun, kSeqExtent = kShape[ROW_SEQ_DIM];  // in runs
constexpr uint32_t kBatchStride = Product(ROW_BATCH_DIM + 1) / kRun, kBatchExtent = kShape[ROW_BATCH_DIM];
constexpr uint32_t kTile = 32768 / sizeof(T);

extern "C" __global__ __aicore__ void reverse_sequence(GM_ADDR x, GM_ADDR seq_lengths, GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<T> xGm, yGm;
  GlobalTensor<int64_t> lengths;
  xGm.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
  yGm.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
  lengths.SetGlobalBuffer((__gm__ int64_t*)seq_lengths, kBatchExtent);
  TPipe pipe;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue;
  pipe.InitBuffer(queue, 2, kRun < kTile ? kRun * sizeof(T) : kTile * sizeof(T));
  const uint32_t share = (kRuns + GetBlockNum() - 1) / GetBlockNum();
  const uint32_t begin = share * GetBlockIdx(), end = begin + share < kRuns ? begin + share : kRuns;
  for (uint32_t run = begin; run < end; ++run) {
    const uint32_t position = run / kSeqStride % kSeqExtent;
    const uint32_t length = static_cast<uint32_t>(lengths.GetValue(run / kBatchStride % kBatchExtent));
    const uint32_t from = position < length ? run + (length - 1 - 2 * position) * kSeqStride : run;
    for (uint32_t at = 0; at < kRun; at += kTile) {
      const uint32_t n = kRun - at < kTile ? kRun - at : kTile;
      const DataCopyExtParams copy{1, static_cast<uint32_t>(n * sizeof(T)), 0, 0, 0};
      LocalTensor<T> part = queue.AllocTensor<T>();
      DataCopyPad(part, xGm[uint64_t(from) * kRun + at], copy, {false, 0, 0, T()});
      queue.EnQue(part);
      part = queue.DeQue<T>();
      DataCopyPad(yGm[uint64_t(run) * kRun + at], part, copy);
      queue.FreeTensor(part);
    }
  }
}
