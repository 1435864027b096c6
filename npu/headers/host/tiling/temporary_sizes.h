#pragma once

#include "../../kgnpu/library_choices.h"
#include "../../kgnpu/temporary_sizes.h"
#include "graph/tensor.h"
#include "tiling/platform/platform_ascendc.h"

// The temporary space for the library's calls: at least what the call itself requires. It is fastest with room for its
// whole input for each value that it keeps.

namespace AscendC {

inline uint32_t kg_whole_blocks(int64_t elements, uint32_t type_size) {
  return static_cast<uint32_t>((elements * type_size + 31) / 32 * 32);
}

constexpr uint32_t kg_kept(const char* call) { return ::kgnpu::temporary_size(call)->kept; }
inline void kg_temporary(const char* call, const ge::Shape& shape, uint32_t type_size, uint32_t& most,
                         uint32_t& least) {
  const ::kgnpu::TemporarySize& size = *::kgnpu::temporary_size(call);
  least = ::kgnpu::least_temporary(size);
  most = size.kept * kg_whole_blocks(shape.GetShapeSize(), type_size);
  if (most < least) most = least;
}

// The functions' names and the order of their arguments are those of their pages.
#define KG_FACTOR(Name)                                                                           \
  inline void Get##Name##TmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, \
                                             uint32_t& extraBuffer) {                             \
    (void)typeSize;                                                                               \
    maxLiveNodeCount = kg_kept(#Name);                                                            \
    extraBuffer = 0;                                                                              \
  }
#define KG_SIZES(Function, Name)                                                                     \
  inline void Function(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource, \
                       uint32_t& maxValue, uint32_t& minValue) {                                     \
    (void)isReuseSource;                                                                             \
    kg_temporary(#Name, srcShape, typeSize, maxValue, minValue);                                     \
  }
#define KG_TEMPORARY(Name) KG_SIZES(Get##Name##MaxMinTmpSize, Name) KG_FACTOR(Name)
KG_TEMPORARY(Acos)
KG_TEMPORARY(Acosh)
KG_TEMPORARY(Asin)
KG_TEMPORARY(Asinh)
KG_TEMPORARY(Atan)
KG_TEMPORARY(Atanh)
KG_TEMPORARY(Axpy)
KG_TEMPORARY(Ceil)
KG_TEMPORARY(Cos)
KG_TEMPORARY(Cosh)
KG_TEMPORARY(Clamp)
KG_TEMPORARY(Digamma)
KG_TEMPORARY(Erf)
KG_TEMPORARY(Erfc)
KG_FACTOR(Exp)
KG_TEMPORARY(Floor)
KG_TEMPORARY(Frac)
KG_TEMPORARY(Fmod)
KG_TEMPORARY(GeGLU)
KG_TEMPORARY(Hypot)
KG_TEMPORARY(Lgamma)
KG_TEMPORARY(Log)
KG_TEMPORARY(Log10)
KG_TEMPORARY(Log2)
KG_TEMPORARY(ReduceXorSum)
KG_TEMPORARY(ReGlu)
KG_TEMPORARY(Round)
KG_TEMPORARY(Sigmoid)
KG_TEMPORARY(Sign)
KG_TEMPORARY(Sin)
KG_TEMPORARY(Sinh)
KG_TEMPORARY(Tan)
KG_TEMPORARY(Tanh)
KG_TEMPORARY(Trunc)
KG_TEMPORARY(Xor)
KG_FACTOR(SwiGLU)
KG_SIZES(GetSiluTmpSize, Silu)
KG_SIZES(GetSwishTmpSize, Swish)
KG_SIZES(GetDropOutMaxMinTmpSize, DropOut)
#undef KG_TEMPORARY
#undef KG_SIZES
#undef KG_FACTOR

// The one size that can be refused, on chips that have no such call.
inline bool GetExpMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool isReuseSource,
                                uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  kg_temporary("Exp", srcShape, typeSize, maxValue, minValue);
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
  kg_temporary("SwiGLU", srcShape, typeSize, maxValue, minValue);
}
// For the three forms of Gelu.
inline void GetGeluMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                 uint32_t& minValue) {
  kg_temporary("Gelu", srcShape, typeSize, maxValue, minValue);
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
  kg_temporary("AscendQuant", srcShape, typeSize, maxValue, minValue);
}
inline void GetAscendDequantMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, uint32_t& maxValue,
                                          uint32_t& minValue) {
  kg_temporary("AscendDequant", srcShape, typeSize, maxValue, minValue);
}

// Their values are kept in fp32, whatever the type of the source.
inline void GetAscendQuantTmpBufferFactorSize(uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = kg_kept("AscendQuant");
  extraBuf = 0;
}
inline void GetAscendDequantTmpBufferFactorSize(const ge::Shape& srcShape, uint32_t& maxLiveNodeCount,
                                                uint32_t& extraBuf) {
  (void)srcShape;
  maxLiveNodeCount = kg_kept("AscendDequant");
  extraBuf = 0;
}

inline void GetBroadCastMaxMinTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform,
                                      const ge::Shape& srcShape, const ge::Shape& dstShape, uint32_t typeSize,
                                      const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  (void)ascendcPlatform;
  (void)srcShape;
  (void)isReuseSource;
  kg_temporary("BroadCast", dstShape, typeSize, maxValue, minValue);
}
// For Power with two tensors or with a scalar.
inline void GetPowerMaxMinTmpSize(const ge::Shape& srcShape1, const ge::Shape& srcShape2, const bool typeIsInt,
                                  const uint32_t typeSize, const bool isReuseSource, uint32_t& maxValue,
                                  uint32_t& minValue) {
  (void)typeIsInt;
  (void)isReuseSource;
  kg_temporary("Power", srcShape1.GetShapeSize() > srcShape2.GetShapeSize() ? srcShape1 : srcShape2, typeSize, maxValue,
               minValue);
}
inline void GetPowerTmpBufferFactorSize(const bool, const bool, const bool, const uint32_t, uint32_t& maxLiveNodeCount,
                                        uint32_t& extraBuffer) {
  maxLiveNodeCount = kg_kept("Power");
  extraBuffer = 0;
}
inline void GetCumSumMaxMinTmpSize(const ge::Shape& srcShape, const uint32_t typeSize, const bool, const bool,
                                   uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary("CumSum", srcShape, typeSize, maxValue, minValue);
}
// Select with a mask of bytes, and its older name.
#define KG_SELECT(Name)                                                                                           \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& src0Shape, const ge::Shape& src1Shape,                    \
                                       const uint32_t srcTypeSize, const ge::Shape&, const uint32_t, const bool,  \
                                       uint32_t& maxValue, uint32_t& minValue) {                                  \
    kg_temporary(#Name, src0Shape.GetShapeSize() > src1Shape.GetShapeSize() ? src0Shape : src1Shape, srcTypeSize, \
                 maxValue, minValue);                                                                             \
  }                                                                                                               \
  KG_EITHER(Name,                                                                                                 \
            (const ge::Shape& src0Shape, const ge::Shape& src1Shape, const uint32_t srcTypeSize,                  \
             const ge::Shape& maskShape, const uint32_t maskTypeSize, const bool isReuseMask),                    \
            src0Shape, src1Shape, srcTypeSize, maskShape, maskTypeSize, isReuseMask)
KG_SELECT(Select)
KG_SELECT(SelectWithBytesMask)
#undef KG_SELECT
inline void GetAscendAntiQuantMaxMinTmpSize(const ge::Shape& srcShape, const ge::Shape&, bool, ge::DataType,
                                            ge::DataType, uint32_t& maxValue, uint32_t& minValue) {
  kg_temporary("AscendAntiQuant", srcShape, 4, maxValue, minValue);
}
KG_EITHER(AscendAntiQuant,
          (const ge::Shape& srcShape, const ge::Shape& scaleShape, bool isTranspose, ge::DataType inputDataType,
           ge::DataType outputDataType),
          srcShape, scaleShape, isTranspose, inputDataType, outputDataType)
#undef KG_EITHER
inline void GetAscendAntiQuantTmpBufferFactorSize(const ge::Shape&, const ge::Shape&, bool, ge::DataType, ge::DataType,
                                                  uint32_t& maxLiveNodeCount, uint32_t& extraBuf) {
  maxLiveNodeCount = kg_kept("AscendAntiQuant");
  extraBuf = 0;
}
inline void GetArithProgressionMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }
inline void GetArangeMaxMinTmpSize(uint32_t& maxValue, uint32_t& minValue) { maxValue = minValue = 0; }

#define KG_REDUCTION(Name)                                                                                       \
  inline void Get##Name##MaxMinTmpSize(const ge::Shape& srcShape, const ge::DataType, ReducePattern, bool, bool, \
                                       uint32_t& maxValue, uint32_t& minValue) {                                 \
    kg_temporary(#Name, srcShape, 4, maxValue, minValue);                                                        \
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
  minValue = static_cast<uint32_t>(::kgnpu::row_sum_temporary(n, typeSize));
  maxValue = kg_whole_blocks(n, typeSize);
}
// Sort keeps, besides its destination, a record of 8 bytes for each element.
inline uint32_t GetSortTmpSize(const platform_ascendc::PlatformAscendC& ascendcPlatform, const uint32_t elemCount,
                               const uint32_t dataTypeSize) {
  (void)ascendcPlatform;
  (void)dataTypeSize;
  return static_cast<uint32_t>(elemCount * ::kgnpu::kSortRecordBytes);
}
// Concat prepares nothing on this device.
inline uint32_t GetConcatTmpSize(const platform_ascendc::PlatformAscendC&, const uint32_t, const uint32_t) { return 0; }
inline void GetMeanTmpBufferFactorSize(const uint32_t typeSize, uint32_t& maxLiveNodeCount, uint32_t& extraBuffer) {
  (void)typeSize;
  maxLiveNodeCount = 2;
  extraBuffer = 0;
}
inline void GetMeanMaxMinTmpSize(uint32_t n, const uint32_t typeSize, const uint32_t accTypeSize,
                                 const bool isReuseSource, uint32_t& maxValue, uint32_t& minValue) {
  (void)isReuseSource;
  const uint32_t wide = typeSize > accTypeSize ? typeSize : accTypeSize;
  minValue = static_cast<uint32_t>(::kgnpu::row_mean_temporary(n, typeSize, accTypeSize));
  maxValue = 2 * kg_whole_blocks(n, wide);
}

}  // namespace AscendC
