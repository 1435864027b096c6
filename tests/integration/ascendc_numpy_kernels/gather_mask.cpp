// GatherMask of COUNT elements, by a tensor of bits (PATTERN 0) or a fixed pattern, in repeats or (COUNTED) at once;
// then how many were kept.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR mg, GM_ADDR zg, GM_ADDR ng) {
  TPipe pipe;
  TBuf<> bx, bm, bz, bn;
  pipe.InitBuffer(bx, COUNT * sizeof(T));
  pipe.InitBuffer(bm, COUNT / 8);
  pipe.InitBuffer(bz, COUNT * sizeof(T));
  pipe.InitBuffer(bn, 32);
  GlobalTensor<T> x, z;
  GlobalTensor<MASK> m;
  GlobalTensor<uint32_t> n;
  x.SetGlobalBuffer((__gm__ T*)xg);
  z.SetGlobalBuffer((__gm__ T*)zg);
  m.SetGlobalBuffer((__gm__ MASK*)mg);
  n.SetGlobalBuffer((__gm__ uint32_t*)ng);
  LocalTensor<T> src = bx.Get<T>(), dst = bz.Get<T>();
  LocalTensor<MASK> mask = bm.Get<MASK>();
  LocalTensor<uint32_t> kept = bn.Get<uint32_t>();
  DataCopy(src, x, COUNT);
  DataCopy(mask, m, COUNT / 8 / sizeof(MASK));
  PipeBarrier<PIPE_ALL>();
  Duplicate(dst.template ReinterpretCast<int16_t>(), (int16_t)0, COUNT * sizeof(T) / 2);
  Duplicate(kept, (uint32_t)0, 8);
  constexpr uint16_t repeats = COUNTED ? 1 : COUNT * sizeof(T) / 256;
  uint64_t number = 0;
  if constexpr (PATTERN == 0)
    GatherMask(dst, src, mask, COUNTED, COUNTED ? COUNT - 5 : 0, {1, repeats, 8, 1}, number);
  else
    GatherMask(dst, src, (uint8_t)PATTERN, COUNTED, COUNTED ? COUNT - 5 : 0, {1, repeats, 8, 0}, number);
  kept.SetValue(0, (uint32_t)number);
  PipeBarrier<PIPE_ALL>();
  DataCopy(z, dst, COUNT);
  DataCopy(n, kept, 8);
}
