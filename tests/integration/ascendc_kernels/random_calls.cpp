// A kernel that is another program for each seed, of the calls that choose, sort, spread, normalise and move: valid
// ones, and (odd seeds) ones whose parameters are now and then anything at all. All cores draw the same numbers.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int kLength = 4096;   // elements of x, y, z and of the workspace
constexpr int kScratch = 2048;  // floats of each scratch tensor

class Dice {
 public:
  __aicore__ Dice(uint32_t seed, bool wild) : state_(seed * 2654435761u + 362436069u), wild_(wild) {}
  __aicore__ uint32_t below(uint32_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return n == 0 ? 0 : state_ % n;
  }
  __aicore__ bool one_in(uint32_t n) { return below(n) == 0; }
  __aicore__ bool slip(uint32_t n) { return wild_ && one_in(n); }
  // Below n; in wild programs now and then a number that does not fit anything.
  __aicore__ uint32_t number(uint32_t n) {
    if (!slip(12)) return below(n);
    switch (below(10)) {
      case 0:
        return 0;
      case 1:
        return 0xFFFFFFFFu;
      case 2:
        return 0x80000000u;
      case 3:
        return 0x7FFFFFFFu;
      case 4:
        return 65535;
      case 5:
        return 65536;
      case 6:
        return 256;
      case 7:
        return n + 1;
      case 8:
        return 0x20000000u + below(64);
      default:
        return below(0xFFFFFFFFu);
    }
  }

 private:
  uint32_t state_;
  bool wild_;
};

class Program {
 public:
  __aicore__ Program(uint32_t seed, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) : dice_(seed, seed & 1) {
    x_.SetGlobalBuffer((__gm__ float*)xg, kLength);
    y_.SetGlobalBuffer((__gm__ float*)yg, kLength);
    z_.SetGlobalBuffer((__gm__ float*)zg, kLength);
    w_.SetGlobalBuffer((__gm__ float*)wg, kLength);
    pipe_.InitBuffer(bound_, 2, 2048);
    for (int i = 0; i < 4; ++i) pipe_.InitBuffer(scratch_[i], kScratch * 4);
  }

  __aicore__ void run() {
    for (int i = 0; i < 4; ++i)
      if (!dice_.slip(6)) CreateVecIndex(scratch_[i].Get<int32_t>(), static_cast<int32_t>(dice_.below(100)), kScratch);
    const uint32_t steps = 3 + dice_.below(20);
    for (uint32_t i = 0; i < steps; ++i) step();
  }

 private:
  // A scratch tensor, or its later part.
  template <typename T>
  __aicore__ LocalTensor<T> any() {
    LocalTensor<T> t = scratch_[dice_.below(4)].Get<T>();
    if (dice_.slip(10)) return t[dice_.number(kScratch)];
    if (dice_.slip(200)) return LocalTensor<T>();
    return dice_.one_in(3) ? t[dice_.below(16) * 32 / sizeof(T)] : t;
  }
  __aicore__ int32_t count(uint32_t most) { return static_cast<int32_t>(dice_.number(most + 1)); }
  __aicore__ uint8_t byte(uint32_t n) { return static_cast<uint8_t>(dice_.number(n)); }
  __aicore__ uint16_t word(uint32_t n) { return static_cast<uint16_t>(dice_.number(n)); }

  __aicore__ void step() {
    switch (dice_.below(12)) {
      case 0:
        return gathers();
      case 1:
        return sorts();
      case 2:
        return merges();
      case 3:
        return softmaxes();
      case 4:
        return norms();
      case 5:
        return spreads();
      case 6:
        return transposes();
      case 7:
        return compares();
      case 8:
        return reduces();
      case 9:
        return moves();
      case 10:
        return queues();
      default:
        return meets();
    }
  }

  __aicore__ void gathers() {
    uint64_t kept = 0, bits[2] = {dice_.below(0xFFFFFFFFu), dice_.below(3)};
    GatherMaskParams p;
    p.src0BlockStride = byte(3);
    p.repeatTimes = word(5);
    p.src0RepeatStride = word(9);
    p.src1RepeatStride = byte(3);
    GatherRepeatParams g{byte(2), byte(9)};
    LocalTensor<uint32_t> at = any<uint32_t>();
    if (dice_.one_in(2)) Muls(at.ReinterpretCast<int32_t>(), at.ReinterpretCast<int32_t>(), int32_t{4}, 256);
    switch (dice_.below(6)) {
      case 0:
        return Gather(any<float>(), any<float>(), at, dice_.number(8) * 4, static_cast<uint32_t>(count(512)));
      case 1:
        return Gather(any<half>(), any<half>(), at, 0, static_cast<uint64_t>(dice_.number(129)), byte(4), word(9));
      case 2:
        return Gather(any<int32_t>(), any<int32_t>(), at, 0, bits, byte(4), word(9));
      case 3:
        return Gatherb(any<float>(), any<float>(), at, byte(5), g);
      case 4:
        return GatherMask(any<float>(), any<float>(), byte(8), dice_.one_in(2), dice_.number(200), p, kept);
      default:
        return GatherMask(any<half>(), any<half>(), any<uint16_t>(), dice_.one_in(2), dice_.number(200), p, kept);
    }
  }

  __aicore__ void sorts() {
    LocalTensor<float> tmp = any<float>();
    LocalTensor<bool> none;
    TopkTiling tiling;
    TopKInfo info;
    info.outter = count(3);
    info.inner = static_cast<int32_t>(dice_.number(4)) * 32;
    info.n = dice_.one_in(2) ? info.inner : count(64);
    switch (dice_.below(6)) {
      case 0:
        return Sort32(any<float>(), any<float>(), any<uint32_t>(), count(6));
      case 1:
        return Sort<float, true>(any<float>(), any<float>(), any<uint32_t>(), tmp, count(6));
      case 2:
        return Extract(any<float>(), any<uint32_t>(), any<float>(), count(6));
      case 3:
        return RpSort16(any<half>(), any<half>(), count(8));
      case 4:
        return dice_.one_in(2) ? ProposalConcat(any<half>(), any<half>(), count(4), count(5))
                               : ProposalExtract(any<half>(), any<half>(), count(4), count(5));
      default:
        return TopK<float, true>(any<float>(), any<int32_t>(), any<float>(), any<int32_t>(), none, count(16), tiling,
                                 info);
    }
  }

  __aicore__ void merges() {
    const uint16_t n = word(40), lengths[4] = {n, dice_.one_in(2) ? n : word(40), dice_.one_in(2) ? n : word(40), n};
    const uint16_t masks[4] = {3, 7, 15, 15};
    const uint16_t valid = dice_.slip(4) ? word(64) : masks[dice_.below(4)];
    MrgSort(any<float>(), MrgSortSrcList<float>(any<float>(), any<float>(), any<float>(), any<float>()),
            MrgSort4Info(lengths, dice_.one_in(3), valid, word(3)));
  }

  __aicore__ void softmaxes() {
    const uint32_t k = (1 + dice_.number(8)) * 8, m = 1 + dice_.number(8);
    SoftMaxShapeInfo shape{m, k, dice_.slip(6) ? dice_.number(10) : m, dice_.one_in(2) ? k : 1 + dice_.below(k)};
    SoftMaxTiling tiling;
    LocalTensor<uint8_t> tmp = any<uint8_t>();
    switch (dice_.below(4)) {
      case 0:
        return SoftMax<float>(any<float>(), any<float>(), tmp, tiling, shape);
      case 1:
        return SoftMax<float>(any<float>(), any<float>(), any<float>(), any<float>(), tmp, tiling, shape);
      case 2:
        return SimpleSoftMax<float>(any<float>(), any<float>(), any<float>(), any<float>(), tmp, tiling, shape);
      default:
        return SoftmaxGrad<float>(any<float>(), any<float>(), any<float>(), tmp, tiling, dice_.one_in(2), shape);
    }
  }

  __aicore__ void norms() {
    LocalTensor<uint8_t> tmp = any<uint8_t>();
    LayerNormTiling t;
    t.bLength = 1 + dice_.number(2);
    t.sLength = 1 + dice_.number(3);
    t.hLength = (1 + dice_.number(6)) * 8;
    t.originalHLength = dice_.one_in(2) ? t.hLength : dice_.number(t.hLength + 1);
    RmsNormTiling r;
    r.bLength = t.bLength;
    r.sLength = t.sLength;
    r.hLength = t.hLength;
    r.originalHLength = t.originalHLength;
    GroupNormTiling g;
    g.n = 1 + dice_.number(2);
    g.c = 1 + dice_.number(6);
    g.hw = 1 + dice_.number(20);
    g.hwAlignSize = (g.hw + 7) / 8 * 8;
    g.g = 1 + dice_.number(3);
    switch (dice_.below(3)) {
      case 0:
        return LayerNorm(any<float>(), any<float>(), any<float>(), any<float>(), any<float>(), any<float>(), tmp, 1e-5f,
                         t);
      case 1:
        return RmsNorm(any<float>(), any<float>(), any<float>(), tmp, 1e-5f, r);
      default:
        return GroupNorm(any<float>(), any<float>(), any<float>(), any<float>(), any<float>(), any<float>(), tmp, 1e-5f,
                         g);
    }
  }

  __aicore__ void spreads() {
    LocalTensor<uint8_t> tmp = any<uint8_t>();
    const uint32_t to[2] = {1 + dice_.number(12), 1 + dice_.number(40)};
    const uint32_t from[2] = {dice_.one_in(2) ? to[0] : 1 + dice_.number(2), dice_.one_in(2) ? to[1] : 1};
    switch (dice_.below(6)) {
      case 0:
        return BroadCast<float, 2, 1>(any<float>(), any<float>(), to, from, tmp);
      case 1: {
        LocalTensor<float> sums = any<float>(), last = any<float>();
        return CumSum<float>(sums, last, any<float>(), tmp, {to[0], to[1]});
      }
      case 2:
        return Mean<float>(any<float>(), any<float>(), tmp, {to[0], to[1], dice_.one_in(2) ? to[1] : dice_.number(40)});
      case 3:
        return Brcb(any<float>(), any<float>(), byte(6), {word(3), word(10)});
      case 4:
        return SelectWithBytesMask(any<float>(), any<float>(), 1.0f, any<uint8_t>(), tmp,
                                   {1 + dice_.number(4), dice_.number(5) * 8, dice_.number(3) * 32});
      default:
        return DropOut<float>(any<float>(), any<float>(), any<uint8_t>(), tmp, 0.5f,
                              {1 + dice_.number(4), dice_.number(5) * 8, dice_.number(3) * 32});
    }
  }

  __aicore__ void transposes() {
    TransposeParamsExt p;
    p.nSize = word(3);
    p.cSize = word(20);
    p.hSize = word(5);
    p.wSize = word(9);
    p.transposeType = dice_.one_in(2) ? TransposeType::TRANSPOSE_NCHW2NHWC : TransposeType::TRANSPOSE_NHWC2NCHW;
    TransDataTo5HDParams q{dice_.one_in(2), dice_.one_in(2), byte(4), word(20), word(20)};
    LocalTensor<half> d[16], s[16];
    for (int i = 0; i < 16; ++i) {
      d[i] = any<half>();
      s[i] = any<half>();
    }
    LocalTensor<uint8_t> tmp = any<uint8_t>();
    switch (dice_.below(3)) {
      case 0:
        return Transpose(any<half>(), any<half>());
      case 1:
        return Transpose(any<float>(), any<float>(), tmp, p);
      default:
        return TransDataTo5HD<half>(d, s, q);
    }
  }

  __aicore__ void compares() {
    LocalTensor<uint8_t> m = any<uint8_t>();
    const CMPMODE mode = static_cast<CMPMODE>(dice_.below(6));
    BinaryRepeatParams p(byte(3), byte(3), byte(3), byte(10), byte(10), byte(10));
    UnaryRepeatParams u(word(3), word(3), byte(10), byte(10));
    switch (dice_.below(5)) {
      case 0:
        return Compare(m, any<float>(), any<float>(), mode, static_cast<uint32_t>(count(8)) * 64);
      case 1:
        return Compare(m, any<half>(), any<half>(), mode, static_cast<uint64_t>(dice_.number(129)), byte(5), p);
      case 2:
        return Select(any<float>(), m, any<float>(), any<float>(), SELMODE::VSEL_TENSOR_TENSOR_MODE,
                      static_cast<uint32_t>(count(512)));
      case 3:
        return Copy(any<float>(), any<float>(), static_cast<uint64_t>(dice_.number(65)), byte(5),
                    {word(3), word(3), word(10), word(10)});
      default:
        return Adds(any<float>(), any<float>(), 1.0f, static_cast<uint64_t>(dice_.number(65)), byte(5), u);
    }
  }

  __aicore__ void reduces() {
    const ReduceOrder order = static_cast<ReduceOrder>(dice_.below(4));
    switch (dice_.below(5)) {
      case 0:
        return WholeReduceMax(any<float>(), any<float>(), count(65), count(9), count(3), count(3), count(10), order);
      case 1:
        return WholeReduceSum(any<half>(), any<half>(), count(129), count(9), count(3), count(3), count(10));
      case 2:
        return BlockReduceMin(any<float>(), any<float>(), count(9), count(65), count(3), count(3), count(10));
      case 3:
        return PairReduceSum(any<half>(), any<half>(), count(9), count(129), count(3), count(3), count(10));
      default:
        return ReduceMin(any<float>(), any<float>(), any<float>(), count(2048), dice_.one_in(2));
    }
  }

  __aicore__ GlobalTensor<float> input() {
    const uint32_t at = dice_.slip(8) ? dice_.number(kLength) : dice_.below(256) * 8;
    return (dice_.one_in(2) ? x_ : y_)[at];
  }
  __aicore__ void moves() {
    const uint64_t mine = static_cast<uint64_t>(GetBlockIdx()) * 1024 + dice_.below(64) * 8;
    LocalTensor<float> t = any<float>();
    PipeBarrier<PIPE_ALL>();
    switch (dice_.below(7)) {
      case 0:
        DataCopy(t, input(), static_cast<uint32_t>(count(1024)));
        break;
      case 1:
        DataCopy(t, input(), DataCopyParams(word(8), word(9), word(9), word(4)));
        break;
      case 2:
        DataCopyPad(t, input(), DataCopyExtParams(word(6), dice_.number(200), dice_.number(100), dice_.number(3), 0),
                    DataCopyPadExtParams<float>(dice_.one_in(2), byte(5), byte(5), -2.0f));
        break;
      case 3:
        DataCopy(w_[mine], t, static_cast<uint32_t>(count(256)));
        break;
      case 4:
        DataCopy(w_[mine], t, DataCopyParams(word(3), word(6), word(3), word(6)));
        break;
      case 5:
        DataCopyPad(z_[mine], t, DataCopyExtParams(word(4), dice_.number(200), dice_.number(3), dice_.number(60), 0));
        break;
      default:
        DataCopy(t, any<float>(), DataCopyParams(word(6), word(9), word(4), word(4)));
    }
    if (!dice_.slip(5)) PipeBarrier<PIPE_ALL>();
  }

  __aicore__ void queues() {
    LocalTensor<float> a = bound_.AllocTensor<float>();
    DataCopy(a, input(), 256);
    if (!dice_.slip(12)) bound_.EnQue<TPosition::GM, TPosition::VECIN, float>(a);
    if (!dice_.slip(12)) a = bound_.DeQue<TPosition::GM, TPosition::VECIN, float>();
    Muls(a, a, 2.0f, count(512));
    if (!dice_.slip(12)) bound_.EnQue<TPosition::VECOUT, TPosition::GM, float>(a);
    if (!dice_.slip(12)) a = bound_.DeQue<TPosition::VECOUT, TPosition::GM, float>();
    DataCopy(z_[static_cast<uint64_t>(GetBlockIdx()) * 1024], a, 256);
    if (!dice_.slip(12)) bound_.FreeTensor(a);
    if (dice_.slip(20)) bound_.FreeTensor(a);
    PipeBarrier<PIPE_ALL>();
  }

  __aicore__ void meets() {
    if (dice_.one_in(2)) return PipeBarrier<PIPE_ALL>();
    if (dice_.slip(8) && GetBlockIdx() == 1) return;
    SyncAll();
  }

  TPipe pipe_;
  TQueBind<TPosition::VECIN, TPosition::VECOUT, 1> bound_;
  TBuf<> scratch_[4];
  GlobalTensor<float> x_, y_, z_, w_;
  Dice dice_;
};

extern "C" __global__ __aicore__ void k(GM_ADDR seed, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {
  Program program(*(__gm__ uint32_t*)seed, xg, yg, zg, wg);
  program.run();
}
