#include "kernel_operator.h"

using namespace AscendC;
using T = DTYPE_X1;

// The address of a tensor, read from the descriptor by hand.
__aicore__ inline __gm__ T* AddressOf(uint32_t index, GM_ADDR list) {
  __gm__ uint64_t* start = reinterpret_cast<__gm__ uint64_t*>(list);
  __gm__ uint64_t* addresses = start + (*start >> 3);
  return reinterpret_cast<__gm__ T*>(*(addresses + index));
}

extern "C" __global__ __aicore__ void foreach_muladd(GM_ADDR x1, GM_ADDR x2, GM_ADDR scalar, GM_ADDR y,
                                                     GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  ListTensorDesc second((__gm__ void*)x2);
  ASSERT(second.GetSize() == data.tensors);
  GlobalTensor<float> factor;
  factor.SetGlobalBuffer((__gm__ float*)scalar, 1);
  TPipe pipe;
  TQue<QuePosition::VECIN, 1> in1, in2;
  TQue<QuePosition::VECOUT, 1> out;
  constexpr uint32_t kBytes = 16 * 1024;
  pipe.InitBuffer(in1, 1, kBytes);
  pipe.InitBuffer(in2, 1, kBytes);
  pipe.InitBuffer(out, 1, kBytes);
  for (uint32_t i = GetBlockIdx(); i < data.tensors; i += GetBlockNum()) {
    uint64_t shape[8];
    TensorDesc<T> desc;
    desc.SetShapeAddr(shape);
    second.GetDesc(desc, i);
    int64_t count = 1;
    for (uint64_t axis = 0; axis < desc.GetDim(); ++axis) count *= desc.GetShape(axis);
    ASSERT(count == data.counts[i]);
    ASSERT(desc.GetDataPtr() == second.GetDataPtr<T>(i));
    GlobalTensor<T> a, b = desc.GetDataObj(), c;
    a.SetGlobalBuffer(AddressOf(i, x1), count);
    c.SetGlobalBuffer(AddressOf(i, y), count);
    const DataCopyExtParams copy{1, static_cast<uint32_t>(count * sizeof(T)), 0, 0, 0};
    const DataCopyPadExtParams<T> pad{false, 0, 0, 0};
    LocalTensor<T> la = in1.AllocTensor<T>();
    LocalTensor<T> lb = in2.AllocTensor<T>();
    DataCopyPad(la, a, copy, pad);
    DataCopyPad(lb, b, copy, pad);
    in1.EnQue(la);
    in2.EnQue(lb);
    la = in1.DeQue<T>();
    lb = in2.DeQue<T>();
    LocalTensor<T> lc = out.AllocTensor<T>();
    Muls(lc, la, (T)factor.GetValue(0), count);
    Add(lc, lc, lb, count);
    out.EnQue(lc);
    in1.FreeTensor(la);
    in2.FreeTensor(lb);
    lc = out.DeQue<T>();
    DataCopyPad(c, lc, copy);
    out.FreeTensor(lc);
  }
}
