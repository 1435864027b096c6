#include "kernel_operator.h"
using namespace AscendC;

// y = -x: floating types by a product with -1, int32 likewise, int8 through half, bf16 by flipping the sign bit with
// Not, And, Or.
constexpr uint32_t kTile = 8192;

template <typename T>
__aicore__ inline void NegKernel(GM_ADDR x, GM_ADDR y, uint32_t size) {
  GlobalTensor<T> xGm, yGm;
  xGm.SetGlobalBuffer((__gm__ T*)x, size);
  yGm.SetGlobalBuffer((__gm__ T*)y, size);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in;
  TQue<QuePosition::VECOUT, 1> out;
  TBuf<> scratch;
  pipe.InitBuffer(in, 2, kTile * sizeof(T));
  pipe.InitBuffer(out, 2, kTile * sizeof(T));
  pipe.InitBuffer(scratch, kTile * sizeof(half));
  for (uint32_t at = kTile * GetBlockIdx(); at < size; at += kTile * GetBlockNum()) {
    const uint32_t n = size - at < kTile ? size - at : kTile;
    LocalTensor<T> a = in.AllocTensor<T>();
    DataCopyPad(a, xGm[at], DataCopyExtParams{1, uint32_t(n * sizeof(T)), 0, 0, 0},
                DataCopyPadExtParams<T>{false, 0, 0, T()});
    in.EnQue(a);
    a = in.DeQue<T>();
    LocalTensor<T> b = out.AllocTensor<T>();
    if constexpr (std::is_same<T, int8_t>::value) {
      LocalTensor<half> wide = scratch.Get<half>();
      Cast(wide, a, RoundMode::CAST_NONE, n);
      Muls(wide, wide, half(-1), n);
      Cast(b, wide, RoundMode::CAST_NONE, n);
    } else if constexpr (std::is_same<T, bfloat16_t>::value) {
      // flipped = (x | 0x8000) & ~(x & 0x8000)
      LocalTensor<uint16_t> from = a.template ReinterpretCast<uint16_t>(), to = b.template ReinterpretCast<uint16_t>();
      LocalTensor<uint16_t> sign = scratch.Get<uint16_t>();
      Duplicate(sign, uint16_t(0x8000), n);
      Or(to, from, sign, n);
      And(sign, from, sign, n);
      Not(sign, sign, n);
      And(to, to, sign, n);
    } else {
      Muls(b, a, T(-1), n);
    }
    in.FreeTensor(a);
    out.EnQue(b);
    b = out.DeQue<T>();
    DataCopyPad(yGm[at], b, DataCopyExtParams{1, uint32_t(n * sizeof(T)), 0, 0, 0});
    out.FreeTensor(b);
  }
}

extern "C" __global__ __aicore__ void neg(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  NegKernel<DTYPE_X>(x, y, data.size);
}
