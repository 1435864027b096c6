#include "kernel_operator.h"
using namespace AscendC;

// y = silu(a) * b, a and b the halves of x along one dimension. x is [outer, 2, run]: both halves are runs of `run`
// elements.
template <typename T>
class KernelSwiGlu {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, uint32_t outer, uint32_t run) {
    outer_ = outer;
    run_ = run;
    tile_ = run < 4096 ? run : 4096;
    pieces_ = (run + tile_ - 1) / tile_;
    const uint64_t size = uint64_t(outer) * run * 2;
    x_.SetGlobalBuffer((__gm__ T*)x, size);
    y_.SetGlobalBuffer((__gm__ T*)y, size / 2);
    pipe_.InitBuffer(inA_, 2, tile_ * sizeof(T));
    pipe_.InitBuffer(inB_, 2, tile_ * sizeof(T));
    pipe_.InitBuffer(out_, 2, tile_ * sizeof(T));
    pipe_.InitBuffer(a_, tile_ * sizeof(float));
    pipe_.InitBuffer(b_, tile_ * sizeof(float));
    pipe_.InitBuffer(e_, tile_ * sizeof(float));
  }
  __aicore__ inline void Process() {
    for (uint32_t i = GetBlockIdx(); i < outer_ * pieces_; i += GetBlockNum()) {
      const uint32_t outer = i / pieces_, at = i % pieces_ * tile_;
      const uint32_t n = run_ - at < tile_ ? run_ - at : tile_;
      const DataCopyExtParams run{1, uint32_t(n * sizeof(T)), 0, 0, 0};
      const DataCopyPadExtParams<T> pad{false, 0, 0, T()};
      LocalTensor<T> a = inA_.template AllocTensor<T>(), b = inB_.template AllocTensor<T>();
      DataCopyPad(a, x_[uint64_t(outer) * 2 * run_ + at], run, pad);
      DataCopyPad(b, x_[uint64_t(outer) * 2 * run_ + run_ + at], run, pad);
      inA_.EnQue(a);
      inB_.EnQue(b);
      a = inA_.template DeQue<T>();
      b = inB_.template DeQue<T>();
      LocalTensor<T> y = out_.template AllocTensor<T>();
      LocalTensor<float> e = e_.Get<float>();
      if constexpr (std::is_same<T, float>::value) {
        Silu(e, a, n);
        Mul(y, e, b, n);
      } else {
        LocalTensor<float> fa = a_.Get<float>(), fb = b_.Get<float>();
        Cast(fa, a, RoundMode::CAST_NONE, n);
        Cast(fb, b, RoundMode::CAST_NONE, n);
        Muls(e, fa, -1.0f, n);
        Exp(e, e, n);
        Adds(e, e, 1.0f, n);
        Div(fa, fa, e, n);
        Mul(fa, fa, fb, n);
        Cast(y, fa, RoundMode::CAST_RINT, n);
      }
      inA_.FreeTensor(a);
      inB_.FreeTensor(b);
      out_.EnQue(y);
      y = out_.template DeQue<T>();
      DataCopyPad(y_[uint64_t(outer) * run_ + at], y, run);
      out_.FreeTensor(y);
    }
  }

 private:
  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> inA_, inB_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<> a_, b_, e_;
  GlobalTensor<T> x_, y_;
  uint32_t outer_, run_, tile_, pieces_;
};

extern "C" __global__ __aicore__ void swi_glu(GM_ADDR input_gm, GM_ADDR output_gm, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  KernelSwiGlu<DTYPE_X> op;
  op.Init(input_gm, output_gm, data.outer, data.run);
  op.Process();
}
