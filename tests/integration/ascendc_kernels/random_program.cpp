// A kernel that is another program for each seed: valid ones, and (odd seeds) ones with a few mistakes in them. All
// cores draw the same numbers, so that they meet in SyncAll.
#include "kernel_operator.h"

using namespace AscendC;

constexpr int kLength = 4096;   // elements of x, y, z and of the workspace
constexpr int kScratch = 1024;  // floats of each scratch tensor

class Dice {
 public:
  __aicore__ explicit Dice(uint32_t seed) : state_(seed * 2654435761u + 88172645u) {}
  __aicore__ uint32_t below(uint32_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return n == 0 ? 0 : state_ % n;
  }
  __aicore__ bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  uint32_t state_;
};

class Program {
 public:
  __aicore__ Program(uint32_t seed, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) : dice_(seed), wild_(seed & 1) {
    x_.SetGlobalBuffer((__gm__ float*)xg, kLength);
    y_.SetGlobalBuffer((__gm__ float*)yg, kLength);
    z_.SetGlobalBuffer((__gm__ float*)zg, kLength);
    w_.SetGlobalBuffer((__gm__ float*)wg, kLength);
    pipe_.InitBuffer(in_, 2, 2048 + (slip(40) ? 200000 : 0));
    pipe_.InitBuffer(out_, 2, 2048);
    pipe_.InitBuffer(a_, kScratch * 4);
    pipe_.InitBuffer(b_, kScratch * 4);
    pipe_.InitBuffer(c_, kScratch * 4 + dice_.below(8));
  }

  __aicore__ void run() {
    Duplicate(a_.Get<float>(), 1.5f, kScratch);
    if (!slip(4)) Duplicate(b_.Get<float>(), 0.25f, kScratch);
    Duplicate(c_.Get<float>(), -2.0f, kScratch);
    const uint32_t steps = 3 + dice_.below(30);
    for (uint32_t i = 0; i < steps; ++i) step();
    if (!slip(20)) {
      SetAtomicNone();
      SetMaskNorm();
      ResetMask();
    }
  }

 private:
  __aicore__ bool slip(uint32_t n) { return wild_ && dice_.one_in(n); }
  __aicore__ uint32_t count(uint32_t most) { return slip(15) ? dice_.below(100000) - 500 : dice_.below(most + 1); }
  __aicore__ uint32_t offset(uint32_t most) {
    const uint32_t at = dice_.below(most / 8 + 1) * 8;
    return slip(15) ? at + dice_.below(8) : slip(40) ? dice_.below(0xFFFFFFFFu) : at;
  }
  // A piece of one of the scratch tensors, with room for `length` elements of T.
  template <typename T>
  __aicore__ LocalTensor<T> scratch(uint32_t length) {
    const uint32_t which = dice_.below(3), room = kScratch * 4 / sizeof(T);
    LocalTensor<T> t = which == 0 ? a_.Get<T>() : which == 1 ? b_.Get<T>() : c_.Get<T>();
    return dice_.one_in(3) ? t : t[offset(room > length ? room - length : 0) / 16 * 16];
  }
  __aicore__ uint64_t at_global() { return slip(15) ? dice_.below(3 * kLength) : dice_.below(kLength / 8) * 8 * 7 / 8; }
  __aicore__ GlobalTensor<float>& source() {
    const uint32_t which = dice_.below(8);
    return which < 4 ? x_ : which < 7 ? y_ : wild_ ? z_ : w_;
  }

  __aicore__ void step() {
    switch (dice_.below(14)) {
      case 0:
      case 1:
        return stream();
      case 2:
        return first_n<float>();
      case 3:
        return first_n<half>();
      case 4:
        return first_n<int32_t>();
      case 5:
        return masked();
      case 6:
        return converts();
      case 7:
        return reduces();
      case 8:
        return selects();
      case 9:
        return scalars();
      case 10:
        return flags();
      case 11:
        return modes();
      case 12:
        return moves();
      default:
        return meets();
    }
  }

  // In, something, out.
  __aicore__ void stream() {
    const uint32_t n = 8 + dice_.below(63) * 8, mine = static_cast<uint32_t>(GetBlockIdx()) * 1024;
    LocalTensor<float> in = in_.AllocTensor<float>();
    if (dice_.one_in(3))
      DataCopyPad(
          in, source()[at_global() / 2],
          DataCopyExtParams{static_cast<uint16_t>(1 + dice_.below(3)), count(200), count(64), 0, 0},
          DataCopyPadExtParams<float>{dice_.one_in(2), 0, static_cast<uint8_t>(dice_.below(slip(5) ? 40 : 8)), 0.5f});
    else if (dice_.one_in(3))
      DataCopy(in, source()[dice_.below(512)],
               DataCopyParams{static_cast<uint16_t>(dice_.below(8)), static_cast<uint16_t>(dice_.below(6)),
                              static_cast<uint16_t>(dice_.below(slip(9) ? 65535 : 40)),
                              static_cast<uint16_t>(dice_.below(3))});
    else
      DataCopy(in, source()[at_global() / 2], slip(9) ? count(600) : n);
    if (!slip(20)) {
      in_.EnQue(in);
      if (!slip(30)) in = in_.DeQue<float>();
    }
    LocalTensor<float> out = out_.AllocTensor<float>();
    Adds(out, in, 1.0f, static_cast<int32_t>(n));
    out_.EnQue(out);
    out = out_.DeQue<float>();
    if (!slip(30)) in_.FreeTensor(in);
    if (dice_.one_in(3))
      DataCopyPad(z_[mine], out,
                  DataCopyExtParams{static_cast<uint16_t>(1 + dice_.below(2)), count(100), 0, count(50), 0});
    else
      DataCopy(z_[slip(20) ? at_global() : mine], out, n);
    if (!slip(30)) out_.FreeTensor(out);
    if (slip(60)) out_.FreeTensor(out);
    if (!dice_.one_in(4) && !slip(20)) PipeBarrier<PIPE_ALL>();
  }

  template <typename T>
  __aicore__ void first_n() {
    const uint32_t n = count(kScratch * 4 / sizeof(T) / 2);
    LocalTensor<T> d = scratch<T>(n), s = scratch<T>(n), t = scratch<T>(n);
    const int32_t c = static_cast<int32_t>(n);
    switch (dice_.below(6)) {
      case 0:
        return Add(d, s, t, c);
      case 1:
        return Sub(d, s, t, c);
      case 2:
        return Mul(d, s, t, c);
      case 3:
        return Max(d, s, t, c);
      case 4:
        return Muls(d, s, static_cast<T>(3), c);
      default:
        return Duplicate(d, static_cast<T>(2), c);
    }
  }

  __aicore__ void masked() {
    const uint8_t repeat = static_cast<uint8_t>(slip(6) ? dice_.below(256) : dice_.below(4));
    LocalTensor<float> d = scratch<float>(512), s = scratch<float>(512), t = scratch<float>(512);
    BinaryRepeatParams p;
    if (dice_.one_in(2)) p.src1RepStride = 0;
    if (slip(4)) p.dstBlkStride = static_cast<uint8_t>(dice_.below(256));
    if (slip(4)) p.src0RepStride = static_cast<uint8_t>(dice_.below(256));
    uint64_t bits[2] = {static_cast<uint64_t>(dice_.below(0xFFFFFFFFu)) << dice_.below(32), dice_.below(5)};
    switch (dice_.below(3)) {
      case 0:
        return Add(d, s, t, static_cast<uint64_t>(dice_.below(slip(5) ? 1000 : 65)), repeat, p);
      case 1:
        return Mul(d, s, t, bits, repeat, p);
      default:
        return Sub<float, false>(d, s, t, MASK_PLACEHOLDER, repeat, p);
    }
  }

  __aicore__ void converts() {
    const int32_t n = static_cast<int32_t>(count(500));
    const RoundMode mode = static_cast<RoundMode>(dice_.below(slip(5) ? 7 : 2));
    switch (dice_.below(4)) {
      case 0:
        return Cast(scratch<half>(n), scratch<float>(n), mode, n);
      case 1:
        return Cast(scratch<float>(n), scratch<half>(n), slip(4) ? mode : RoundMode::CAST_NONE, n);
      case 2:
        return Cast(scratch<int32_t>(n), scratch<float>(n), RoundMode::CAST_RINT, n);
      default:
        return Cast(scratch<float>(n), scratch<int32_t>(n), RoundMode::CAST_NONE, n);
    }
  }

  __aicore__ void reduces() {
    const int32_t n = static_cast<int32_t>(count(512));
    LocalTensor<float> d = scratch<float>(64), s = scratch<float>(512), w = scratch<float>(256);
    const int32_t repeat = static_cast<int32_t>(dice_.below(slip(6) ? 300 : 8));
    switch (dice_.below(5)) {
      case 0:
        return ReduceSum(d, s, w, n);
      case 1:
        return ReduceMax(d, s, w, n, dice_.one_in(2));
      case 2:
        return ReduceMin(d, s, w, n);
      case 3:
        return WholeReduceSum(d, s, 64, repeat, 1, 1, 8);
      default:
        return BlockReduceSum(d, s, repeat, 64, 1, 1, 8);
    }
  }

  __aicore__ void selects() {
    const int32_t n = static_cast<int32_t>(slip(6) ? count(512) : 64 * dice_.below(8));
    LocalTensor<uint8_t> m = scratch<uint8_t>(128);
    CompareScalar(m, scratch<float>(512), 0.5f, static_cast<CMPMODE>(dice_.below(6)), n);
    Select(scratch<float>(512), m, scratch<float>(512), 7.0f, SELMODE::VSEL_TENSOR_SCALAR_MODE, n);
  }

  __aicore__ void scalars() {
    LocalTensor<float> t = scratch<float>(16);
    const uint32_t mine = static_cast<uint32_t>(GetBlockIdx()) * 1024 + dice_.below(1000);
    switch (dice_.below(5)) {
      case 0:
        return t.SetValue(slip(9) ? count(5000) : dice_.below(16), 3.0f);
      case 1:
        return t.SetValue(0, t.GetValue(dice_.below(16)) + 1);
      case 2:
        return w_.SetValue(slip(9) ? dice_.below(9000) : mine, x_.GetValue(mine));
      case 3:
        if (t.GetValue(dice_.below(16)) > 0) Duplicate(t, 0.0f, 16);
        return;
      default:
        return DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(w_);
    }
  }

  __aicore__ void flags() {
    const int32_t id = static_cast<int32_t>(dice_.below(slip(9) ? 12 : 8));
    switch (dice_.below(4)) {
      case 0:
        SetFlag<HardEvent::V_MTE3>(id);
        if (!slip(9)) WaitFlag<HardEvent::V_MTE3>(slip(9) ? id + 1 : id);
        return;
      case 1:
        SetFlag<HardEvent::MTE3_MTE2>(id);
        if (!slip(9)) WaitFlag<HardEvent::MTE3_MTE2>(id);
        return;
      case 2:
        return PipeBarrier<PIPE_V>();
      default:
        return PipeBarrier<PIPE_ALL>();
    }
  }

  __aicore__ void modes() {
    switch (dice_.below(slip(3) ? 5 : 3)) {
      case 0:
        SetMaskCount();
        SetVectorMask<float, MaskMode::COUNTER>(static_cast<int32_t>(count(400)));
        Adds<float, false>(scratch<float>(512), scratch<float>(512), 1.0f, MASK_PLACEHOLDER, 1, UnaryRepeatParams{});
        SetMaskNorm();
        return ResetMask();
      case 1:
        return SetVectorMask<float, MaskMode::NORMAL>(static_cast<int32_t>(dice_.below(65)));
      case 2:
        return ResetMask();
      case 3:
        return SetMaskCount();
      default:
        return SetAtomicAdd<float>();
    }
  }

  __aicore__ void moves() {
    if (dice_.one_in(2)) return DataCopy(scratch<float>(256), scratch<float>(256), count(256));
    DataCopy(
        scratch<float>(512), scratch<float>(512),
        DataCopyParams{static_cast<uint16_t>(dice_.below(slip(6) ? 5000 : 5)), static_cast<uint16_t>(dice_.below(4)),
                       static_cast<uint16_t>(dice_.below(4)), static_cast<uint16_t>(dice_.below(4))});
  }

  __aicore__ void meets() {
    if (slip(8) && GetBlockIdx() == 0) return;
    SyncAll();
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  TBuf<> a_, b_, c_;
  GlobalTensor<float> x_, y_, z_, w_;
  Dice dice_;
  bool wild_;
};

extern "C" __global__ __aicore__ void k(GM_ADDR seed, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {
  Program program(*(__gm__ uint32_t*)seed, xg, yg, zg, wg);
  program.run();
}
