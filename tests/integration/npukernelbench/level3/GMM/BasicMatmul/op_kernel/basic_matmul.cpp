#include "gemm/kernel.hpp"

using namespace gemm;

extern "C" GEMM_GLOBAL void basic_matmul(GM_ADDR a, GM_ADDR b, GM_ADDR c, GM_ADDR workspace, GM_ADDR tiling) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_AIC_ONLY);
  GET_TILING_DATA(tilingData, tiling);
  using L1TileShape = GemmShape<128, 256, 256>;
  using L0TileShape = GemmShape<128, 256, 64>;
  using AType = Block::GemmType<half, layout::RowMajor>;
  using BType = Block::GemmType<half, layout::RowMajor>;
  using CType = Block::GemmType<half, layout::RowMajor>;
  using BlockMmad = Block::BlockMmad<Block::Pingpong<2>, L1TileShape, L0TileShape, AType, BType, CType>;
  using MatmulKernel = Kernel::BasicMatmul<BlockMmad>;

  GemmCoord problemShape{tilingData.m, tilingData.n, tilingData.k};
  layout::RowMajor layoutA{tilingData.m, tilingData.k};
  layout::RowMajor layoutB{tilingData.k, tilingData.n};
  layout::RowMajor layoutC{tilingData.m, tilingData.n};
  typename MatmulKernel::Params params{problemShape, a, layoutA, b, layoutB, c, layoutC};
  MatmulKernel matmul;
  matmul(params);
}
