#include "kernel_operator.h"
using namespace AscendC;

// result = matx * maty element by element, complex64. GatherMask splits real and imaginary parts, Gather lays the
// results side by side again with offsets that are made once.
#ifndef ROW  // the first row of test_cases.csv; the test sets the others
#define ROW_M 48
#define ROW_N 128
#endif

constexpr uint32_t kNumbers = ROW_M * ROW_N;
constexpr uint32_t kTile = 2048;  // complex numbers

class KernelComplexMatDot {
 public:
  __aicore__ inline void Init(GM_ADDR matx, GM_ADDR maty, GM_ADDR result) {
    x_.SetGlobalBuffer((__gm__ float*)matx, 2 * kNumbers);
    y_.SetGlobalBuffer((__gm__ float*)maty, 2 * kNumbers);
    z_.SetGlobalBuffer((__gm__ float*)result, 2 * kNumbers);
    pipe_.InitBuffer(inX_, 1, 2 * kTile * sizeof(float));
    pipe_.InitBuffer(inY_, 1, 2 * kTile * sizeof(float));
    pipe_.InitBuffer(out_, 1, 2 * kTile * sizeof(float));
    pipe_.InitBuffer(parts_, 7 * kTile * sizeof(float));
    pipe_.InitBuffer(offsets_, 2 * kTile * sizeof(int32_t));
    MakeOffsets();
  }
  __aicore__ inline void Process() {
    const uint32_t share = ((kNumbers + GetBlockNum() - 1) / GetBlockNum() + 3) / 4 * 4;
    const uint32_t begin = share * GetBlockIdx();
    const uint32_t end = begin + share < kNumbers ? begin + share : kNumbers;
    for (uint32_t at = begin; at < end; at += kTile) Tile(at, end - at < kTile ? end - at : kTile);
  }

 private:
  // Offset of float i of the result: the real parts lie at 0, the imaginary parts kTile floats further.
  __aicore__ inline void MakeOffsets() {
    LocalTensor<int32_t> offsets = offsets_.Get<int32_t>();
    LocalTensor<int32_t> half = parts_.Get<int32_t>();
    CreateVecIndex(offsets, int32_t(0), 2 * kTile);
    ShiftRight(half, offsets, int32_t(1), 2 * kTile);  // i / 2
    Muls(half[2 * kTile], half, int32_t(2), 2 * kTile);
    Sub(offsets, offsets, half[2 * kTile], 2 * kTile);  // i % 2
    Muls(offsets, offsets, int32_t(kTile * sizeof(float)), 2 * kTile);
    Muls(half, half, int32_t(sizeof(float)), 2 * kTile);
    Add(offsets, offsets, half, 2 * kTile);
  }
  __aicore__ inline void Tile(uint32_t at, uint32_t n) {
    const DataCopyExtParams run{1, uint32_t(2 * n * sizeof(float)), 0, 0, 0};
    LocalTensor<float> x = inX_.AllocTensor<float>(), y = inY_.AllocTensor<float>();
    DataCopyPad(x, x_[2 * at], run, {false, 0, 0, 0});
    DataCopyPad(y, y_[2 * at], run, {false, 0, 0, 0});
    inX_.EnQue(x);
    inY_.EnQue(y);
    x = inX_.DeQue<float>();
    y = inY_.DeQue<float>();
    LocalTensor<float> p = parts_.Get<float>();
    LocalTensor<float> a = p, b = p[kTile], c = p[2 * kTile], d = p[3 * kTile], t = p[4 * kTile], z = p[5 * kTile];
    GatherMaskParams params;
    params.src0BlockStride = 1;
    params.repeatTimes = 1;
    params.src0RepeatStride = 0;
    params.src1RepeatStride = 0;
    uint64_t kept = 0;
    GatherMask(a, x, uint8_t(1), true, 2 * n, params, kept);
    GatherMask(b, x, uint8_t(2), true, 2 * n, params, kept);
    GatherMask(c, y, uint8_t(1), true, 2 * n, params, kept);
    GatherMask(d, y, uint8_t(2), true, 2 * n, params, kept);
    inX_.FreeTensor(x);
    inY_.FreeTensor(y);
    Mul(z, a, c, n);
    Mul(t, b, d, n);
    Sub(z, z, t, n);
    Mul(z[kTile], a, d, n);
    MulAddDst(z[kTile], b, c, n);
    LocalTensor<float> out = out_.AllocTensor<float>();
    Gather(out, z, offsets_.Get<uint32_t>(), 0u, 2 * n);
    out_.EnQue(out);
    out = out_.DeQue<float>();
    DataCopyPad(z_[2 * at], out, run);
    out_.FreeTensor(out);
  }

  TPipe pipe_;
  TQue<QuePosition::VECIN, 1> inX_, inY_;
  TQue<QuePosition::VECOUT, 1> out_;
  TBuf<TPosition::VECCALC> parts_, offsets_;
  GlobalTensor<float> x_, y_, z_;
};

extern "C" __global__ __aicore__ void complex_mat_dot(GM_ADDR matx, GM_ADDR maty, GM_ADDR result, GM_ADDR workspace) {
  KernelComplexMatDot op;
  op.Init(matx, maty, result);
  op.Process();
}
