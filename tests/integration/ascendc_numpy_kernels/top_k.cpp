// The K largest or smallest (LARGEST) of the first VALID of each of ROWS rows of INNER, with given indices (GIVEN) or
// their places.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR sg, GM_ADDR ig, GM_ADDR vg, GM_ADDR xg) {
  constexpr int unit = 32 / sizeof(T), values = (K + unit - 1) / unit * unit, places = (K + 7) / 8 * 8;
  TPipe pipe;
  TBuf<> bs, bi, bv, bx, bf, bt;
  pipe.InitBuffer(bs, ROWS * INNER * sizeof(T));
  pipe.InitBuffer(bi, INNER * 4);
  pipe.InitBuffer(bv, ROWS * values * sizeof(T));
  pipe.InitBuffer(bx, ROWS * places * 4);
  pipe.InitBuffer(bf, 32);
  pipe.InitBuffer(bt, 65536);
  GlobalTensor<T> s, v;
  GlobalTensor<int32_t> i, x;
  s.SetGlobalBuffer((__gm__ T*)sg);
  v.SetGlobalBuffer((__gm__ T*)vg);
  i.SetGlobalBuffer((__gm__ int32_t*)ig);
  x.SetGlobalBuffer((__gm__ int32_t*)xg);
  LocalTensor<T> score = bs.Get<T>(), value = bv.Get<T>();
  LocalTensor<int32_t> index = bi.Get<int32_t>(), place = bx.Get<int32_t>();
  DataCopy(score, s, ROWS * INNER);
  DataCopy(index, i, INNER);
  PipeBarrier<PIPE_ALL>();
  Duplicate(value.template ReinterpretCast<int16_t>(), (int16_t)0, ROWS * values * sizeof(T) / 2);
  Duplicate(place, 0, ROWS * places);
  TopkTiling tiling;
  TopK<T, GIVEN>(value, place, score, index, bf.Get<bool>(), bt.Get<uint8_t>(), K, tiling, TopKInfo{ROWS, INNER, VALID},
                 LARGEST);
  PipeBarrier<PIPE_ALL>();
  for (int row = 0; row < ROWS; ++row) {
    DataCopyPad(v[row * K], value[row * values], DataCopyExtParams(1, K * sizeof(T), 0, 0, 0));
    DataCopyPad(x[row * K], place[row * places], DataCopyExtParams(1, K * 4, 0, 0, 0));
  }
}
