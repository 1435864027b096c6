#include "kernel_operator.h"
using namespace AscendC;

// var with var[begin:end:strides] replaced by the input, the slice given for the first axes. Each row of the last
// dimension goes through UB; where the slice also cuts the last dimension, the elements are laid one by one by the
// scalar unit.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 100
#define IN0_RANK 2
#define IN0_SHAPE {10, 10}
#define IN1_SIZE 50
#define IN1_SHAPE {5, 10}
#define ROW_BEGIN_VAL {0}
#define ROW_END_VAL {5}
#define ROW_STRIDES_VAL {1}
#define ROW_AXES_OPTIONAL_VAL {0}
#endif

using T = IN0_TYPE;
constexpr int32_t kRank = IN0_RANK;
constexpr int32_t kVar[] = IN0_SHAPE, kValue[] = IN1_SHAPE;
constexpr int32_t kAxes[] = ROW_AXES_OPTIONAL_VAL, kBegins[] = ROW_BEGIN_VAL, kStrides[] = ROW_STRIDES_VAL;
constexpr int32_t kCuts = sizeof(kAxes) / sizeof(kAxes[0]);
constexpr int32_t Begin(int32_t axis) {
  for (int32_t i = 0; i < kCuts; ++i)
    if (kAxes[i] == axis) return kBegins[i];
  return 0;
}
constexpr int32_t Stride(int32_t axis) {
  for (int32_t i = 0; i < kCuts; ++i)
    if (kAxes[i] == axis) return kStrides[i];
  return 1;
}
constexpr int32_t kWidth = kVar[kRank - 1], kRows = IN0_SIZE / kWidth, kWidthIn = kValue[kRank - 1];
constexpr int32_t kLastBegin = Begin(kRank - 1), kLastStride = Stride(kRank - 1);

class KernelAssign {
 public:
  __aicore__ inline void Init(GM_ADDR var, GM_ADDR value, GM_ADDR out) {
    var_.SetGlobalBuffer((__gm__ T*)var, IN0_SIZE);
    value_.SetGlobalBuffer((__gm__ T*)value, IN1_SIZE);
    out_.SetGlobalBuffer((__gm__ T*)out, IN0_SIZE);
    pipe_.InitBuffer(rowQueue_, 1, (kWidth * sizeof(T) + 31) / 32 * 32);
    pipe_.InitBuffer(valueBuffer_, (kWidthIn * sizeof(T) + 31) / 32 * 32);
  }
  __aicore__ inline void Process() {
    const int32_t share = (kRows + GetBlockNum() - 1) / GetBlockNum();
    const int32_t begin = share * GetBlockIdx(), end = begin + share < kRows ? begin + share : kRows;
    for (int32_t row = begin; row < end; ++row) Row(row);
  }

 private:
  // The row of the value that replaces (part of) a row of var, or -1.
  __aicore__ inline int32_t Source(int32_t row) const {
    int32_t source = 0, unit = 1;
    for (int32_t axis = kRank - 2; axis >= 0; --axis) {
      const int32_t index = row % kVar[axis] - Begin(axis);
      row /= kVar[axis];
      if (index < 0 || index % Stride(axis) != 0 || index / Stride(axis) >= kValue[axis]) return -1;
      source += index / Stride(axis) * unit;
      unit *= kValue[axis];
    }
    return source;
  }
  __aicore__ inline void Row(int32_t row) {
    constexpr bool whole = kWidthIn == kWidth;
    const int32_t source = Source(row);
    const DataCopyExtParams run{1, kWidth * sizeof(T), 0, 0, 0}, runIn{1, kWidthIn * sizeof(T), 0, 0, 0};
    const DataCopyPadExtParams<T> pad{false, 0, 0, T()};
    LocalTensor<T> line = rowQueue_.AllocTensor<T>();
    if (source >= 0 && whole)
      DataCopyPad(line, value_[source * kWidthIn], run, pad);
    else
      DataCopyPad(line, var_[row * kWidth], run, pad);
    if (source >= 0 && !whole) {
      LocalTensor<T> value = valueBuffer_.Get<T>();
      DataCopyPad(value, value_[source * kWidthIn], runIn, pad);
      const event_t loaded = static_cast<event_t>(pipe_.FetchEventID(HardEvent::MTE2_S));
      SetFlag<HardEvent::MTE2_S>(loaded);
      WaitFlag<HardEvent::MTE2_S>(loaded);
      for (int32_t i = 0; i < kWidthIn; ++i) line.SetValue(kLastBegin + i * kLastStride, value.GetValue(i));
      const event_t stored = static_cast<event_t>(pipe_.FetchEventID(HardEvent::S_MTE3));
      SetFlag<HardEvent::S_MTE3>(stored);
      WaitFlag<HardEvent::S_MTE3>(stored);
    }
    rowQueue_.EnQue(line);
    line = rowQueue_.DeQue<T>();
    DataCopyPad(out_[row * kWidth], line, run);
    rowQueue_.FreeTensor(line);
    const event_t free = static_cast<event_t>(pipe_.FetchEventID(HardEvent::S_MTE2));
    SetFlag<HardEvent::S_MTE2>(free);
    WaitFlag<HardEvent::S_MTE2>(free);
  }

  TPipe pipe_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> rowQueue_;
  TBuf<> valueBuffer_;
  GlobalTensor<T> var_, value_, out_;
};

extern "C" __global__ __aicore__ void strided_slice_assign_v2(GM_ADDR var, GM_ADDR input_value, GM_ADDR begin,
                                                              GM_ADDR end, GM_ADDR strides, GM_ADDR axes,
                                                              GM_ADDR var_out, GM_ADDR workspace) {
  KernelAssign op;
  op.Init(var, input_value, var_out);
  op.Process();
}
