// AscendQuant of COUNT elements: by two numbers (FORM 0), a tensor of scales and a number (1), two tensors (2).
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR sg, GM_ADDR og, GM_ADDR zg) {
  TPipe pipe;
  TBuf<> bx, bs, bo, bz, bt;
  pipe.InitBuffer(bx, COUNT * sizeof(T));
  pipe.InitBuffer(bs, COLUMNS * sizeof(T));
  pipe.InitBuffer(bo, COLUMNS * sizeof(T));
  pipe.InitBuffer(bz, COUNT);
  pipe.InitBuffer(bt, COUNT * 8);
  GlobalTensor<T> x, s, o;
  GlobalTensor<int8_t> z;
  x.SetGlobalBuffer((__gm__ T*)xg);
  s.SetGlobalBuffer((__gm__ T*)sg);
  o.SetGlobalBuffer((__gm__ T*)og);
  z.SetGlobalBuffer((__gm__ int8_t*)zg);
  LocalTensor<T> src = bx.Get<T>(), scale = bs.Get<T>(), offset = bo.Get<T>();
  LocalTensor<int8_t> dst = bz.Get<int8_t>();
  LocalTensor<uint8_t> work = bt.Get<uint8_t>();
  DataCopy(src, x, COUNT);
  DataCopy(scale, s, COLUMNS);
  DataCopy(offset, o, COLUMNS);
  PipeBarrier<PIPE_ALL>();
  if constexpr (FORM == 0) AscendQuant<T>(dst, src, work, 3.25f, -1.5f, COUNT);
  if constexpr (FORM == 1) AscendQuant<T>(dst, src, work, scale, (T)-1.5f, COLUMNS, COUNT);
  if constexpr (FORM == 2) AscendQuant<T>(dst, src, work, scale, offset, COLUMNS, COLUMNS, COUNT);
  PipeBarrier<PIPE_ALL>();
  DataCopy(z, dst, COUNT);
}
