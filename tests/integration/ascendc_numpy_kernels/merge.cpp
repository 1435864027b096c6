// LISTS lists of 32, 64, 96 and 32 records, sorted first, by MrgSort; SUSPENDS: until one of them is used up.
using namespace AscendC;
extern "C" __global__ __aicore__ void k(GM_ADDR sg, GM_ADDR ig, GM_ADDR rg, GM_ADDR ng) {
  constexpr int count = 224;
  TPipe pipe;
  TBuf<> bs, bi, br, bt, bn;
  pipe.InitBuffer(bs, count * sizeof(T));
  pipe.InitBuffer(bi, count * 4);
  pipe.InitBuffer(br, count * 8);
  pipe.InitBuffer(bt, count * 8);
  pipe.InitBuffer(bn, 32);
  GlobalTensor<T> s;
  GlobalTensor<uint32_t> i, r, n;
  s.SetGlobalBuffer((__gm__ T*)sg);
  i.SetGlobalBuffer((__gm__ uint32_t*)ig);
  r.SetGlobalBuffer((__gm__ uint32_t*)rg);
  n.SetGlobalBuffer((__gm__ uint32_t*)ng);
  LocalTensor<T> score = bs.Get<T>(), record = br.Get<T>(), merged = bt.Get<T>(), work = bt.Get<T>();
  LocalTensor<uint32_t> index = bi.Get<uint32_t>(), taken = bn.Get<uint32_t>();
  DataCopy(score, s, count);
  DataCopy(index, i, count);
  PipeBarrier<PIPE_ALL>();
  constexpr uint16_t lengths[4] = {32, 64, LISTS > 2 ? 96 : 0, LISTS > 3 ? 32 : 0};
  constexpr int first[4] = {0, 32, 96, 192};
  for (int k = 0; k < 4; ++k) {
    const int repeats = first[k] == 0 || first[k] == 192 ? 1 : first[k] == 32 ? 2 : 3;
    LocalTensor<uint32_t> its = index[first[k]];
    Sort<T, true>(record[GetSortOffset<T>(first[k])], score[first[k]], its, work, repeats);
  }
  Duplicate(merged.template ReinterpretCast<uint32_t>(), (uint32_t)7, count * 2);
  Duplicate(taken, (uint32_t)0, 8);
  uint32_t got[4];
  MrgSort<T, SUSPENDS>(merged,
                       MrgSortSrcList<T>(record, record[GetSortOffset<T>(32)], record[GetSortOffset<T>(96)],
                                         record[GetSortOffset<T>(192)]),
                       lengths, got, (1 << LISTS) - 1, 1);
  for (int k = 0; k < 4; ++k) taken.SetValue(k, got[k]);
  PipeBarrier<PIPE_ALL>();
  DataCopy(r, merged.template ReinterpretCast<uint32_t>(), count * 2);
  DataCopy(n, taken, 8);
}
