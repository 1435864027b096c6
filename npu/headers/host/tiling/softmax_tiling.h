#pragma once

#include "graph/tensor.h"
#include "tiling/library_tiling.h"
#include "tiling/temporary_sizes.h"

// The tiling of softmax: as many rows at a time as fit into the temporary space.

namespace AscendC {

inline uint32_t kg_last_axis(const ge::Shape& shape) {
  return shape.GetDimNum() == 0 ? 1 : static_cast<uint32_t>(shape.GetDim(shape.GetDimNum() - 1));
}
inline uint32_t kg_rows(const ge::Shape& shape) {
  const uint32_t columns = kg_last_axis(shape);
  return columns == 0 ? 0 : static_cast<uint32_t>(shape.GetShapeSize() / columns);
}
inline uint32_t kg_softmax_row_bytes(const ge::Shape& shape, int64_t kept = ::kgnpu::kSoftmaxRows) {
  return static_cast<uint32_t>(kept * ::kgnpu::softmax_row_bytes(kg_last_axis(shape)));
}

inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
  return kg_softmax_row_bytes(srcShape);
}
inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool) {
  return kg_rows(srcShape) * kg_softmax_row_bytes(srcShape);
}
inline uint32_t GetLogSoftMaxMinTmpSize(const ge::Shape srcShape, const uint32_t, const bool) {
  return kg_softmax_row_bytes(srcShape);
}
inline uint32_t GetLogSoftMaxMaxTmpSize(const ge::Shape srcShape, const uint32_t, const bool) {
  return kg_rows(srcShape) * kg_softmax_row_bytes(srcShape);
}
inline uint32_t GetSoftMaxFlashMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, const bool) {
  return kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows);
}
inline uint32_t GetSoftMaxFlashMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, const bool) {
  return kg_rows(srcShape) * kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows);
}
inline uint32_t GetSoftMaxFlashV2MinTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t, const bool,
                                            const bool = false, const bool = false) {
  return kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows);
}
inline uint32_t GetSoftMaxFlashV2MaxTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t, const bool,
                                            const bool = false, const bool = false) {
  return kg_rows(srcShape) * kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows);
}
inline void GetSoftMaxFlashV3MaxMinTmpSize(const ge::Shape& srcShape, const uint32_t, const uint32_t,
                                           uint32_t& maxValue, uint32_t& minValue, const bool, const bool = false) {
  minValue = kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows);
  maxValue = kg_rows(srcShape) * minValue;
}
inline uint32_t GetSoftMaxGradMinTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, const bool) {
  return kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxGradRows);
}
inline uint32_t GetSoftMaxGradMaxTmpSize(const ge::Shape& srcShape, const uint32_t, const bool, const bool) {
  return kg_rows(srcShape) * kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxGradRows);
}

template <typename Tiling>
inline void kg_softmax_tiling(const ge::Shape& shape, uint32_t type_size, uint32_t space, uint32_t row_bytes,
                              Tiling& tiling) {
  const uint32_t rows = kg_rows(shape), columns = kg_last_axis(shape);
  const uint32_t block = type_size == 0 ? 8 : 32 / type_size;
  uint32_t at_once = row_bytes == 0 ? rows : space / row_bytes;
  at_once = at_once > rows ? rows : at_once == 0 ? 1 : at_once;
  tiling.set_srcM(rows);
  tiling.set_srcK(columns);
  tiling.set_srcSize(rows * columns);
  tiling.set_outMaxM(rows);
  tiling.set_outMaxK(block);
  tiling.set_outMaxSize(rows * block);
  tiling.set_splitM(at_once);
  tiling.set_splitK(columns);
  tiling.set_splitSize(at_once * columns);
  tiling.set_reduceM(at_once);
  tiling.set_reduceK(8);
  tiling.set_reduceSize(at_once * 8);
  tiling.set_rangeM(rows / at_once);
  tiling.set_tailM(rows % at_once);
  tiling.set_tailSplitSize(rows % at_once * columns);
  tiling.set_tailReduceSize(rows % at_once * 8);
}

KG_TILING(SoftMaxTiling)
inline void SoftMaxTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize, const uint32_t localWorkSpaceSize,
                              Tiling& softmaxTiling) {
  kg_softmax_tiling(srcShape, dataTypeSize, localWorkSpaceSize, kg_softmax_row_bytes(srcShape), softmaxTiling);
}
KG_TILING(SoftMaxTiling)
inline void SoftMaxFlashTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize,
                                   const uint32_t localWorkSpaceSize, Tiling& softmaxTiling, const bool = false) {
  kg_softmax_tiling(srcShape, dataTypeSize, localWorkSpaceSize,
                    kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows), softmaxTiling);
}
KG_TILING(SoftMaxTiling)
inline void SoftMaxFlashV2TilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize1, const uint32_t,
                                     const uint32_t localWorkSpaceSize, Tiling& softmaxTiling, const bool,
                                     const bool = false, const bool = false) {
  kg_softmax_tiling(srcShape, dataTypeSize1, localWorkSpaceSize,
                    kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows), softmaxTiling);
}
// The means of V3 have the type of its maxima and sums.
KG_TILING(SoftMaxTiling)
inline void SoftMaxFlashV3TilingFunc(const ge::Shape& srcShape, const uint32_t, const uint32_t dataTypeSize2,
                                     const uint32_t localWorkSpaceSize, Tiling& softmaxFlashV3Tiling, const bool,
                                     const bool = false) {
  kg_softmax_tiling(srcShape, dataTypeSize2, localWorkSpaceSize,
                    kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxFlashRows), softmaxFlashV3Tiling);
}
KG_TILING(SoftMaxTiling)
inline void SoftMaxGradTilingFunc(const ge::Shape& srcShape, const uint32_t dataTypeSize,
                                  const uint32_t localWorkSpaceSize, Tiling& softmaxTiling, const bool = false) {
  kg_softmax_tiling(srcShape, dataTypeSize, localWorkSpaceSize,
                    kg_softmax_row_bytes(srcShape, ::kgnpu::kSoftmaxGradRows), softmaxTiling);
}
KG_TILING(LogSoftMaxTiling)
inline void LogSoftMaxTilingFunc(const ge::Shape srcShape, const uint32_t dataTypeSize,
                                 const uint32_t localWorkSpaceSize, Tiling& softmaxTiling) {
  kg_softmax_tiling(srcShape, dataTypeSize, localWorkSpaceSize, kg_softmax_row_bytes(srcShape), softmaxTiling);
}

// A basic block is of 8 n rows of 64 m elements, less than 2048 (page 0766).
template <typename Tiling>
inline bool IsBasicBlockInSoftMax(Tiling& tiling, const uint32_t = 2) {
  return tiling.get_srcM() % 8 == 0 && tiling.get_srcK() % 64 == 0 && tiling.get_srcK() < 2048;
}

}  // namespace AscendC
