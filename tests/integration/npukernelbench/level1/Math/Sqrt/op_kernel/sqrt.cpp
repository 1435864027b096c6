#include "kernel_operator.h"

// y = sqrt(x), half and float as they are, bf16 through float.
namespace sqrt_kernel {
using namespace AscendC;
constexpr int32_t kTile = 8192;

template <typename T>
class Kernel {
 public:
  __aicore__ inline Kernel(GM_ADDR x, GM_ADDR y, int32_t perCore) : perCore_(perCore) {
    x_.SetGlobalBuffer((__gm__ T*)x + GetBlockIdx() * perCore_, perCore_);
    y_.SetGlobalBuffer((__gm__ T*)y + GetBlockIdx() * perCore_, perCore_);
    GetTPipePtr()->InitBuffer(in_, 2, kTile * sizeof(T));
    GetTPipePtr()->InitBuffer(out_, 2, kTile * sizeof(T));
    if (sizeof(T) == 2) GetTPipePtr()->InitBuffer(wide_, kTile * sizeof(float));
  }
  __aicore__ inline void Run() {
    for (int32_t i = 0; i < perCore_ / kTile; i++) {
      CopyIn(i);
      Compute();
      CopyOut(i);
    }
  }

 private:
  __aicore__ inline void CopyIn(int32_t i) {
    auto t = in_.template AllocTensor<T>();
    DataCopy(t, x_[i * kTile], {1, kTile * sizeof(T) / 32, 0, 0});
    in_.EnQue(t);
  }
  __aicore__ inline void Compute() {
    auto x = in_.template DeQue<T>();
    auto y = out_.template AllocTensor<T>();
    if constexpr (std::is_same_v<T, bfloat16_t>) {
      auto wide = wide_.template Get<float>();
      Cast(wide, x, RoundMode::CAST_NONE, kTile);
      Sqrt(wide, wide, kTile);
      Cast(y, wide, RoundMode::CAST_RINT, kTile);
    } else {
      constexpr uint64_t lanes = 256 / sizeof(T);
      Sqrt(y, x, lanes, kTile / lanes, {1, 1, 8, 8});
    }
    in_.FreeTensor(x);
    out_.EnQue(y);
  }
  __aicore__ inline void CopyOut(int32_t i) {
    auto t = out_.template DeQue<T>();
    DataCopy(y_[i * kTile], t, {1, kTile * sizeof(T) / 32, 0, 0});
    out_.FreeTensor(t);
  }

  TQue<TPosition::VECIN, 1> in_;
  TQue<TPosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> wide_;
  GlobalTensor<T> x_, y_;
  int32_t perCore_;
};
}  // namespace sqrt_kernel

extern "C" __global__ __aicore__ void sqrt(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  sqrt_kernel::Kernel<DTYPE_X> op(x, y, data.perCore);
  op.Run();
}
