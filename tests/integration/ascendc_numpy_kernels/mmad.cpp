// C (ROWS, COLUMNS) = A (ROWS, INNER) * B (INNER, COLUMNS) on one cube core: Nd2Nz, LoadData, Mmad in steps of STEP
// along INNER, Fixpipe. A_TURNED and B_TURNED: the matrix comes transposed. BIAS: none or a row. QUANT: Fixpipe's mode,
// with SCALE or, BY_COLUMN, a tensor of scales. RELU, NZ: fractals instead of rows. A single row is read as a vector:
// INNER elements behind one another.
using namespace AscendC;
constexpr int c0 = 32 / sizeof(IN);
constexpr int up(int x, int to) { return (x + to - 1) / to * to; }
constexpr int m16 = up(ROWS, 16), n16 = up(COLUMNS, 16), kb = up(INNER, c0 > 16 ? c0 : 16), n32 = up(COLUMNS, 32);

extern "C" __global__ __aicore__ void k_(GM_ADDR ag, GM_ADDR bg, GM_ADDR sg, GM_ADDR biasg, GM_ADDR cg) {
  TPipe pipe;
  TBuf<TPosition::A1> a1, s1;
  TBuf<TPosition::B1> b1;
  TBuf<TPosition::C1> bias1;
  TBuf<TPosition::A2> a2;
  TBuf<TPosition::B2> b2;
  TBuf<TPosition::C2> bias2;
  TBuf<TPosition::CO1> c1;
  pipe.InitBuffer(a1, m16 * kb * sizeof(IN));
  pipe.InitBuffer(b1, n32 * kb * sizeof(IN));
  pipe.InitBuffer(s1, n32 * 8);
  pipe.InitBuffer(bias1, n16 * 4);
  pipe.InitBuffer(a2, m16 * kb * sizeof(IN));
  pipe.InitBuffer(b2, n32 * kb * sizeof(IN));
  pipe.InitBuffer(bias2, n16 * 4);
  pipe.InitBuffer(c1, m16 * n16 * 4);
  GlobalTensor<IN> a, b;
  GlobalTensor<OUT> c;
  GlobalTensor<uint64_t> s;
  GlobalTensor<ACC> bias;
  a.SetGlobalBuffer((__gm__ IN*)ag);
  b.SetGlobalBuffer((__gm__ IN*)bg);
  c.SetGlobalBuffer((__gm__ OUT*)cg);
  s.SetGlobalBuffer((__gm__ uint64_t*)sg);
  bias.SetGlobalBuffer((__gm__ ACC*)biasg);
  LocalTensor<IN> al1 = a1.Get<IN>(), bl1 = b1.Get<IN>(), al0 = a2.Get<IN>(), bl0 = b2.Get<IN>();
  LocalTensor<uint64_t> scales = s1.Get<uint64_t>();
  LocalTensor<ACC> cl0 = c1.Get<ACC>(), bias_l1 = bias1.Get<ACC>(), bias_table = bias2.Get<ACC>();

  if constexpr (ROWS == 1)
    DataCopy(al1, a, kb);
  else if constexpr (A_TURNED)
    DataCopy(al1, a, Nd2NzParams(1, INNER, ROWS, 0, ROWS, kb, 1, 0));
  else
    DataCopy(al1, a, Nd2NzParams(1, ROWS, INNER, 0, INNER, m16, 1, 0));
  if constexpr (B_TURNED)
    DataCopy(bl1, b, Nd2NzParams(1, COLUMNS, INNER, 0, INNER, n16, 1, 0));
  else
    DataCopy(bl1, b, Nd2NzParams(1, INNER, COLUMNS, 0, COLUMNS, kb, 1, 0));
  if constexpr (BY_COLUMN) DataCopy(scales, s, up(COLUMNS, 4));
  if constexpr (BIAS) DataCopy(bias_l1, bias, n16);
  PipeBarrier<PIPE_ALL>();
  if constexpr (BIAS) DataCopy(bias_table, bias_l1, n16);
  for (int k0 = 0; k0 < INNER; k0 += STEP) {
    const int kn = INNER - k0 < STEP ? INNER - k0 : STEP, kc = up(kn, c0);
    for (int i = 0; i < m16 / 16; ++i) {
      if constexpr (ROWS == 1)
        LoadData(al0, al1, LoadData2DParams(0, up(INNER, 16 * c0) / (16 * c0), 1, 0, 0, false, 0));
      else if constexpr (A_TURNED)
        LoadData(al0[i * 16 * kc], al1[i * kb * 16 + k0 * 16], LoadData2DParams(0, kc / 16, 1, 0, 0, true, 0));
      else
        LoadData(al0[i * 16 * kc], al1[k0 * m16 + i * 16 * c0], LoadData2DParams(0, kc / c0, m16 / 16, 0, 0, false, 0));
    }
    for (int i = 0; i < kc / c0; ++i) {
      if constexpr (B_TURNED)
        LoadData(bl0[i * n16 * c0], bl1[(k0 / c0 + i) * n16 * c0], LoadData2DParams(0, n16 / 16, 1, 0, 0, false, 0));
      else if constexpr (sizeof(IN) == 2)
        LoadData(bl0[i * n16 * 16], bl1[(k0 / 16 + i) * 256], LoadData2DParams(0, n16 / 16, kb / 16, 0, 0, true, 0));
      else
        LoadDataWithTranspose(bl0[i * n16 * c0], bl1[(k0 / c0 + i) * 1024],
                              LoadData2dTransposeParams(0, n32 / 32, kb / 32, 1, 0));
    }
    PipeBarrier<PIPE_ALL>();
    MmadParams mm;
    mm.m = ROWS;
    mm.n = COLUMNS;
    mm.k = kn;
    mm.cmatrixInitVal = k0 == 0;
    if (BIAS && k0 == 0)
      Mmad(cl0, al0, bl0, bias_table, mm);
    else
      Mmad(cl0, al0, bl0, mm);
    PipeBarrier<PIPE_ALL>();
  }
  FixpipeParamsV220 fix;
  fix.nSize = NZ ? n16 : COLUMNS;
  fix.mSize = ROWS;
  fix.srcStride = m16;
  fix.dstStride = NZ ? ROWS * (sizeof(OUT) == 1 ? 32 : 16) * sizeof(OUT) / 32 : COLUMNS;
  fix.quantPre = QUANT;
  fix.deqScalar = SCALE;
  fix.reluEn = RELU;
  if constexpr (BY_COLUMN)
    Fixpipe<OUT, ACC, NZ ? CFG_NZ : CFG_ROW_MAJOR>(c, cl0, scales, fix);
  else
    Fixpipe<OUT, ACC, NZ ? CFG_NZ : CFG_ROW_MAJOR>(c, cl0, fix);
}
