#pragma once

#include "../../kgnpu/library_choices.h"
#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

// The temporary space for the library's calls. The device's own figures are not published; here a call that needs
// space takes at least one repeat for each value it keeps, and is fastest with room for its whole input for each.

namespace AscendC {

inline uint32_t kg_whole_blocks(int64_t elements, uint32_t type_size) {
  return static_cast<uint32_t>((elements * type_size + 31) / 32 * 32);
}

inline void kg_temporary(const ge::Shape& shape, uint32_t type_size, uint32_t kept, uint32_t& most, uint32_t& least) {
  constexpr uint32_t kRepeat = 256;
  least = kept * kRepeat;
  most = kept * kg_whole_blocks(shape.GetShapeSize(), type_size);
  if (most < least) most = least;
}

// Values kept besides source and destination. The functions' names and the order of their arguments are those of their
// pages.
#define KG_FACTOR(Name, kept)                                                                     \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                             uint32_t& extraBuffer) {                             \
    (void)typeSize;                                                                               \
    maxLiveNodeCount = kept;                                                                      \
    extraBuffer = 0;                                                                              \
  }
#define KG_SIZES(Function, kept)                                                                     \
  inline void Function(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource, \
                       uint32_t& maxValue, uint32_t& minValue) {                                     \
    (void)isReuseSource;                                                                             \
    kg_temporary(srcShape, typeSize, kept, maxValue, minValue);                                      \
  }
#define KG_TEMPORARY(Name, kept) KG_SIZES(Get##Name##MaxMinTmpSize, kept) KG_FACTOR(Name, kept)
KG_TEMPORARY(Acos, 4)
KG_TEMPORARY(Acosh, 4)
KG_TEMPORARY(Asin, 4)
KG_TEMPORARY(Asinh, 4)
KG_TEMPORARY(Atan, 5)
KG_TEMPORARY(Atanh, 3)
KG_TEMPORARY(Axpy, 2)
KG_TEMPORARY(Ceil, 2)
KG_TEMPORARY(Cos, 4)
KG_TEMPORARY(Cosh, 3)
KG_TEMPORARY(Clamp, 2)
KG_TEMPORARY(Digamma, 8)
KG_TEMPORARY(Erf, 4)
KG_TEMPORARY(Erfc, 8)
KG_FACTOR(Exp, 4)
KG_TEMPORARY(Floor, 2)
KG_TEMPORARY(Frac, 2)
KG_TEMPORARY(Fmod, 4)
KG_TEMPORARY(GeGLU, 4)
KG_TEMPORARY(Hypot, 4)
KG_TEMPORARY(Lgamma, 8)
KG_TEMPORARY(Log, 2)
KG_TEMPORARY(Log10, 2)
KG_TEMPORARY(Log2, 2)
KG_TEMPORARY(ReduceXorSum, 2)
KG_TEMPORARY(ReGlu, 2)
KG_TEMPORARY(Round, 2)
KG_TEMPORARY(Sigmoid, 2)
KG_TEMPORARY(Sign, 3)
KG_TEMPORARY(Sin, 4)
KG_TEMPORARY(Sinh, 3)
KG_TEMPORARY(Tan, 6)
KG_TEMPORARY(Tanh, 3)
KG_TEMPORARY(Trunc, 2)
KG_TEMPORARY(Xor, 2)
KG_FACTOR(Mean, 2)
KG_FACTOR(SwiGLU, 3)
KG_SIZES(GetSiluTmpSize, 2)
KG_SIZES(GetSwishTmpSize, 2)
KG_SIZES(GetDropOutMaxMinTmpSize, 2)
#undef KG_TEMPORARY
#undef KG_SIZES
#undef KG_FACTOR

// The one size that can be refused, on chips that have no such call.
inline bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  kg_temporary(srcShape, typeSize, 4, maxValue, minValue);
  return true;
}
inline void GetRoundMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const ge::Shape& srcShape,
                                  const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                  uint32_t& minValue) {
  (void)ascendcPlatform;
  GetRoundMaxMinTmpSize(srcShape, typeSize, isReuseSource, maxValue, minValue);
}
inline void GetRoundTmpBufferFactorSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                        const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  (void)ascendcPlatform;
  GetRoundTmpBufferFactorSize(typeSize, maxLiveNodeCount, extraBuffer);
}
inline void GetSwiGLUMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                   uint32_t& minValue, const bool isReuseSource) {
  (void)isReuseSource;
  kg_temporary(srcShape, typeSize, 3, maxValue, minValue);
}
// For the three forms of Gelu.
inline void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue) {
  kg_temporary(srcShape, typeSize, 4, maxValue, minValue);
}
// The largest and the smallest size of a pair by themselves.
#define KG_EITHER(Name, parameters, ...)                \
  inline uint32_t Get##Name##MaxTmpSize parameters {    \
    uint32_t most = 0, least = 0;                       \
    Get##Name##MaxMinTmpSize(__VA_ARGS__, most, least); \
    return most;                                        \
  }                                                     \
  inline uint32_t Get##Name##MinTmpSize parameters {    \
    uint32_t most = 0, least = 0;                       \
    Get##Name##MaxMinTmpSize(__VA_ARGS__, most, least); \
    return least;                                       \
  }
KG_EITHER(Gelu, (const ge::Shape& srcShape, const uint32_t typeSize), srcShape, typeSize)
KG_EITHER(DropOut, (const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource), srcShape, typeSize,
          isReuseSource)
inline void GetAscendQuantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                        uint32_t& minValue) {
  kg_temporary(srcShape, typeSize, 4, maxValue, minValue);
}
inline void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                          uint32_t& minValue) {
  kg_temporary(srcShape, typeSize, 4, maxValue, minValue);
}

// Their values are kept in fp32, whatever the type of the source.
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 4;
  extraBuf = 0;
}
inline void GetAscendDequantTmpBufferFactorSize(const ge::Shape& srcShape, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf) {
  (void)srcShape;
  maxLiveNodeCount = 4;
  extraBuf = 0;
}

inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                      const ge::Shape& srcShape, const ge::Shape& dstShape, uint32_t typeSize,
                                      const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  (void)ascendcPlatform;
  (void)srcShape;
  (void)isReuseSource;
  kg_temporary(dstShape, typeSize, 2, maxValue, minValue);
}
// For Power with two tensors or with a scalar.
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, const bool typeIsInt,
                                  const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                  uint32_t& minValue) {
  (void)typeIsInt;
  (void)isReuseSource;
  kg_temporary(srcShape1.GetShapeSize() > srcShape2.GetShapeSize() ? srcShape1 : srcShape2, typeSize, 6, maxValue,
               minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t, uint32_t& maxLiveNodeCount,
                                        uint32_t& extraBuffer) {
  maxLiveNodeCount = 6;
  extraBuffer = 0;
}
inline void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary(srcShape, typeSize, 2, maxValue, minValue);
}
// Select with a mask of bytes, and its older name.
#define KG_SELECT(Name)                                                                                          \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,                   \
                                       const uint32_t srcTypeSize, const ge::Shape&, const uint32_t, const bool, \
                                       uint32_t& maxValue, uint32_t& minValue) {                                 \
    kg_temporary(src0Shape.GetShapeSize() > src1Shape.GetShapeSize() ? src0Shape : src1Shape, srcTypeSize, 2,    \
                 maxValue, minValue);                                                                            \
  }                                                                                                              \
  KG_EITHER(Name,                                                                                                \
            (const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t srcTypeSize,                 \
             const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask),                   \
            src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask)
KG_SELECT(Select)
KG_SELECT(SelectWithBytesMask)
#undef KG_SELECT
inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape&, bool, ge::DataType,
                                            ge::DataType, uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary(srcShape, 4, 1, maxValue, minValue);
}
KG_EITHER(AscendAntiQuant,
          (const ge::Shape& srcShape, const ge::Shape& scaleShape, bool isTranspose, ge::DataType inputDataType,
           ge::DataType outputDataType),
          srcShape, scaleShape, isTranspose, inputDataType, outputDataType)
#undef KG_EITHER
inline void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape&, const ge::Shape&, bool, ge::DataType, ge::DataType,
                                                  uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = 1;
  extraBuf = 0;
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

#define KG_REDUCTION(Name)                                                                                       \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& srcShape, const ge::DataType, ReducePattern, bool, bool, \
                                       uint32_t& maxValue, uint32_t& minValue) {                                 \
    kg_temporary(srcShape, 4, 1, maxValue, minValue);                                                            \
  }
KG_REDUCTION(ReduceSum)
KG_REDUCTION(ReduceMean)
KG_REDUCTION(ReduceMax)
KG_REDUCTION(ReduceMin)
KG_REDUCTION(ReduceProd)
KG_REDUCTION(ReduceAny)
KG_REDUCTION(ReduceAll)
#undef KG_REDUCTION
inline void GetSumMaxMinTmpSize(uint32_t n, const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                uint32_t& minValue) {
  (void)isReuseSource;
  minValue = maxValue = kg_whole_blocks(n, typeSize);
}
// Sort keeps, besides its destination, a record of 8 bytes for each element.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount,
                               const uint32_t dataTypeSize) {
  (void)ascendcPlatform;
  (void)dataTypeSize;
  return elemCount * 8;
}
// Concat prepares nothing on this device.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }
inline void GetMeanMaxMinTmpSize(uint32_t n, const uint32_t typeSize, const uint32_t accTypeSize,
                                 const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  minValue = maxValue = 2 * kg_whole_blocks(n, typeSize > accTypeSize ? typeSize : accTypeSize);
}

}  // namespace AscendC
