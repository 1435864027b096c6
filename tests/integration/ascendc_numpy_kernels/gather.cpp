// Gather of COUNT elements by byte offsets, with a base; Gatherb of as many blocks as fill COUNT elements.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR og, GM_ADDR bg, GM_ADDR zg, GM_ADDR yg) {
  constexpr int blocks = COUNT * sizeof(T) / 32;
  TPipe pipe;
  TBuf<> bx, bo, bb, bz, by;
  pipe.InitBuffer(bx, SOURCE * sizeof(T));
  pipe.InitBuffer(bo, COUNT * 4);
  pipe.InitBuffer(bb, blocks * 4);
  pipe.InitBuffer(bz, COUNT * sizeof(T));
  pipe.InitBuffer(by, COUNT * sizeof(T));
  GlobalTensor<T> x, z, y;
  GlobalTensor<uint32_t> o, b;
  x.SetGlobalBuffer((__gm__ T*)xg);
  z.SetGlobalBuffer((__gm__ T*)zg);
  y.SetGlobalBuffer((__gm__ T*)yg);
  o.SetGlobalBuffer((__gm__ uint32_t*)og);
  b.SetGlobalBuffer((__gm__ uint32_t*)bg);
  LocalTensor<T> src = bx.Get<T>(), dst = bz.Get<T>(), by_block = by.Get<T>();
  LocalTensor<uint32_t> offset = bo.Get<uint32_t>(), block = bb.Get<uint32_t>();
  DataCopy(src, x, SOURCE);
  DataCopy(offset, o, COUNT);
  DataCopy(block, b, blocks);
  PipeBarrier<PIPE_ALL>();
  Gather(dst, src, offset, 64, COUNT);
  Gatherb(by_block, src, block, blocks / 8, {1, 8});
  PipeBarrier<PIPE_ALL>();
  DataCopy(z, dst, COUNT);
  DataCopy(y, by_block, COUNT);
}
