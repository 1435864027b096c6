#include "kernel_operator.h"
using namespace AscendC;

// y = x1 x x2 over a dimension of size 3. The tensors are [outer, 3, inner]; the inner runs are three planes
// in UB.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 69120
#define IN0_RANK 3
#define IN0_SHAPE {48, 3, 480}
#define ROW_DIM 1
#endif

static_assert(sizeof(IN0_TYPE) > 1, "rows of the types that Mul takes");

constexpr uint32_t kShape[] = IN0_SHAPE;
constexpr uint32_t Inner() {
  uint32_t inner = 1;
  for (uint32_t i = ROW_DIM + 1; i < IN0_RANK; ++i) inner *= kShape[i];
  return inner;
}
constexpr uint32_t kInner = Inner();
constexpr uint32_t kOuter = IN0_SIZE / 3 / kInner;
constexpr uint32_t kTile = kInner < 2048 ? kInner : 2048;
constexpr uint32_t kPieces = (kInner + kTile - 1) / kTile;

template <typename T>
class KernelCross {
 public:
  static constexpr uint32_t kRoom = (kTile + 31) / 32 * 32;  // a plane in UB

  __aicore__ inline void Init(GM_ADDR x1, GM_ADDR x2, GM_ADDR y) {
    a_.SetGlobalBuffer((__gm__ T*)x1, IN0_SIZE);
    b_.SetGlobalBuffer((__gm__ T*)x2, IN0_SIZE);
    y_.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
    pipe_.InitBuffer(inA_, 1, 3 * kRoom * sizeof(T));
    pipe_.InitBuffer(inB_, 1, 3 * kRoom * sizeof(T));
    pipe_.InitBuffer(out_, 1, 3 * kRoom * sizeof(T));
    pipe_.InitBuffer(product_, kRoom * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = GetBlockIdx(); i < kOuter * kPieces; i += GetBlockNum()) {
      const uint32_t outer = i / kPieces, at = i % kPieces * kTile, n = kInner - at < kTile ? kInner - at : kTile;
      const uint32_t first = outer * 3 * kInner + at;
      LocalTensor<T> a = inA_.template AllocTensor<T>(), b = inB_.template AllocTensor<T>();
      for (uint32_t p = 0; p < 3; ++p) {
        DataCopy(a[p * kRoom], a_[first + p * kInner], n);
        DataCopy(b[p * kRoom], b_[first + p * kInner], n);
      }
      inA_.EnQue(a);
      inB_.EnQue(b);
      a = inA_.template DeQue<T>();
      b = inB_.template DeQue<T>();
      LocalTensor<T> y = out_.template AllocTensor<T>(), t = product_.template Get<T>();
      for (uint32_t p = 0; p < 3; ++p) {
        const uint32_t q = (p + 1) % 3 * kRoom, r = (p + 2) % 3 * kRoom;
        Mul(y[p * kRoom], a[q], b[r], n);
        Mul(t, a[r], b[q], n);
        Sub(y[p * kRoom], y[p * kRoom], t, n);
      }
      inA_.FreeTensor(a);
      inB_.FreeTensor(b);
      out_.EnQue(y);
      y = out_.template DeQue<T>();
      for (uint32_t p = 0; p < 3; ++p) DataCopy(y_[first + p * kInner], y[p * kRoom], n);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<TPosition::VECIN, 1> inA_, inB_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<> product_;
  GlobalTensor<T> a_, b_, y_;
};

extern "C" __global__ __aicore__ void cross(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace) {
  static_assert(kInner * sizeof(IN0_TYPE) % 32 == 0, "rows of the task whose inner run is whole blocks");
  KernelCross<IN0_TYPE> op;
  op.Init(x1, x2, y);
  op.Process();
}
