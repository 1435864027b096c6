#pragma once

#include "kgnpu/language.h"

// Enumerations, constants and parameter structures of Ascend C.

enum pipe_t { PIPE_S = 0, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };
enum event_t { EVENT_ID0 = 0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };
using TEventID = int8_t;

constexpr int32_t kg_core_type_aic = 1;  // AscendC::AIC
constexpr int32_t kg_core_type_aiv = 2;  // AscendC::AIV

// The kind of core that a source is compiled for, as a value that templates of these headers can wait for.
template <typename...>
struct kg_core_kind;  // the source's prologue defines it

enum KernelMetaType {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
  KERNEL_TYPE_AICORE,
  KERNEL_TYPE_VECTORCORE,
  KERNEL_TYPE_MIX_AICORE,
  KERNEL_TYPE_MIX_VECTOR_CORE,
  KERNEL_TYPE_MAX
};

enum class MemDsbT : uint8_t { ALL = 0, DDR, UB, SEQ };

namespace AscendC {

using TEventID = ::TEventID;
using ::MemDsbT;

// A source is compiled once for each kind of core; its prologue defines g_coreType as one of the kg_ constants.
constexpr int32_t MIX = 0, AIC = 1, AIV = 2;
using ::kg_core_type_aic;
using ::kg_core_type_aiv;
#define ASCEND_IS_AIC constexpr(::AscendC::g_coreType == ::AscendC::AIC)
#define ASCEND_IS_AIV constexpr(::AscendC::g_coreType == ::AscendC::AIV)
#define ASCEND_IS_NOT_AIC constexpr(::AscendC::g_coreType != ::AscendC::AIC)
#define ASCEND_IS_NOT_AIV constexpr(::AscendC::g_coreType != ::AscendC::AIV)

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM = VECCALC + 1,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX
};
using QuePosition = TPosition;
static_assert(static_cast<uint8_t>(TPosition::A1) == ::kgnpu::position::kA1 &&
                  static_cast<uint8_t>(TPosition::CO1) == ::kgnpu::position::kCo1 &&
                  static_cast<uint8_t>(TPosition::TSCM) == ::kgnpu::position::kTscm &&
                  static_cast<uint8_t>(TPosition::C2PIPE2GM) == ::kgnpu::position::kC2Pipe2Gm &&
                  static_cast<uint8_t>(TPosition::VECIN) == ::kgnpu::position::kVecIn &&
                  static_cast<uint8_t>(TPosition::VECOUT) == ::kgnpu::position::kVecOut &&
                  static_cast<uint8_t>(TPosition::VECCALC) == ::kgnpu::position::kVecCalc,
              "");

// Each event names the pipe that sets it and the pipe that waits for it.
#define KG_EVENT(from, to) from##_##to = (PIPE_##from << 4) | PIPE_##to
enum class HardEvent : uint8_t {
  KG_EVENT(MTE2, MTE1),
  KG_EVENT(MTE1, MTE2),
  KG_EVENT(MTE1, M),
  KG_EVENT(M, MTE1),
  KG_EVENT(MTE2, V),
  KG_EVENT(V, MTE2),
  KG_EVENT(MTE3, V),
  KG_EVENT(V, MTE3),
  KG_EVENT(M, V),
  KG_EVENT(V, M),
  KG_EVENT(V, V),
  KG_EVENT(MTE3, MTE1),
  KG_EVENT(MTE1, MTE3),
  KG_EVENT(MTE1, V),
  KG_EVENT(MTE2, M),
  KG_EVENT(M, MTE2),
  KG_EVENT(V, MTE1),
  KG_EVENT(M, FIX),
  KG_EVENT(FIX, M),
  KG_EVENT(MTE3, MTE2),
  KG_EVENT(MTE2, MTE3),
  KG_EVENT(S, V),
  KG_EVENT(V, S),
  KG_EVENT(S, MTE2),
  KG_EVENT(MTE2, S),
  KG_EVENT(S, MTE3),
  KG_EVENT(MTE3, S),
  KG_EVENT(FIX, MTE3),
  KG_EVENT(MTE3, FIX),
  KG_EVENT(FIX, MTE2),
  KG_EVENT(MTE2, FIX),
  KG_EVENT(FIX, S),
  KG_EVENT(FIX, MTE1),
  KG_EVENT(MTE1, FIX),
  KG_EVENT(M, S),
  KG_EVENT(S, M),
  MAX
};
#undef KG_EVENT

enum class RoundMode { CAST_NONE = 0, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE : uint8_t { LT = 0, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR = 0, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder { ORDER_VALUE_INDEX = 0, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class MaskMode : uint8_t { NORMAL = 0, COUNTER };
enum class CacheMode { CACHE_MODE_DISABLE = 0, CACHE_MODE_NORMAL, CACHE_MODE_LAST, CACHE_MODE_PERSISTENT };
using TTagType = int32_t;  // of SetUserTag
enum class CacheRwMode { READ = 1, WRITE = 2, RW = 3 };
enum class CacheLine : uint64_t { SINGLE_CACHE_LINE = 0, ENTIRE_DATA_CACHE };
enum class DcciDst : uint64_t { CACHELINE_ALL = 0, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class DataFormat : uint8_t { ND = 0, NZ, NCHW, NC1HWC0, NHWC };

constexpr int32_t ONE_BLK_SIZE = 32;
constexpr int32_t ONE_REPEAT_BYTE_SIZE = 256;
constexpr int32_t ONE_REPEAT_FLOAT_SIZE = 64;
constexpr int32_t ONE_REPEAT_HALF_SIZE = 128;
constexpr int32_t DEFAULT_C0_SIZE = 32;
constexpr int32_t BLOCK_CUBE = 16;
constexpr int32_t B16_BYTE_SIZE = 2;
constexpr int32_t B32_BYTE_SIZE = 4;
constexpr int32_t B64_BYTE_SIZE = 8;
constexpr float PI = 3.14159265358979323846f;
constexpr int32_t B16_DATA_NUM_PER_BLOCK = 16;
constexpr int32_t B32_DATA_NUM_PER_BLOCK = 8;
constexpr int32_t B16_DATA_NUM_PER_REPEAT = 128;
constexpr int32_t B32_DATA_NUM_PER_REPEAT = 64;
constexpr uint64_t FULL_MASK = 0xffffffffffffffff;
constexpr int32_t TOTAL_UB_SIZE = 192 * 1024;
constexpr int32_t TOTAL_VEC_LOCAL_SIZE = 184 * 1024;  // without 8 KB for the library's own temporary space
constexpr int32_t ONE_BLK_FLOAT_NUM = 8;
constexpr int32_t ONE_BLK_HALF_NUM = 16;
constexpr int32_t BRCB_BROADCAST_NUMBER = 8;
constexpr int32_t MAX_REPEAT_TIMES = 255;
constexpr uint8_t DEFAULT_BLK_STRIDE = 1;
constexpr uint8_t DEFAULT_REPEAT_STRIDE = 8;
constexpr uint8_t DEFAULT_BLK_NUM = 8;
constexpr uint64_t MASK_PLACEHOLDER = 0;
constexpr int32_t MASK_PLACEHOLDER_LIST = 0;

// Shape of a tensor, for calls that need it.
struct ShapeInfo {
  ShapeInfo() = default;
  ShapeInfo(uint8_t dims, const uint32_t sizes[], DataFormat format = DataFormat::ND)
      : ShapeInfo(dims, sizes, dims, sizes, format) {}
  ShapeInfo(uint8_t dims, const uint32_t sizes[], uint8_t original_dims, const uint32_t original[], DataFormat format)
      : shapeDim(dims), originalShapeDim(original_dims), dataFormat(format) {
    for (uint8_t k = 0; k < 8; ++k) {
      shape[k] = k < dims ? sizes[k] : 0;
      originalShape[k] = k < original_dims ? original[k] : 0;
    }
  }
  uint8_t shapeDim = 0, originalShapeDim = 0;
  uint32_t shape[8] = {}, originalShape[8] = {};
  DataFormat dataFormat = DataFormat::ND;
};
inline int GetShapeSize(const ShapeInfo& shapeInfo) {
  int size = 1;
  for (uint8_t k = 0; k < shapeInfo.shapeDim && k < 8; ++k) size *= static_cast<int>(shapeInfo.shape[k]);
  return size;
}

// Classes with constructors, as in the documentation: all values or none.
struct BinaryRepeatParams {
  constexpr BinaryRepeatParams() {}
  constexpr BinaryRepeatParams(uint8_t dstBlkStrideIn, uint8_t src0BlkStrideIn, uint8_t src1BlkStrideIn,
                               uint8_t dstRepStrideIn, uint8_t src0RepStrideIn, uint8_t src1RepStrideIn)
      : dstBlkStride(dstBlkStrideIn),
        src0BlkStride(src0BlkStrideIn),
        src1BlkStride(src1BlkStrideIn),
        dstRepStride(dstRepStrideIn),
        src0RepStride(src0RepStrideIn),
        src1RepStride(src1RepStrideIn) {}
  uint8_t dstBlkStride = 1, src0BlkStride = 1, src1BlkStride = 1;
  uint8_t dstRepStride = 8, src0RepStride = 8, src1RepStride = 8;
};
struct UnaryRepeatParams {
  constexpr UnaryRepeatParams() {}
  constexpr UnaryRepeatParams(uint16_t dstBlkStrideIn, uint16_t srcBlkStrideIn, uint8_t dstRepStrideIn,
                              uint8_t srcRepStrideIn)
      : dstBlkStride(dstBlkStrideIn),
        srcBlkStride(srcBlkStrideIn),
        dstRepStride(dstRepStrideIn),
        srcRepStride(srcRepStrideIn) {}
  uint16_t dstBlkStride = 1, srcBlkStride = 1;
  uint8_t dstRepStride = 8, srcRepStride = 8;
};
struct CopyRepeatParams {
  constexpr CopyRepeatParams() {}
  constexpr CopyRepeatParams(uint16_t dstStrideIn, uint16_t srcStrideIn, uint16_t dstRepeatSizeIn,
                             uint16_t srcRepeatSizeIn)
      : dstStride(dstStrideIn),
        srcStride(srcStrideIn),
        dstRepeatSize(dstRepeatSizeIn),
        srcRepeatSize(srcRepeatSizeIn) {}
  uint16_t dstStride = 1, srcStride = 1;
  uint16_t dstRepeatSize = 8, srcRepeatSize = 8;
};
struct BrcbRepeatParams {
  constexpr BrcbRepeatParams() {}
  constexpr BrcbRepeatParams(uint16_t dstBlkStrideIn, uint16_t dstRepStrideIn)
      : dstBlkStride(dstBlkStrideIn), dstRepStride(dstRepStrideIn) {}
  uint16_t dstBlkStride = 1, dstRepStride = 8;
};
struct DataCopyParams {
  constexpr DataCopyParams() {}
  constexpr DataCopyParams(uint16_t blockCountIn, uint16_t blockLenIn, uint16_t srcStrideIn, uint16_t dstStrideIn)
      : blockCount(blockCountIn), blockLen(blockLenIn), srcStride(srcStrideIn), dstStride(dstStrideIn) {}
  uint16_t blockCount = 1, blockLen = 0;
  uint16_t srcStride = 0, dstStride = 0;
};
// What a copy may compute on its way. The vector cores of this device support none of these.
enum class BlockMode : uint8_t {
  BLOCK_MODE_NORMAL = 0,
  BLOCK_MODE_MATRIX,
  BLOCK_MODE_VECTOR,
  BLOCK_MODE_SMALL_CHANNEL,
  BLOCK_MODE_DEPTHWISE
};
enum class DeqScale : uint8_t { DEQ_NONE = 0, DEQ, VDEQ, DEQ8, VDEQ8, DEQ16, VDEQ16 };
struct DataCopyEnhancedParams {
  constexpr DataCopyEnhancedParams() {}
  constexpr DataCopyEnhancedParams(const BlockMode blockModeIn, const DeqScale deqScaleIn, const uint64_t deqValueIn,
                                   const uint8_t sidStoreModeIn, const bool isReluIn, const int padModeIn,
                                   const uint64_t padValueIn)
      : blockMode(blockModeIn),
        deqScale(deqScaleIn),
        deqValue(deqValueIn),
        sidStoreMode(sidStoreModeIn),
        isRelu(isReluIn),
        padMode(padModeIn),
        padValue(padValueIn) {}
  BlockMode blockMode = BlockMode::BLOCK_MODE_NORMAL;
  DeqScale deqScale = DeqScale::DEQ_NONE;
  uint64_t deqValue = 0;
  uint8_t sidStoreMode = 0;
  bool isRelu = false;
  int padMode = 0;
  uint64_t padValue = 0;
};
struct DataCopyExtParams {
  constexpr DataCopyExtParams() {}
  constexpr DataCopyExtParams(uint16_t blockCountIn, uint32_t blockLenIn, uint32_t srcStrideIn, uint32_t dstStrideIn,
                              uint32_t rsvIn)
      : blockCount(blockCountIn), blockLen(blockLenIn), srcStride(srcStrideIn), dstStride(dstStrideIn), rsv(rsvIn) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0, srcStride = 0, dstStride = 0, rsv = 0;
};
struct DataCopyPadParams {
  constexpr DataCopyPadParams() {}
  constexpr DataCopyPadParams(bool isPadIn, uint8_t leftPaddingIn, uint8_t rightPaddingIn, uint64_t paddingValueIn)
      : isPad(isPadIn), leftPadding(leftPaddingIn), rightPadding(rightPaddingIn), paddingValue(paddingValueIn) {}
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  uint64_t paddingValue = 0;
};
template <typename T>
struct DataCopyPadExtParams {
  constexpr DataCopyPadExtParams() {}
  constexpr DataCopyPadExtParams(bool isPadIn, uint8_t leftPaddingIn, uint8_t rightPaddingIn, T paddingValueIn)
      : isPad(isPadIn), leftPadding(leftPaddingIn), rightPadding(rightPaddingIn), paddingValue(paddingValueIn) {}
  bool isPad = false;
  uint8_t leftPadding = 0, rightPadding = 0;
  T paddingValue = T();
};
struct SumParams {
  uint32_t outter = 1, inner = 0, n = 0;
};

}  // namespace AscendC
