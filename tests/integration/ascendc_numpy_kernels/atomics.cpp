// What COUNT elements of each of CORES cores leave in one place by ATOMIC (SetAtomicAdd, -Max or -Min), after the first
// core has put START there; each core's share goes in two copies.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR startg, GM_ADDR xg, GM_ADDR zg) {
  TPipe pipe;
  TBuf<> bs, bx;
  pipe.InitBuffer(bs, COUNT * sizeof(T));
  pipe.InitBuffer(bx, COUNT * sizeof(T));
  GlobalTensor<T> start, x, z;
  start.SetGlobalBuffer((__gm__ T*)startg);
  x.SetGlobalBuffer((__gm__ T*)xg + GetBlockIdx() * COUNT);
  z.SetGlobalBuffer((__gm__ T*)zg);
  LocalTensor<T> first = bs.Get<T>(), mine = bx.Get<T>();
  DataCopy(first, start, COUNT);
  DataCopy(mine, x, COUNT);
  PipeBarrier<PIPE_ALL>();
  if (GetBlockIdx() == 0) DataCopy(z, first, COUNT);
  PipeBarrier<PIPE_ALL>();
  SyncAll();
  ATOMIC<T>();
  DataCopy(z, mine, COUNT / 2);
  DataCopyPad(z[COUNT / 2], mine[COUNT / 2], DataCopyExtParams(1, COUNT / 2 * sizeof(T), 0, 0, 0));
  SetAtomicNone();
}
