#include "kernel_operator.h"
using namespace AscendC;

// out[i, k] = sum over j of sigmoid((x[i, j, k] + a[k]) * m) * b[i, j] * c[i, j, k]. One matrix [J, K] at a time, in
// float. b[i, j] is spread over its row with Brcb: each of 8 numbers fills a block of 8 floats, which the product then
// repeats along the row.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define IN0_SHAPE {40, 64, 32}
#endif

constexpr uint32_t kShape[] = IN0_SHAPE;
constexpr uint32_t kI = kShape[0], kJ = kShape[1], kK = kShape[2];
constexpr uint32_t kMatrix = kJ * kK;
static_assert(kK % 16 == 0 && kJ % 16 == 0, "rows and columns in whole blocks of halves");
constexpr uint32_t kTileJ = 4096 / kK < kJ ? 4096 / kK : kJ;  // rows a tile
constexpr uint32_t kTile = kTileJ * kK;

class KernelFused {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR a, GM_ADDR m, GM_ADDR b, GM_ADDR c, GM_ADDR out) {
    x_.SetGlobalBuffer((__gm__ half*)x);
    a_.SetGlobalBuffer((__gm__ half*)a);
    b_.SetGlobalBuffer((__gm__ half*)b);
    c_.SetGlobalBuffer((__gm__ half*)c);
    out_.SetGlobalBuffer((__gm__ half*)out);
    GlobalTensor<half> scalar;
    scalar.SetGlobalBuffer((__gm__ half*)m);
    m_ = scalar.GetValue(0);
    pipe_.InitBuffer(inX_, 1, kTile * sizeof(half));
    pipe_.InitBuffer(inC_, 1, kTile * sizeof(half));
    pipe_.InitBuffer(inB_, 1, kTileJ * sizeof(half));
    pipe_.InitBuffer(inA_, 1, kK * sizeof(half));
    pipe_.InitBuffer(outQueue_, 1, kK * sizeof(half));
    pipe_.InitBuffer(wide_, 2 * kTile * sizeof(float));
    pipe_.InitBuffer(rows_, (kTileJ + kTileJ * 8 + 2 * kK) * sizeof(float));
  }
  __aicore__ inline void Process() {
    LocalTensor<float> b = rows_.Get<float>(), blocks = b[kTileJ], a = blocks[kTileJ * 8], sum = a[kK];
    LocalTensor<half> raw = inA_.AllocTensor<half>();
    DataCopy(raw, a_, kK);
    inA_.EnQue(raw);
    raw = inA_.DeQue<half>();
    Cast(a, raw, RoundMode::CAST_NONE, kK);
    inA_.FreeTensor(raw);
    for (uint32_t i = GetBlockIdx(); i < kI; i += GetBlockNum()) {
      Duplicate(sum, 0.0f, kK);
      for (uint32_t j = 0; j < kJ; j += kTileJ) Tile(i, j, a, b, blocks, sum);
      LocalTensor<half> y = outQueue_.AllocTensor<half>();
      Cast(y, sum, RoundMode::CAST_RINT, kK);
      outQueue_.EnQue(y);
      y = outQueue_.DeQue<half>();
      DataCopy(out_[i * kK], y, kK);
      outQueue_.FreeTensor(y);
    }
  }

 private:
  __aicore__ inline void Tile(uint32_t i, uint32_t j, const LocalTensor<float>& a, const LocalTensor<float>& b,
                              const LocalTensor<float>& blocks, const LocalTensor<float>& sum) {
    LocalTensor<half> x = inX_.AllocTensor<half>(), c = inC_.AllocTensor<half>(), bs = inB_.AllocTensor<half>();
    DataCopy(x, x_[i * kMatrix + j * kK], kTile);
    DataCopy(c, c_[i * kMatrix + j * kK], kTile);
    DataCopy(bs, b_[i * kJ + j], kTileJ);
    inX_.EnQue(x);
    inC_.EnQue(c);
    inB_.EnQue(bs);
    LocalTensor<float> f = wide_.Get<float>(), g = f[kTile];
    x = inX_.DeQue<half>();
    Cast(f, x, RoundMode::CAST_NONE, kTile);
    inX_.FreeTensor(x);
    for (uint32_t row = 0; row < kTileJ; ++row) Add(f[row * kK], f[row * kK], a, kK);
    Muls(f, f, -m_, kTile);
    Exp(f, f, kTile);
    Adds(f, f, 1.0f, kTile);
    c = inC_.DeQue<half>();
    Cast(g, c, RoundMode::CAST_NONE, kTile);
    inC_.FreeTensor(c);
    Div(g, g, f, kTile);
    bs = inB_.DeQue<half>();
    Cast(b, bs, RoundMode::CAST_NONE, kTileJ);
    inB_.FreeTensor(bs);
    Brcb(blocks, b, kTileJ / 8, {1, 8});
    // One repeat a row of up to 64 floats; the second operand keeps to one block a row.
    for (uint32_t k = 0; k < kK; k += 64) {
      const uint64_t lanes = kK - k < 64 ? kK - k : 64;
      Mul(g[k], g[k], blocks, lanes, kTileJ, BinaryRepeatParams(1, 1, 0, kK / 8, kK / 8, 1));
    }
    for (uint32_t row = 0; row < kTileJ; ++row) Add(sum, sum, g[row * kK], kK);
  }

  TPipe pipe_;
  TQue<TPosition::VECIN, 1> inX_, inC_, inB_, inA_;
  TQue<TPosition::VECOUT, 1> outQueue_;
  TBuf<> wide_, rows_;
  GlobalTensor<half> x_, a_, b_, c_, out_;
  float m_;
};

extern "C" __global__ __aicore__ void add_sigmoid_mul_reduce_sum_d(GM_ADDR add_0_input0, GM_ADDR add_0_input1,
                                                                   GM_ADDR mul_0_input1, GM_ADDR mult_1_input1,
                                                                   GM_ADDR mult_2_input1, GM_ADDR out,
                                                                   GM_ADDR workspace) {
  KernelFused op;
  op.Init(add_0_input0, add_0_input1, mul_0_input1, mult_1_input1, mult_2_input1, out);
  op.Process();
}
