#pragma once
#include "kernel_operator.h"

// y = times * x, or its negative, in one tile.
template <typename T, int TIMES, bool NEGATE>
class TemplateScale {
 public:
  __aicore__ inline void Process(GM_ADDR x, GM_ADDR y, uint32_t total) {
    AscendC::GlobalTensor<T> from, to;
    from.SetGlobalBuffer((__gm__ T*)x, total);
    to.SetGlobalBuffer((__gm__ T*)y, total);
    pipe_.InitBuffer(in_, 1, total * sizeof(T));
    pipe_.InitBuffer(out_, 1, total * sizeof(T));
    AscendC::LocalTensor<T> a = in_.template AllocTensor<T>();
    AscendC::DataCopy(a, from, total);
    in_.EnQue(a);
    a = in_.template DeQue<T>();
    AscendC::LocalTensor<T> b = out_.template AllocTensor<T>();
    AscendC::Muls(b, a, static_cast<T>(NEGATE ? -TIMES : TIMES), total);
    out_.EnQue(b);
    in_.FreeTensor(a);
    b = out_.template DeQue<T>();
    AscendC::DataCopy(to, b, total);
    out_.FreeTensor(b);
  }

 private:
  AscendC::TPipe pipe_;
  AscendC::TQue<AscendC::QuePosition::VECIN, 1> in_;
  AscendC::TQue<AscendC::QuePosition::VECOUT, 1> out_;
};
