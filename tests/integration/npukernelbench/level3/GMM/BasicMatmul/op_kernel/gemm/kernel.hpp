#ifndef GEMM_KERNEL_HPP
#define GEMM_KERNEL_HPP

#include "block_mmad.hpp"

namespace gemm {
namespace Kernel {

template <class BlockMmad_>
class BasicMatmul {
 public:
  using BlockMmad = BlockMmad_;
  using L1TileShape = typename BlockMmad::L1TileShape;
  using ElementA = typename BlockMmad::ElementA;
  using ElementB = typename BlockMmad::ElementB;
  using ElementC = typename BlockMmad::ElementC;

  struct Params {
    GemmCoord problemShape;
    GM_ADDR ptrA;
    layout::RowMajor layoutA;
    GM_ADDR ptrB;
    layout::RowMajor layoutB;
    GM_ADDR ptrC;
    layout::RowMajor layoutC;

    GEMM_HOST_DEVICE Params() {}
    GEMM_HOST_DEVICE Params(GemmCoord const& problemShape_, GM_ADDR ptrA_, layout::RowMajor layoutA_, GM_ADDR ptrB_,
                            layout::RowMajor layoutB_, GM_ADDR ptrC_, layout::RowMajor layoutC_)
        : problemShape(problemShape_),
          ptrA(ptrA_),
          layoutA(layoutA_),
          ptrB(ptrB_),
          layoutB(layoutB_),
          ptrC(ptrC_),
          layoutC(layoutC_) {}
  };

  GEMM_DEVICE BasicMatmul() {}

  template <int32_t CORE_TYPE = g_coreType>
  GEMM_DEVICE void operator()(Params const& params);

  template <>
  GEMM_DEVICE void operator()<AscendC::AIC>(Params const& params) {
    const uint32_t tilesM = CeilDiv(params.problemShape.m(), L1TileShape::M);
    const uint32_t tilesN = CeilDiv(params.problemShape.n(), L1TileShape::N);
    Arch::Resource<Arch::AtlasA2> resource;
    BlockMmad blockMmad(resource);

    AscendC::GlobalTensor<ElementA> gmA;
    gmA.SetGlobalBuffer((__gm__ ElementA*)params.ptrA);
    AscendC::GlobalTensor<ElementB> gmB;
    gmB.SetGlobalBuffer((__gm__ ElementB*)params.ptrB);
    AscendC::GlobalTensor<ElementC> gmC;
    gmC.SetGlobalBuffer((__gm__ ElementC*)params.ptrC);

    for (uint32_t loopIdx = AscendC::GetBlockIdx(); loopIdx < tilesM * tilesN; loopIdx += AscendC::GetBlockNum()) {
      const uint32_t m = loopIdx / tilesN * L1TileShape::M, n = loopIdx % tilesN * L1TileShape::N;
      const uint32_t mLeft = params.problemShape.m() - m, nLeft = params.problemShape.n() - n;
      const GemmCoord actualShape{mLeft < L1TileShape::M ? mLeft : L1TileShape::M,
                                  nLeft < L1TileShape::N ? nLeft : L1TileShape::N, params.problemShape.k()};
      blockMmad(gmA[params.layoutA.GetOffset(m, 0)], params.layoutA, gmB[params.layoutB.GetOffset(0, n)],
                params.layoutB, gmC[params.layoutC.GetOffset(m, n)], params.layoutC, actualShape);
    }
    AscendC::PipeBarrier<PIPE_ALL>();
  }

  template <>
  GEMM_DEVICE void operator()<AscendC::AIV>(Params const& params) {}
};
}  // namespace Kernel
}  // namespace gemm

#endif
