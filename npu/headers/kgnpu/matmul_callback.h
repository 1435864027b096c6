#pragma once

#include "kgnpu/abi_matmul.h"
#include "kgnpu/tensor.h"

// Objects whose copies the kernel makes itself (page 0618): the callbacks run on the cube core, base block by base
// block. A copy finds its block's number along each dimension, as production kernels use it, and leaves the block in
// L1 as fractals (NZ) of the matrix as stored: rows rounded up to 16, of bytes to 32.

namespace AscendC {

// What the default copy to GM would be told: fragments are columns of fractals, lengths and srcStride count 32 bytes,
// dstStride elements.
struct DataCopyOutParams {
  uint16_t cBurstNum = 0;
  uint16_t burstLen = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  uint16_t oriNSize = 0;
  bool enUnitFlag = false;
  uint64_t quantScalar = 0;
  uint64_t cbufWorkspaceAddr = 0;
};

template <void (*DataCopyOut)(const __gm__ void* gm, const LocalTensor<int8_t>& co1Local, const void* dataCopyOutParams,
                              const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t>& aMatrix, const __gm__ void* gm, int row, int col, int useM,
                         int useK, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t>& bMatrix, const __gm__ void* gm, int row, int col, int useK,
                         int useN, const uint64_t tilingPtr, const uint64_t dataPtr) = nullptr>
struct MatmulCallBackFunc {
  static constexpr bool kg_copies_out = DataCopyOut != nullptr, kg_copies_a = CopyA1 != nullptr,
                        kg_copies_b = CopyB1 != nullptr;
  static constexpr uint8_t kg_copies = (kg_copies_a ? 1 : 0) | (kg_copies_b ? 2 : 0);
  static constexpr bool kg_is_plain = !kg_copies_out && kg_copies == 0;
  static constexpr auto kg_copy_out = DataCopyOut;
  static constexpr auto kg_copy_a = CopyA1;
  static constexpr auto kg_copy_b = CopyB1;
};

template <class Callbacks>
struct MatmulServer {
  static void serve(const ::kgnpu::MatmulWork& work) {
    ::kgnpu::MatmulBlock block;
    for (block.column = 0; block.column < work.n; block.column += work.base_n)
      for (block.row = 0; block.row < work.m; block.row += work.base_m) {
        block.m = least(work.base_m, work.m - block.row);
        block.n = least(work.base_n, work.n - block.column);
        if (work.stage != ::kgnpu::MatmulStage::kResult) multiply(work, block);
        if (work.stage != ::kgnpu::MatmulStage::kProduct) write(work, block);
      }
  }

 private:
  static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }

  static void multiply(const ::kgnpu::MatmulWork& work, ::kgnpu::MatmulBlock block) {
    const int row = static_cast<int>((work.a_row + block.row) / work.base_m);
    const int column = static_cast<int>((work.b_column + block.column) / work.base_n);
    for (block.inner = 0; block.inner < work.k; block.inner += work.base_k) {
      block.k = least(work.base_k, work.k - block.inner);
      const int inner = static_cast<int>(block.inner / work.base_k);
      if constexpr (Callbacks::kg_copies_a) {
        LocalTensor<int8_t> room;
        kgnpu_matmul_room(0, &room.kg_view);
        Callbacks::kg_copy_a(room, (const __gm__ void*)work.a, row, inner, static_cast<int>(block.m),
                             static_cast<int>(block.k), work.user_info, work.self_data);
      }
      if constexpr (Callbacks::kg_copies_b) {
        LocalTensor<int8_t> room;
        kgnpu_matmul_room(1, &room.kg_view);
        Callbacks::kg_copy_b(room, (const __gm__ void*)work.b, inner, column, static_cast<int>(block.k),
                             static_cast<int>(block.n), work.user_info, work.self_data);
      }
      kgnpu_matmul_block(&block);
    }
  }

  static void write(const ::kgnpu::MatmulWork& work, const ::kgnpu::MatmulBlock& block) {
    if constexpr (!Callbacks::kg_copies_out) {
      kgnpu_matmul_write(&block);
    } else {
      LocalTensor<int8_t> co1;
      ::kgnpu::MatmulPlaceOut place;
      kgnpu_matmul_in_l0c(&block, &co1.kg_view, &place);
      DataCopyOutParams parameters;
      constexpr int64_t kFractal = 16, kUnits = kFractal * 4 / 32;
      parameters.cBurstNum = static_cast<uint16_t>((block.n + kFractal - 1) / kFractal);
      parameters.burstLen = static_cast<uint16_t>(block.m * kUnits);
      parameters.srcStride = static_cast<uint16_t>(((block.m + kFractal - 1) / kFractal * kFractal - block.m) * kUnits);
      parameters.dstStride = static_cast<uint32_t>(place.row_elements);
      parameters.oriNSize = static_cast<uint16_t>(block.n);
      parameters.quantScalar = place.scale;
      Callbacks::kg_copy_out((const __gm__ void*)place.gm, co1, &parameters, work.user_info, work.self_data);
    }
  }
};

}  // namespace AscendC
