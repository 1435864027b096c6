#include "kernel_operator.h"

// y = x1 == x2 as 0 or 1, without Select: 1 - min(|x1 - x2| * 2^126 * 2^126, 1) in float. The difference of
// unlike numbers is at least 2^-149, so that its product is at least 2^103 or infinite.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_TYPE half
#define IN0_SIZE 12
#endif

namespace {
constexpr uint32_t kSize = IN0_SIZE;
constexpr uint32_t kTile = 6144;
constexpr float kHuge = 8.507059173023462e37f;  // 2^126
}  // namespace

template <typename T>
__aicore__ inline void CompareEqual(GM_ADDR x1, GM_ADDR x2, GM_ADDR y) {
  using namespace AscendC;
  TPipe pipe;
  TQue<TPosition::VECIN, 1> inQueue;
  TQue<TPosition::VECOUT, 1> outQueue;
  TBuf<TPosition::VECCALC> aBuf, bBuf, hBuf;
  pipe.InitBuffer(inQueue, 2, 2 * kTile * sizeof(T));
  pipe.InitBuffer(outQueue, 2, kTile);
  pipe.InitBuffer(aBuf, kTile * sizeof(float));
  pipe.InitBuffer(bBuf, kTile * sizeof(float));
  pipe.InitBuffer(hBuf, kTile * sizeof(half));
  GlobalTensor<T> gm1, gm2;
  GlobalTensor<uint8_t> gmY;
  gm1.SetGlobalBuffer((__gm__ T*)x1);
  gm2.SetGlobalBuffer((__gm__ T*)x2);
  gmY.SetGlobalBuffer((__gm__ uint8_t*)y);

  const uint32_t tiles = (kSize + kTile - 1) / kTile;
  for (uint32_t tile = GetBlockIdx(); tile < tiles; tile += GetBlockNum()) {
    const uint32_t at = tile * kTile;
    const uint32_t n = kSize - at < kTile ? kSize - at : kTile;
    LocalTensor<T> both = inQueue.AllocTensor<T>();
    DataCopyExtParams params(1, n * sizeof(T), 0, 0, 0);
    DataCopyPadExtParams<T> pad(false, 0, 0, T());
    DataCopyPad(both, gm1[at], params, pad);
    DataCopyPad(both[kTile], gm2[at], params, pad);
    inQueue.EnQue(both);

    both = inQueue.DeQue<T>();
    LocalTensor<float> a = aBuf.Get<float>(), b = bBuf.Get<float>();
    if constexpr (std::is_same_v<T, float>) {
      Sub(a, both, both[kTile], n);
    } else if constexpr (sizeof(T) == 1) {  // by way of half
      LocalTensor<half> h = hBuf.Get<half>();
      Cast(h, both, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Cast(a, h, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Cast(h, both[kTile], RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Cast(b, h, RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Sub(a, a, b, n);
    } else {
      Cast(a, both, RoundMode::CAST_NONE, n);
      Cast(b, both[kTile], RoundMode::CAST_NONE, n);
      PipeBarrier<PIPE_V>();
      Sub(a, a, b, n);
    }
    inQueue.FreeTensor(both);
    PipeBarrier<PIPE_V>();
    Abs(a, a, n);
    PipeBarrier<PIPE_V>();
    Muls(a, a, kHuge, n);
    PipeBarrier<PIPE_V>();
    Muls(a, a, kHuge, n);
    PipeBarrier<PIPE_V>();
    Mins(a, a, 1.0f, n);
    PipeBarrier<PIPE_V>();
    Muls(a, a, -1.0f, n);
    PipeBarrier<PIPE_V>();
    Adds(a, a, 1.0f, n);
    PipeBarrier<PIPE_V>();
    LocalTensor<half> h = hBuf.Get<half>();
    Cast(h, a, RoundMode::CAST_RINT, n);
    PipeBarrier<PIPE_V>();
    LocalTensor<uint8_t> out = outQueue.AllocTensor<uint8_t>();
    Cast(out, h, RoundMode::CAST_RINT, n);
    outQueue.EnQue(out);
    out = outQueue.DeQue<uint8_t>();
    DataCopyPad(gmY[at], out, DataCopyExtParams(1, n, 0, 0, 0));
    outQueue.FreeTensor(out);
  }
}

extern "C" __global__ __aicore__ void equal(GM_ADDR x1, GM_ADDR x2, GM_ADDR y, GM_ADDR workspace) {
  CompareEqual<IN0_TYPE>(x1, x2, y);
}
