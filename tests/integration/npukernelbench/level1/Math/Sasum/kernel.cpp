#include "kernel_operator.h"
using namespace AscendC;

// result = sum of |x[i * incx]| over n floats, on one core: a handful of numbers.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_SIZE 32
#define ROW_N 32
#define ROW_INCX 1
#endif

constexpr uint32_t kCount = ROW_N;
constexpr uint32_t kRoom = (kCount + 63) / 64 * 64;

extern "C" __global__ __aicore__ void sasum(GM_ADDR inGM, GM_ADDR outGM, GM_ADDR workspace) {
  if (GetBlockIdx() != 0) return;
  GlobalTensor<float> x, y;
  x.SetGlobalBuffer((__gm__ float*)inGM, IN0_SIZE);
  y.SetGlobalBuffer((__gm__ float*)outGM, 1);
  TPipe pipe;
  TBuf<TPosition::VECCALC> rows, gathered, sum;
  pipe.InitBuffer(rows, kRoom * 32);
  pipe.InitBuffer(gathered, kRoom * sizeof(float));
  pipe.InitBuffer(sum, 32);
  LocalTensor<float> values = gathered.Get<float>();
  if constexpr (ROW_INCX == 1) {
    DataCopyPad(values, x, DataCopyExtParams{1, kCount * sizeof(float), 0, 0, 0}, DataCopyPadExtParams<float>{false, 0, 0, 0});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
  } else {  // every element into a block of its own, then the first of each block
    LocalTensor<float> blocks = rows.Get<float>();
    DataCopyPad(blocks, x, DataCopyExtParams{kCount, sizeof(float), (ROW_INCX - 1) * sizeof(float), 0, 0},
                DataCopyPadExtParams<float>{true, 0, 7, 0});
    SetFlag<HardEvent::MTE2_V>(EVENT_ID0);
    WaitFlag<HardEvent::MTE2_V>(EVENT_ID0);
    BlockReduceSum(values, blocks, (kCount + 7) / 8, 64, 1, 1, 8);
  }
  Abs(values, values, kCount);
  WholeReduceSum(sum.Get<float>(), values, kCount, 1, 1, 1, 8);
  SetFlag<HardEvent::V_MTE3>(EVENT_ID0);
  WaitFlag<HardEvent::V_MTE3>(EVENT_ID0);
  DataCopyPad(y, sum.Get<float>(), DataCopyExtParams{1, sizeof(float), 0, 0, 0});
}
