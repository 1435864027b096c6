// COUNT scores with their indices into records of 8 bytes: Sort32, or with FULL the whole by Sort, taken apart by
// Extract.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR sg, GM_ADDR ig, GM_ADDR rg, GM_ADDR vg, GM_ADDR xg) {
  TPipe pipe;
  TBuf<> bs, bi, br, bt, bv, bx;
  pipe.InitBuffer(bs, COUNT * sizeof(T));
  pipe.InitBuffer(bi, COUNT * 4);
  pipe.InitBuffer(br, COUNT * 8);
  pipe.InitBuffer(bt, COUNT * 8);
  pipe.InitBuffer(bv, COUNT * sizeof(T));
  pipe.InitBuffer(bx, COUNT * 4);
  GlobalTensor<T> s, v;
  GlobalTensor<uint32_t> i, r, x;
  s.SetGlobalBuffer((__gm__ T*)sg);
  v.SetGlobalBuffer((__gm__ T*)vg);
  i.SetGlobalBuffer((__gm__ uint32_t*)ig);
  r.SetGlobalBuffer((__gm__ uint32_t*)rg);
  x.SetGlobalBuffer((__gm__ uint32_t*)xg);
  LocalTensor<T> score = bs.Get<T>(), record = br.Get<T>(), work = bt.Get<T>(), value = bv.Get<T>();
  LocalTensor<uint32_t> index = bi.Get<uint32_t>(), found = bx.Get<uint32_t>();
  DataCopy(score, s, COUNT);
  DataCopy(index, i, COUNT);
  PipeBarrier<PIPE_ALL>();
  if constexpr (FULL) {
    LocalTensor<T> joined;
    Concat(joined, score, work, COUNT / 16);
    Sort<T, true>(record, joined, index, work, COUNT / 32);
  } else {
    Sort32(record, score, index, COUNT / 32);
  }
  Extract(value, found, record, COUNT / 32);
  PipeBarrier<PIPE_ALL>();
  DataCopy(r, record.template ReinterpretCast<uint32_t>(), COUNT * 2);
  DataCopy(v, value, COUNT);
  DataCopy(x, found, COUNT);
}
