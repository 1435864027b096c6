#include "scale_shift_float.h"

using namespace AscendC;

#if ORIG_DTYPE_X == DT_INT32
__aicore__ inline void ScaleShiftInteger(GM_ADDR x, GM_ADDR y, int32_t factor, uint32_t n) {
  GlobalTensor<int32_t> from, to;
  from.SetGlobalBuffer((__gm__ int32_t*)x, n);
  to.SetGlobalBuffer((__gm__ int32_t*)y, n);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  pipe.InitBuffer(in, 1, n * sizeof(int32_t));
  pipe.InitBuffer(out, 1, n * sizeof(int32_t));
  LocalTensor<int32_t> a = in.AllocTensor<int32_t>();
  DataCopy(a, from, n);
  in.EnQue(a);
  a = in.DeQue<int32_t>();
  LocalTensor<int32_t> b = out.AllocTensor<int32_t>();
  Muls(b, a, factor, n);
  out.EnQue(b);
  in.FreeTensor(a);
  b = out.DeQue<int32_t>();
  DataCopy(to, b, n);
  out.FreeTensor(b);
}
#endif

extern "C" __global__ __aicore__ void scale_shift(GM_ADDR x, GM_ADDR bias, GM_ADDR y, GM_ADDR workspace,
                                                  GM_ADDR tiling) {
  if (TILING_KEY_IS(10)) {
#if ORIG_DTYPE_X == DT_FLOAT16 && FORMAT_X == FORMAT_ND
    GET_TILING_DATA_WITH_STRUCT(ScaleShiftTilingData, data, tiling);
    ScaleShiftFloat<half>(x, bias, y, data);
#endif
  } else if (TILING_KEY_IS(20)) {
#if ORIG_DTYPE_X == DT_FLOAT
    GET_TILING_DATA_WITH_STRUCT(ScaleShiftTilingData, data, tiling);
    ScaleShiftFloat<DTYPE_X>(x, bias, y, data);
#endif
  } else if (TILING_KEY_IS(30)) {
#if ORIG_DTYPE_X == DT_INT32
    GET_TILING_DATA(data, tiling);
    GET_TILING_DATA_MEMBER(ScaleShiftIntegerTilingData, length, n, tiling);
    ScaleShiftInteger(x, y, data.factor, n);
#endif
  }
}
