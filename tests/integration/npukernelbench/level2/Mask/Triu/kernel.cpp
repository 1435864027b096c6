#include "kernel_operator.h"
using namespace AscendC;

// Row r keeps the elements from column r + diagonal on. The columns' numbers are made once; a comparison with the row's
// bound gives the bits for Select.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 1536
#define IN0_LAST 32
#define ROW_DIAGONAL 0
#endif

using T = IN0_TYPE;
constexpr int32_t kColumns = IN0_LAST, kRows = IN0_SIZE / IN0_LAST;
constexpr int32_t kPadded = (kColumns + 127) / 128 * 128;  // whole repeats of every type

extern "C" __global__ __aicore__ void triu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
  yGm.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<> numbers, bits;
  pipe.InitBuffer(in, 2, kPadded * sizeof(T));
  pipe.InitBuffer(out, 2, kPadded * sizeof(T));
  pipe.InitBuffer(numbers, kPadded * sizeof(float));
  pipe.InitBuffer(bits, kPadded / 8);
  LocalTensor<float> column = numbers.Get<float>();
  LocalTensor<uint8_t> kept = bits.Get<uint8_t>();
  CreateVecIndex(column, 0.0f, kPadded);
  for (int32_t row = GetBlockIdx(); row < kRows; row += GetBlockNum()) {
    LocalTensor<T> a = in.AllocTensor<T>();
    DataCopy(a, xGm[row * kColumns], kColumns);
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    CompareScalar(kept, column, static_cast<float>(row + ROW_DIAGONAL), CMPMODE::GE, kPadded);
    Select(b, kept, a, T(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, kPadded);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<T>();
    DataCopy(yGm[row * kColumns], b, kColumns);
    out.FreeTensor(b);
  }
}
