#include "kernel_operator.h"
using namespace AscendC;

// Row r keeps the elements from column r + diagonal on. The columns' numbers are made once; a comparison with the row's
// bound gives the bits for Select.
template <typename T>
__aicore__ inline void TriuKernel(GM_ADDR x, GM_ADDR y, const TriuTilingData& tiling) {
  const int32_t columns = tiling.columns, rows = tiling.rows;
  const int32_t padded = (columns + 127) / 128 * 128;  // whole repeats of every type
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, rows * columns);
  yGm.SetGlobalBuffer((__gm__ T*)y, rows * columns);
  TPipe pipe;
  TQue<TPosition::VECIN, 1> in;
  TQue<TPosition::VECOUT, 1> out;
  TBuf<> numbers, bits;
  pipe.InitBuffer(in, 2, padded * sizeof(T));
  pipe.InitBuffer(out, 2, padded * sizeof(T));
  pipe.InitBuffer(numbers, padded * sizeof(float));
  pipe.InitBuffer(bits, padded / 8);
  LocalTensor<float> column = numbers.Get<float>();
  LocalTensor<uint8_t> kept = bits.Get<uint8_t>();
  CreateVecIndex(column, 0.0f, padded);
  for (int32_t row = GetBlockIdx(); row < rows; row += GetBlockNum()) {
    LocalTensor<T> a = in.AllocTensor<T>();
    DataCopy(a, xGm[row * columns], columns);
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    CompareScalar(kept, column, static_cast<float>(row + tiling.diagonal), CMPMODE::GE, padded);
    Select(b, kept, a, T(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, padded);
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<T>();
    DataCopy(yGm[row * columns], b, columns);
    out.FreeTensor(b);
  }
}

extern "C" __global__ __aicore__ void triu(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  if (TILING_KEY_IS(1)) {
    TriuKernel<half>(x, y, data);
  } else if (TILING_KEY_IS(2)) {
    TriuKernel<float>(x, y, data);
  }
}
