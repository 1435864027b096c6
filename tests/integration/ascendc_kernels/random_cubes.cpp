// A mixed kernel that is another program for each seed: copies to L1, loads, products and Fixpipe on cube cores, flags
// between cube and vector cores, the Matmul object. Valid ones, and (odd seeds) ones whose parameters are now and then
// anything at all. All cores draw the same numbers.
#include "kernel_operator.h"
#include "lib/matmul_intf.h"

using namespace AscendC;

constexpr int kLength = 4096;  // elements of x, y, z (floats; halves: twice) and of the workspace

class Dice {
 public:
  __aicore__ Dice(uint32_t seed, bool wild) : state_(seed * 2654435761u + 521288629u), wild_(wild) {}
  __aicore__ uint32_t below(uint32_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 17;
    state_ ^= state_ << 5;
    return n == 0 ? 0 : state_ % n;
  }
  __aicore__ bool one_in(uint32_t n) { return below(n) == 0; }
  __aicore__ bool slip(uint32_t n) { return wild_ && one_in(n); }
  __aicore__ uint32_t number(uint32_t n) {
    if (!slip(12)) return below(n);
    switch (below(7)) {
      case 0:
        return 0;
      case 1:
        return 0xFFFFFFFFu;
      case 2:
        return 0x7FFFFFFFu;
      case 3:
        return 65535;
      case 4:
        return 4096;
      case 5:
        return n + 1;
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
    x_.SetGlobalBuffer((__gm__ half*)xg, kLength * 2);
    y_.SetGlobalBuffer((__gm__ half*)yg, kLength * 2);
    z_.SetGlobalBuffer((__gm__ float*)zg, kLength);
    w_.SetGlobalBuffer((__gm__ float*)wg, kLength);
    pipe_.InitBuffer(a1_, 32768);
    pipe_.InitBuffer(b1_, 32768);
    pipe_.InitBuffer(a2_, 16384);
    pipe_.InitBuffer(b2_, 16384);
    pipe_.InitBuffer(co_, 32768);
    pipe_.InitBuffer(c1_, 512);
    pipe_.InitBuffer(c2_, 512);
    pipe_.InitBuffer(ub_, 4096 + (dice_.slip(50) ? 200000 : 0));
    pipe_.InitBuffer(qa_, 2, 2048);
  }

  __aicore__ void run() {
    const uint32_t steps = 4 + dice_.below(16);
    for (uint32_t i = 0; i < steps; ++i) {
      step();
      if (!dice_.slip(6)) PipeBarrier<PIPE_ALL>();
    }
  }

 private:
  __aicore__ uint8_t byte(uint32_t n) { return static_cast<uint8_t>(dice_.number(n)); }
  __aicore__ uint16_t word(uint32_t n) { return static_cast<uint16_t>(dice_.number(n)); }
  template <typename T>
  __aicore__ LocalTensor<T> part(LocalTensor<T> t, uint32_t unit, uint32_t places) {
    if (dice_.slip(12)) return t[dice_.number(4096)];
    if (dice_.slip(60)) return ub_.Get<T>();
    return t[dice_.below(places) * unit / sizeof(T)];
  }
  template <typename T>
  __aicore__ LocalTensor<T> l1() {
    return part(dice_.one_in(2) ? a1_.Get<T>() : b1_.Get<T>(), 512, 8);
  }
  template <typename T>
  __aicore__ LocalTensor<T> left() {
    return part(dice_.slip(30) ? b2_.Get<T>() : a2_.Get<T>(), 512, 4);
  }
  template <typename T>
  __aicore__ LocalTensor<T> right() {
    return part(dice_.slip(30) ? a2_.Get<T>() : b2_.Get<T>(), 512, 4);
  }
  __aicore__ LocalTensor<float> result() { return part(co_.Get<float>(), 1024, 4); }
  __aicore__ GlobalTensor<half> input() { return (dice_.one_in(2) ? x_ : y_)[dice_.number(8) * 256]; }

  __aicore__ void step() {
    switch (dice_.below(11)) {
      case 0:
      case 1:
        return copies();
      case 2:
      case 3:
        return loads();
      case 4:
      case 5:
        return products();
      case 6:
        return stores();
      case 7:
        return flags();
      case 8:
        return crosses();
      case 9:
        return vectors();
      default:
        return objects();
    }
  }

  __aicore__ void copies() {
    const uint16_t rows = word(32), columns = word(64);
    switch (dice_.below(4)) {
      case 0:
        return DataCopy(l1<half>(), input(),
                        Nd2NzParams(word(3), rows, columns, word(2048), dice_.one_in(2) ? columns : word(128),
                                    dice_.one_in(2) ? rows : word(64), word(3), word(1024)));
      case 1:
        return DataCopy(l1<half>(), input(), static_cast<uint32_t>(dice_.number(1024)));
      case 2:
        return DataCopy(l1<half>(), input(), DataCopyParams(word(5), word(9), word(9), word(5)));
      default:
        return InitConstValue(dice_.one_in(2) ? l1<half>() : left<half>(),
                              InitConstValueParams<half>(word(4), word(5), word(3), half(1)));
    }
  }

  __aicore__ void loads() {
    const LoadData2DParams p(word(4), byte(6), word(5), 0, word(3), dice_.one_in(2), byte(2));
    const LoadData2DParams straight(word(4), byte(6), word(5), 0, word(3), dice_.slip(4), byte(2));
    LoadData3DParamsV2<half> image;
    image.l1H = word(6);
    image.l1W = word(6);
    image.channelSize = static_cast<uint16_t>(dice_.number(3) * 16);
    image.kExtension = static_cast<uint16_t>(dice_.number(4) * 16);
    image.mExtension = static_cast<uint16_t>(dice_.number(4) * 16);
    image.kStartPt = static_cast<uint16_t>(dice_.number(2) * 16);
    image.mStartPt = static_cast<uint16_t>(dice_.number(2) * 16);
    image.strideW = dice_.slip(4) ? byte(3) : 1;
    image.strideH = dice_.slip(4) ? byte(3) : 1;
    image.filterW = dice_.slip(4) ? byte(4) : 1 + dice_.below(3);
    image.filterH = dice_.slip(4) ? byte(4) : 1 + dice_.below(3);
    image.padList[0] = byte(3);
    image.padList[2] = byte(3);
    switch (dice_.below(6)) {
      case 0:
        return LoadData(left<half>(), l1<half>(), p);
      case 1:
        return LoadData(right<half>(), l1<half>(), p);
      case 2:
        return LoadData(left<int8_t>(), l1<int8_t>(), straight);
      case 3:
        return LoadData(dice_.one_in(2) ? right<half>() : l1<half>(), input(), straight);
      case 4:
        return LoadDataWithTranspose(right<int8_t>(), l1<int8_t>(),
                                     LoadData2dTransposeParams(word(3), byte(4), word(4), word(3), word(3)));
      default:
        return LoadData(dice_.one_in(2) ? left<half>() : right<half>(), l1<half>(), image);
    }
  }

  __aicore__ void products() {
    MmadParams p;
    p.m = word(40);
    p.n = word(40);
    p.k = word(40);
    p.cmatrixInitVal = !dice_.one_in(3);
    p.cmatrixSource = dice_.slip(8);
    p.unitFlag = static_cast<int8_t>(dice_.slip(6) ? dice_.below(4) : 0);
    p.kDirectionAlign = dice_.one_in(4);
    switch (dice_.below(4)) {
      case 0:
        return Mmad(result(), left<half>(), right<half>(), p);
      case 1:
        return Mmad(co_.Get<int32_t>(), left<int8_t>(), right<int8_t>(), p);
      case 2:
        return Mmad(result(), left<float>(), right<float>(), p);
      default:
        DataCopy(part(c2_.Get<float>(), 64, 2), c1_.Get<float>(), static_cast<uint32_t>(dice_.number(128)));
        return Mmad(result(), left<half>(), right<half>(), c2_.Get<float>(), p);
    }
  }

  __aicore__ void stores() {
    const uint16_t m = word(40), n = dice_.one_in(2) ? static_cast<uint16_t>(dice_.number(4) * 16) : word(40);
    FixpipeParamsV220 p(n, m, dice_.slip(4) ? word(64) : static_cast<uint16_t>((m + 15) / 16 * 16),
                        dice_.slip(4) ? dice_.number(100) : n + dice_.below(30), dice_.one_in(3));
    p.ndNum = dice_.one_in(3) ? word(3) : 1;
    p.srcNdStride = word(3);
    p.dstNdStride = word(1024);
    if (dice_.slip(5)) p.quantPre = static_cast<QuantMode_t>(dice_.below(30));
    p.unitFlag = dice_.slip(6) ? byte(4) : 0;
    GlobalTensor<half> halves;
    halves.SetGlobalBuffer((__gm__ half*)z_.GetPhyAddr(), kLength * 2);
    const GlobalTensor<float> to =
        (dice_.one_in(2) ? z_ : w_)[static_cast<uint64_t>(GetBlockIdx()) * 512 + dice_.number(64)];
    switch (dice_.below(4)) {
      case 0:
        return Fixpipe<float, float, CFG_ROW_MAJOR>(to, result(), p);
      case 1:
        return Fixpipe<float, float, CFG_NZ>(to, result(), p);
      case 2:
        if (!dice_.slip(4)) p.quantPre = F322F16;
        return Fixpipe<half, float, CFG_ROW_MAJOR>(halves[static_cast<uint64_t>(GetBlockIdx()) * 1024], result(), p);
      default:
        if (!dice_.slip(4)) p.quantPre = F322F16;
        return Fixpipe<half, float, CFG_NZ>(l1<half>(), result(), p);
    }
  }

  __aicore__ void flags() {
    const int32_t id = static_cast<int32_t>(dice_.number(8));
    switch (dice_.below(5)) {
      case 0:
        SetFlag<HardEvent::MTE2_MTE1>(id);
        return WaitFlag<HardEvent::MTE2_MTE1>(dice_.slip(9) ? id + 1 : id);
      case 1:
        SetFlag<HardEvent::M_FIX>(id);
        if (!dice_.slip(9)) WaitFlag<HardEvent::M_FIX>(id);
        return;
      case 2:
        SetFlag<HardEvent::MTE1_M>(id);
        if (!dice_.slip(9)) WaitFlag<HardEvent::MTE1_M>(id);
        return;
      case 3: {
        LocalTensor<half> a = qa_.AllocTensor<half>();
        if (!dice_.slip(9)) qa_.EnQue(a);
        if (!dice_.slip(9)) a = qa_.DeQue<half>();
        if (!dice_.slip(9)) qa_.FreeTensor(a);
        return;
      }
      default:
        return PipeBarrier<PIPE_MTE2>();
    }
  }

  // Both sides set and wait alike.
  __aicore__ void crosses() {
    const uint16_t id = word(11);
    switch (dice_.below(4)) {
      case 0:
        if ASCEND_IS_AIC
          CrossCoreSetFlag<2, PIPE_FIX>(id);
        if ASCEND_IS_AIV
          CrossCoreWaitFlag(dice_.slip(9) ? id + 1 : id);
        return;
      case 1:
        if ASCEND_IS_AIV
          CrossCoreSetFlag<2, PIPE_MTE3>(id);
        if ASCEND_IS_AIC
          CrossCoreWaitFlag(id);
        return;
      case 2:
        CrossCoreSetFlag<0, PIPE_MTE2>(id);
        if (dice_.slip(9)) return;
        return CrossCoreWaitFlag(id);
      default:
        if (dice_.slip(9) && GetBlockIdx() == 0) return;
        return SyncAll<false>();
    }
  }

  __aicore__ void vectors() {
    LocalTensor<float> t = ub_.Get<float>();
    Duplicate(t, 1.0f, 512);
    PipeBarrier<PIPE_ALL>();
    if ASCEND_IS_AIV {
      if (dice_.slip(5)) DataCopy(z_[dice_.number(kLength)], t, 64);
      DataCopy(w_[2048 + static_cast<uint64_t>(GetBlockIdx()) * 128], t, 128);
    }
    if (dice_.slip(9)) t.SetValue(dice_.number(1024), t.GetValue(dice_.number(1024)));
  }

  __aicore__ void objects() {
    if (dice_.below(3) != 0) return;
    TCubeTiling t;
    t.usedCoreNum = 1;
    t.M = t.singleCoreM = static_cast<int32_t>(1 + dice_.number(24));
    t.N = t.singleCoreN = static_cast<int32_t>(1 + dice_.number(24));
    t.Ka = t.Kb = t.singleCoreK = static_cast<int32_t>(1 + dice_.number(40));
    t.baseM = t.baseN = t.baseK = static_cast<int32_t>(dice_.slip(6) ? dice_.number(40) : 16);
    multiplies(t, dice_.one_in(2), dice_.one_in(2));
  }
  // Ends on cube cores where the object is registered.
  __aicore__ void multiplies(TCubeTiling& t, bool bias, bool all) {
    Matmul<MatmulType<TPosition::GM, CubeFormat::ND, half>, MatmulType<TPosition::GM, CubeFormat::ND, half>,
           MatmulType<TPosition::GM, CubeFormat::ND, float>, MatmulType<TPosition::GM, CubeFormat::ND, half>>
        object;
    REGIST_MATMUL_OBJ(&pipe_, GetSysWorkSpacePtr(), object, &t);
    object.SetTensorA(x_);
    object.SetTensorB(y_);
    if (bias) object.SetBias(y_);
    const GlobalTensor<float> to = w_[static_cast<uint64_t>(GetBlockIdx()) * 600];
    if (all)
      object.IterateAll(to);
    else
      for (int i = 0; i < 40 && object.Iterate(); ++i) object.GetTensorC(to);
    object.End();
  }

  TPipe pipe_;
  TBuf<TPosition::A1> a1_;
  TBuf<TPosition::B1> b1_;
  TBuf<TPosition::A2> a2_;
  TBuf<TPosition::B2> b2_;
  TBuf<TPosition::CO1> co_;
  TBuf<TPosition::C1> c1_;
  TBuf<TPosition::C2> c2_;
  TBuf<> ub_;
  TQue<TPosition::A1, 2> qa_;
  GlobalTensor<half> x_, y_;
  GlobalTensor<float> z_, w_;
  Dice dice_;
};

extern "C" __global__ __aicore__ void k(GM_ADDR seed, GM_ADDR xg, GM_ADDR yg, GM_ADDR zg, GM_ADDR wg) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  Program program(*(__gm__ uint32_t*)seed, xg, yg, zg, wg);
  program.run();
}
