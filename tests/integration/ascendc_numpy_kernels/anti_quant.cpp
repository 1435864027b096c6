// AscendAntiQuant of ROWS rows of COLUMNS by a scale and an offset for each column of each of GROUPS groups of rows.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR sg, GM_ADDR og, GM_ADDR zg) {
  TPipe pipe;
  TBuf<> bx, bs, bo, bz, bt;
  pipe.InitBuffer(bx, ROWS * COLUMNS);
  pipe.InitBuffer(bs, GROUPS * COLUMNS * 2);
  pipe.InitBuffer(bo, GROUPS * COLUMNS * 2);
  pipe.InitBuffer(bz, ROWS * COLUMNS * 2);
  pipe.InitBuffer(bt, 65536);
  GlobalTensor<int8_t> x;
  GlobalTensor<T> s, o, z;
  x.SetGlobalBuffer((__gm__ int8_t*)xg);
  s.SetGlobalBuffer((__gm__ T*)sg);
  o.SetGlobalBuffer((__gm__ T*)og);
  z.SetGlobalBuffer((__gm__ T*)zg);
  LocalTensor<int8_t> src = bx.Get<int8_t>();
  LocalTensor<T> scale = bs.Get<T>(), offset = bo.Get<T>(), dst = bz.Get<T>();
  DataCopy(src, x, ROWS * COLUMNS);
  DataCopy(scale, s, GROUPS * COLUMNS);
  DataCopy(offset, o, GROUPS * COLUMNS);
  PipeBarrier<PIPE_ALL>();
  AscendAntiQuant<int8_t, T, false>(dst, src, offset, scale, bt.Get<uint8_t>(), ROWS,
                                    {GROUPS, COLUMNS, GROUPS, COLUMNS});
  PipeBarrier<PIPE_ALL>();
  DataCopy(z, dst, ROWS * COLUMNS);
}
