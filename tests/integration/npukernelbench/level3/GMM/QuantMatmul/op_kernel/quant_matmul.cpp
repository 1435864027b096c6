#include "kernel_operator.h"

using namespace AscendC;

// The cube core leaves int32 tiles in its workspace, two of them in turn; the group's vector cores scale one half of
// the rows each.
constexpr uint32_t WORKSPACE_STAGES = 2;
constexpr uint16_t FLAG_TILE_READY = 4;
constexpr uint16_t FLAG_TILE_TAKEN = 6;
constexpr uint32_t FRACTAL = 16;
constexpr uint32_t C0_INT8 = 32;

template <uint32_t ALIGN>
__aicore__ inline uint32_t RoundUp(uint32_t value) {
  return (value + ALIGN - 1) / ALIGN * ALIGN;
}

struct TileShape {
  uint32_t row, column, m, n;
};

class QuantMatmulKernel {
 public:
  __aicore__ inline void Init(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR perTokenScale, GM_ADDR d, GM_ADDR workspace,
                              const QuantMatmulTilingData* __restrict tiling, TPipe* pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    groupIdx_ = GetBlockIdx();
    if ASCEND_IS_AIV {
      groupIdx_ = GetBlockIdx() / GetSubBlockNum();
    }
    aGm_.SetGlobalBuffer((__gm__ int8_t*)a);
    bGm_.SetGlobalBuffer((__gm__ int8_t*)b);
    scaleGm_.SetGlobalBuffer((__gm__ half*)scale);
    tokenGm_.SetGlobalBuffer((__gm__ half*)perTokenScale);
    dGm_.SetGlobalBuffer((__gm__ half*)d);
    const uint32_t tile = tiling->baseM * tiling->baseN;
    workGm_.SetGlobalBuffer((__gm__ int32_t*)workspace + static_cast<uint64_t>(groupIdx_) * WORKSPACE_STAGES * tile);
  }

  __aicore__ inline void Process() {
    if ASCEND_IS_AIC {
      ProcessCube();
    }
    if ASCEND_IS_AIV {
      ProcessVector();
    }
  }

 private:
  __aicore__ inline TileShape ShapeOf(uint32_t tile) {
    const uint32_t columns = (tiling_->shape.n + tiling_->baseN - 1) / tiling_->baseN;
    TileShape shape = {tile / columns * tiling_->baseM, tile % columns * tiling_->baseN, 0, 0};
    shape.m = tiling_->shape.m - shape.row < tiling_->baseM ? tiling_->shape.m - shape.row : tiling_->baseM;
    shape.n = tiling_->shape.n - shape.column < tiling_->baseN ? tiling_->shape.n - shape.column : tiling_->baseN;
    return shape;
  }
  __aicore__ inline uint32_t Tiles() {
    return (tiling_->shape.m + tiling_->baseM - 1) / tiling_->baseM *
           ((tiling_->shape.n + tiling_->baseN - 1) / tiling_->baseN);
  }

  __aicore__ inline void ProcessCube() {
    constexpr uint32_t PANEL = 256;
    pipe_->InitBuffer(a1Queue_, 2, tiling_->baseM * PANEL);
    pipe_->InitBuffer(b1Queue_, 2, tiling_->baseN * PANEL);
    pipe_->InitBuffer(a2Queue_, 2, tiling_->baseM * PANEL);
    pipe_->InitBuffer(b2Queue_, 2, tiling_->baseN * PANEL);
    pipe_->InitBuffer(co1Queue_, 1, tiling_->baseM * tiling_->baseN * sizeof(int32_t));
    uint32_t turn = 0;
    for (uint32_t tile = groupIdx_; tile < Tiles(); tile += GetBlockNum(), turn++) {
      const TileShape shape = ShapeOf(tile);
      const uint32_t mRound = RoundUp<FRACTAL>(shape.m), nRound = RoundUp<C0_INT8>(shape.n);
      LocalTensor<int32_t> co1 = co1Queue_.AllocTensor<int32_t>();
      for (uint32_t at = 0; at < tiling_->shape.k; at += PANEL) {
        const uint32_t k = tiling_->shape.k - at < PANEL ? tiling_->shape.k - at : PANEL;
        const uint32_t kRound = RoundUp<C0_INT8>(k);
        LocalTensor<int8_t> a1 = a1Queue_.AllocTensor<int8_t>();
        LocalTensor<int8_t> b1 = b1Queue_.AllocTensor<int8_t>();
        DataCopy(a1, aGm_[static_cast<uint64_t>(shape.row) * tiling_->shape.k + at],
                 Nd2NzParams(1, shape.m, k, 0, tiling_->shape.k, mRound, 1, 0));
        DataCopy(b1, bGm_[static_cast<uint64_t>(at) * tiling_->shape.n + shape.column],
                 Nd2NzParams(1, k, shape.n, 0, tiling_->shape.n, kRound, 1, 0));
        a1Queue_.EnQue(a1);
        b1Queue_.EnQue(b1);
        a1 = a1Queue_.DeQue<int8_t>();
        b1 = b1Queue_.DeQue<int8_t>();
        LocalTensor<int8_t> a2 = a2Queue_.AllocTensor<int8_t>();
        LocalTensor<int8_t> b2 = b2Queue_.AllocTensor<int8_t>();
        for (uint32_t i = 0; i < mRound / FRACTAL; i++) {
          LoadData2DParams params;
          params.repeatTimes = kRound / C0_INT8;
          params.srcStride = mRound / FRACTAL;
          params.ifTranspose = false;
          LoadData(a2[i * kRound * FRACTAL], a1[i * FRACTAL * C0_INT8], params);
        }
        // Two fractals of int8 make a square of 32 x 32, which is turned as one.
        for (uint32_t i = 0; i < kRound / C0_INT8; i++) {
          LoadData2dTransposeParams params;
          params.startIndex = 0;
          params.repeatTimes = nRound / C0_INT8;
          params.srcStride = kRound / C0_INT8;
          params.dstGap = 1;
          params.dstFracGap = 0;
          LoadDataWithTranspose(b2[i * nRound * C0_INT8], b1[i * C0_INT8 * C0_INT8], params);
        }
        a1Queue_.FreeTensor(a1);
        b1Queue_.FreeTensor(b1);
        a2Queue_.EnQue(a2);
        b2Queue_.EnQue(b2);
        a2 = a2Queue_.DeQue<int8_t>();
        b2 = b2Queue_.DeQue<int8_t>();
        MmadParams mmadParams;
        mmadParams.m = shape.m == 1 ? FRACTAL : shape.m;
        mmadParams.n = nRound;  // as b2 lies; what is beyond n is not copied out
        mmadParams.k = k;
        mmadParams.cmatrixInitVal = at == 0;
        Mmad(co1, a2, b2, mmadParams);
        PipeBarrier<PIPE_M>();
        a2Queue_.FreeTensor(a2);
        b2Queue_.FreeTensor(b2);
      }
      co1Queue_.EnQue(co1);
      co1 = co1Queue_.DeQue<int32_t>();
      if (turn >= WORKSPACE_STAGES) {
        CrossCoreWaitFlag(FLAG_TILE_TAKEN);
      }
      FixpipeParamsV220 fixpipeParams;
      fixpipeParams.nSize = shape.n;
      fixpipeParams.mSize = shape.m;
      fixpipeParams.srcStride = mRound;
      fixpipeParams.dstStride = tiling_->baseN;
      fixpipeParams.ndNum = 1;
      fixpipeParams.quantPre = QuantMode_t::NoQuant;
      Fixpipe<int32_t, int32_t, CFG_ROW_MAJOR>(workGm_[turn % WORKSPACE_STAGES * tiling_->baseM * tiling_->baseN], co1,
                                               fixpipeParams);
      co1Queue_.FreeTensor(co1);
      CrossCoreSetFlag<0x2, PIPE_FIX>(FLAG_TILE_READY);
    }
    // What the vector cores have announced and nobody has waited for.
    for (uint32_t left = turn < WORKSPACE_STAGES ? turn : WORKSPACE_STAGES; left > 0; left--) {
      CrossCoreWaitFlag(FLAG_TILE_TAKEN);
    }
  }

  __aicore__ inline void ProcessVector() {
    const uint32_t rows = tiling_->rowsPerCopy, width = tiling_->baseN;
    pipe_->InitBuffer(sumQueue_, 2, rows * width * sizeof(int32_t));
    pipe_->InitBuffer(outQueue_, 2, rows * width * sizeof(half));
    pipe_->InitBuffer(scaleQueue_, 1, width * sizeof(half));
    pipe_->InitBuffer(tokenQueue_, 1, RoundUp<C0_INT8>(tiling_->baseM * sizeof(half)));
    pipe_->InitBuffer(scaleBuf_, width * sizeof(float));
    pipe_->InitBuffer(tokenBuf_, tiling_->baseM * sizeof(float));
    pipe_->InitBuffer(brcbBuf_, tiling_->baseM * 32);
    uint32_t turn = 0;
    for (uint32_t tile = groupIdx_; tile < Tiles(); tile += GetBlockNum(), turn++) {
      const TileShape shape = ShapeOf(tile);
      const uint32_t half1 = (shape.m + 1) / 2;
      const uint32_t first = GetSubBlockIdx() == 0 ? 0 : half1;
      const uint32_t mine = GetSubBlockIdx() == 0 ? half1 : shape.m - half1;
      if (mine > 0) {
        LoadScales(shape, first, mine);
      }
      CrossCoreWaitFlag(FLAG_TILE_READY);
      for (uint32_t at = 0; at < mine; at += rows) {
        Scale(shape, turn, first + at, at, mine - at < rows ? mine - at : rows);
      }
      CrossCoreSetFlag<0x2, PIPE_MTE2>(FLAG_TILE_TAKEN);
    }
  }

  __aicore__ inline void LoadScales(const TileShape& shape, uint32_t first, uint32_t mine) {
    LocalTensor<half> scale = scaleQueue_.AllocTensor<half>();
    DataCopyPad(scale, scaleGm_[shape.column], DataCopyExtParams(1, shape.n * sizeof(half), 0, 0, 0),
                DataCopyPadExtParams<half>(false, 0, 0, 0));
    scaleQueue_.EnQue(scale);
    LocalTensor<half> token = tokenQueue_.AllocTensor<half>();
    DataCopyPad(token, tokenGm_[shape.row + first], DataCopyExtParams(1, mine * sizeof(half), 0, 0, 0),
                DataCopyPadExtParams<half>(false, 0, 0, 0));
    tokenQueue_.EnQue(token);
    scale = scaleQueue_.DeQue<half>();
    token = tokenQueue_.DeQue<half>();
    LocalTensor<float> tokenFloat = tokenBuf_.Get<float>();
    Cast(scaleBuf_.Get<float>(), scale, RoundMode::CAST_NONE, shape.n);
    Cast(tokenFloat, token, RoundMode::CAST_NONE, mine);
    PipeBarrier<PIPE_V>();
    // Each row's scale in a block of its own.
    Brcb(brcbBuf_.Get<float>(), tokenFloat, (mine + 7) / 8, BrcbRepeatParams(1, 8));
    PipeBarrier<PIPE_V>();
    scaleQueue_.FreeTensor(scale);
    tokenQueue_.FreeTensor(token);
  }

  // Rows from `row` of the tile, which are the vector core's own from `own`.
  __aicore__ inline void Scale(const TileShape& shape, uint32_t turn, uint32_t row, uint32_t own, uint32_t rows) {
    const uint32_t width = tiling_->baseN;
    LocalTensor<int32_t> sums = sumQueue_.AllocTensor<int32_t>();
    DataCopy(sums, workGm_[(turn % WORKSPACE_STAGES * tiling_->baseM + row) * width], rows * width);
    sumQueue_.EnQue(sums);
    sums = sumQueue_.DeQue<int32_t>();
    LocalTensor<float> values = sums.ReinterpretCast<float>();
    Cast(values, sums, RoundMode::CAST_NONE, rows * width);
    PipeBarrier<PIPE_V>();
    constexpr uint32_t LANES = ONE_REPEAT_BYTE_SIZE / sizeof(float);
    const uint8_t rowStride = width * sizeof(float) / ONE_BLK_SIZE;
    for (uint32_t at = 0; at < width; at += LANES) {
      Mul(values[at], values[at], scaleBuf_.Get<float>()[at], LANES, rows, {1, 1, 1, rowStride, rowStride, 0});
    }
    PipeBarrier<PIPE_V>();
    for (uint32_t at = 0; at < width; at += LANES) {
      Mul(values[at], values[at], brcbBuf_.Get<float>()[own * 8], LANES, rows, {1, 1, 0, rowStride, rowStride, 1});
    }
    PipeBarrier<PIPE_V>();
    LocalTensor<half> out = outQueue_.AllocTensor<half>();
    Cast(out, values, RoundMode::CAST_RINT, rows * width);
    sumQueue_.FreeTensor(sums);
    outQueue_.EnQue(out);
    out = outQueue_.DeQue<half>();
    DataCopyExtParams params;
    params.blockCount = rows;
    params.blockLen = shape.n * sizeof(half);
    params.srcStride = (width * sizeof(half) - RoundUp<32>(params.blockLen)) / ONE_BLK_SIZE;
    params.dstStride = (tiling_->shape.n - shape.n) * sizeof(half);
    DataCopyPad(dGm_[static_cast<uint64_t>(shape.row + row) * tiling_->shape.n + shape.column], out, params);
    outQueue_.FreeTensor(out);
  }

  const QuantMatmulTilingData* tiling_ = nullptr;
  TPipe* pipe_ = nullptr;
  uint32_t groupIdx_ = 0;
  TQue<TPosition::A1, 1> a1Queue_;
  TQue<TPosition::B1, 1> b1Queue_;
  TQue<TPosition::A2, 1> a2Queue_;
  TQue<TPosition::B2, 1> b2Queue_;
  TQue<TPosition::CO1, 1> co1Queue_;
  TQue<TPosition::VECIN, 1> sumQueue_, scaleQueue_, tokenQueue_;
  TQue<TPosition::VECOUT, 1> outQueue_;
  TBuf<TPosition::VECCALC> scaleBuf_, tokenBuf_, brcbBuf_;
  GlobalTensor<int8_t> aGm_, bGm_;
  GlobalTensor<half> scaleGm_, tokenGm_, dGm_;
  GlobalTensor<int32_t> workGm_;
};

extern "C" __global__ __aicore__ void quant_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR scale, GM_ADDR perTokenScale,
                                                   GM_ADDR d, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  GET_TILING_DATA(tilingData, tiling);
  GM_ADDR user = GetUserWorkspace(workspace);
  TPipe pipe;
  if (TILING_KEY_IS(1000)) {
    QuantMatmulKernel op;
    op.Init(a, b, scale, perTokenScale, d, user, &tilingData, &pipe);
    op.Process();
  }
}
