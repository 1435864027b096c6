#include "kernel_operator.h"
using namespace AscendC;

// Row r keeps its first r + diagonal + 1 elements; the rest becomes 0. The cut is made with Duplicate from the next
// block on, and with a bit mask inside the block that it falls into.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE float
#define IN0_SIZE 3072
#define IN0_LAST 64
#define ROW_DIAGONAL 0
#endif

using T = IN0_TYPE;
constexpr int32_t kColumns = IN0_LAST, kRows = IN0_SIZE / IN0_LAST, kDiagonal = ROW_DIAGONAL;
constexpr int32_t kBlock = 32 / sizeof(T), kLanes = 256 / sizeof(T);
static_assert(kColumns % kBlock == 0, "rows of whole blocks");

class KernelTril {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y) {
    x_.SetGlobalBuffer((__gm__ T*)x, IN0_SIZE);
    y_.SetGlobalBuffer((__gm__ T*)y, IN0_SIZE);
    pipe_.InitBuffer(queue_, 2, kColumns * sizeof(T));
  }
  __aicore__ inline void Process() {
    for (int32_t row = GetBlockIdx(); row < kRows; row += GetBlockNum()) {
      LocalTensor<T> line = queue_.AllocTensor<T>();
      DataCopy(line, x_[row * kColumns], kColumns);
      queue_.EnQue<TPosition::GM, TPosition::VECIN>(line);
      line = queue_.DeQue<TPosition::GM, TPosition::VECIN, T>();
      Cut(line, row);
      queue_.EnQue<TPosition::VECOUT, TPosition::GM>(line);
      line = queue_.DeQue<TPosition::VECOUT, TPosition::GM, T>();
      DataCopy(y_[row * kColumns], line, kColumns);
      queue_.FreeTensor(line);
    }
  }

 private:
  __aicore__ inline void Cut(const LocalTensor<T>& line, int32_t row) {
    int32_t keep = row + kDiagonal + 1;
    keep = keep < 0 ? 0 : keep;
    if (keep >= kColumns) return;
    const int32_t inside = keep % kBlock, whole = keep - inside;
    int32_t next = whole;
    if (inside != 0) {  // zero the lanes [inside, kBlock) of the block at `whole`
      uint64_t mask[2] = {((1ULL << kBlock) - 1) & ~((1ULL << inside) - 1), 0};
      Duplicate(line[whole], T(0), mask, 1, 1, 8);
      next += kBlock;
    }
    if (next < kColumns) Duplicate(line[next], T(0), kColumns - next);
  }

  TPipe pipe_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> queue_;
  GlobalTensor<T> x_, y_;
};

extern "C" __global__ __aicore__ void tril(GM_ADDR x, GM_ADDR y, GM_ADDR workspace) {
  KernelTril op;
  op.Init(x, y);
  op.Process();
}
