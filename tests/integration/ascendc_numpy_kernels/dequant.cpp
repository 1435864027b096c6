// AscendDequant of ROWS rows of COLUMNS, of which VALID count: by a tensor of scales (FORM 0), a number (1), in the
// older form (2), without taking one row for DEALT_ROWS (3).
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR xg, GM_ADDR sg, GM_ADDR zg) {
  constexpr int unit = 32 / sizeof(OUT), step = (COLUMNS + unit - 1) / unit * unit;
  constexpr int from_row = DEALT_ROWS, to_step = ROWS == DEALT_ROWS ? step : VALID;
  TPipe pipe;
  TBuf<> bx, bs, bz, bt;
  pipe.InitBuffer(bx, ROWS * COLUMNS * 4);
  pipe.InitBuffer(bs, COLUMNS * sizeof(S));
  pipe.InitBuffer(bz, ROWS * step * sizeof(OUT));
  pipe.InitBuffer(bt, 32768);
  GlobalTensor<int32_t> x;
  GlobalTensor<S> s;
  GlobalTensor<OUT> z;
  x.SetGlobalBuffer((__gm__ int32_t*)xg);
  s.SetGlobalBuffer((__gm__ S*)sg);
  z.SetGlobalBuffer((__gm__ OUT*)zg);
  LocalTensor<int32_t> src = bx.Get<int32_t>();
  LocalTensor<S> scale = bs.Get<S>();
  LocalTensor<OUT> dst = bz.Get<OUT>();
  DataCopy(src, x, ROWS * COLUMNS);
  DataCopy(scale, s, COLUMNS);
  PipeBarrier<PIPE_ALL>();
  const DequantParams shape{ROWS, COLUMNS, VALID};
  if constexpr (FORM == 0) AscendDequant(dst, src, scale, bt.Get<uint8_t>(), shape);
  if constexpr (FORM == 1) AscendDequant(dst, src, 0.0625f, bt.Get<uint8_t>(), shape);
  if constexpr (FORM == 2) AscendDequant(dst, src, scale, bt.Get<uint8_t>(), ROWS * COLUMNS);
  if constexpr (FORM == 3) AscendDequant<OUT, S, DeQuantMode::DEQUANT_WITH_MULTI_ROW>(dst, src, scale, shape);
  PipeBarrier<PIPE_ALL>();
  for (int row = 0; row < from_row; ++row)
    DataCopyPad(z[row * VALID], dst[row * to_step], DataCopyExtParams(1, VALID * sizeof(OUT), 0, 0, 0));
}
