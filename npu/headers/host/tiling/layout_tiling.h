#pragma once

#include "../../kgnpu/library_choices.h"
#include "tiling/softmax_tiling.h"

// Calls that rearrange data: padding rows, transposing, the largest elements. Their tiling data holds the shape.

namespace AscendC {

inline void GetPadMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                uint32_t& minValue) {
  kg_temporary("Pad", srcShape, typeSize, maxValue, minValue);
}
KG_TILING(PadTiling)
inline void PadTilingFunc(const ge::Shape srcShape, const ge::Shape oriSrcShape, const uint32_t, const uint32_t,
                          Tiling& tiling) {
  tiling.set_srcHeight(kg_rows(srcShape));
  tiling.set_srcWidth(kg_last_axis(srcShape));
  tiling.set_srcOriWidth(kg_last_axis(oriSrcShape));
}
inline void GetUnPadMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const ge::Shape& srcShape,
                                  const uint32_t typeSize, uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary("UnPad", srcShape, typeSize, maxValue, minValue);
}
KG_TILING(UnPadTiling)
inline void UnPadTilingFunc(const ge::Shape srcShape, const uint32_t, const uint32_t, Tiling& tiling) {
  tiling.set_srcHeight(kg_rows(srcShape));
  tiling.set_srcWidth(kg_last_axis(srcShape));
}

// (B, N, S, H / N), or (H, W) if the scenario is the transpose of a matrix.
inline void GetTransposeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const uint32_t,
                                      uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary("Transpose", srcShape, typeSize, maxValue, minValue);
}
KG_TILING(ConfusionTransposeTiling)
inline void GetTransposeTilingInfo(const ge::Shape& srcShape, const uint32_t, const uint32_t, const uint32_t,
                                   Tiling& tiling) {
  const size_t dims = srcShape.GetDimNum();
  const auto from_the_end = [&](size_t k) { return k <= dims ? static_cast<uint32_t>(srcShape.GetDim(dims - k)) : 1; };
  tiling.set_param0(from_the_end(4));
  tiling.set_param1(from_the_end(3));
  tiling.set_param2(from_the_end(2));
  tiling.set_param3(from_the_end(1));
}
inline void GetConfusionTransposeMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize,
                                               const uint32_t transposeTypeIn, uint32_t& maxValue, uint32_t& minValue) {
  GetTransposeMaxMinTmpSize(srcShape, typeSize, transposeTypeIn, maxValue, minValue);
}
KG_TILING(ConfusionTransposeTiling)
inline void GetConfusionTransposeTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize,
                                            const uint32_t typeSize, const uint32_t transposeTypeIn, Tiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, transposeTypeIn, tiling);
}
KG_TILING(ConfusionTransposeTiling)
inline void GetConfusionTransposeOnlyTilingInfo(const ge::Shape& srcShape, const uint32_t stackBufferSize,
                                                const uint32_t typeSize, Tiling& tiling) {
  GetTransposeTilingInfo(srcShape, stackBufferSize, typeSize, 7, tiling);
}

// One row at a time, or all of them.
inline bool GetTopKMaxMinTmpSize(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                                 const bool, const bool, enum TopKMode, const bool, const uint32_t, uint32_t& maxValue,
                                 uint32_t& minValue) {
  minValue = static_cast<uint32_t>(inner * ::kgnpu::kSortRecordBytes);
  maxValue = minValue * static_cast<uint32_t>(outter);
  return true;
}
KG_TILING(TopkTiling)
inline bool TopKTilingFunc(const platform_ascendc::PlatformAscendC&, const int32_t inner, const int32_t outter,
                           const int32_t, const uint32_t dataTypeSize, const bool, enum TopKMode, const bool,
                           Tiling& topKTiling) {
  topKTiling.set_tmpLocalSize(static_cast<int32_t>(dataTypeSize == 0 ? 0 : inner * outter * 8 / int(dataTypeSize)));
  topKTiling.set_allDataSize(inner * outter);
  topKTiling.set_innerDataSize(inner);
  return true;
}

}  // namespace AscendC
