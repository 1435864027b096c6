#pragma once
#include "kernel_operator.h"

template <typename T>
__aicore__ inline void ScaleShiftFloat(GM_ADDR x, GM_ADDR bias, GM_ADDR y, const ScaleShiftTilingData& data) {
  using namespace AscendC;
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECIN, 1> in_bias;
  TQue<QuePosition::VECOUT, 1> out;
  const uint32_t n = data.shape.length;
  GlobalTensor<T> from, to, shift;
  from.SetGlobalBuffer((__gm__ T*)x, n);
  to.SetGlobalBuffer((__gm__ T*)y, n);
  pipe.InitBuffer(in, 1, n * sizeof(T));
  pipe.InitBuffer(out, 1, n * sizeof(T));
  LocalTensor<T> a = in.AllocTensor<T>();
  DataCopy(a, from, n);
  in.EnQue(a);
  a = in.DeQue<T>();
  LocalTensor<T> b = out.AllocTensor<T>();
  Muls(b, a, (T)data.scale, n);
  Adds(b, b, (T)(float)(data.shifts[0] + data.shifts[1] + data.shifts[2]), n);
  if (data.shape.hasBias) {
    shift.SetGlobalBuffer((__gm__ T*)bias, n);
    pipe.InitBuffer(in_bias, 1, n * sizeof(T));
    LocalTensor<T> c = in_bias.AllocTensor<T>();
    DataCopy(c, shift, n);
    in_bias.EnQue(c);
    c = in_bias.DeQue<T>();
    Add(b, b, c, n);
    in_bias.FreeTensor(c);
  }
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<T>();
  DataCopy(to, b, n);
  out.FreeTensor(b);
}
