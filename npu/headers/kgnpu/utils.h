#pragma once

#include "kgnpu/data_copy.h"
#include "kgnpu/pipe.h"
#include "kgnpu/raw_copy.h"
#include "kgnpu/vector_reduce.h"
#include "kgnpu/vector_scalar.h"

// What kernels use beside the calls proper: AscendCUtils, functions beneath the calls (...Impl), GM initialisation,
// scalar bit counts, dumps and traps.

namespace AscendC {

class AscendCUtils {
 public:
  template <typename T, bool isSetMask = true>
  static void SetMask(const uint64_t& high, const uint64_t& low) {
    if constexpr (isSetMask) kgnpu_set_mask(high, low);
  }
  template <typename T, bool isSetMask = true>
  static void SetMask(int32_t length) {
    if constexpr (isSetMask) SetVectorMask<T>(length);
  }
  template <typename T>
  static void SetMaskCount() {
    kgnpu_set_mask_mode(1);
  }
  template <typename T>
  static void SetMaskNorm() {
    kgnpu_set_mask_mode(0);
  }
  template <bool isSetMask = true>
  static void ResetMask() {
    if constexpr (isSetMask) kgnpu_set_mask(~uint64_t{0}, ~uint64_t{0});
  }
  static int32_t GetBitSize(int32_t bytes) { return bytes * 8; }
  static int32_t GetC0Size() { return 32; }
  static int32_t GetC0Count(const int32_t bytes) { return 32 / bytes; }
  static uint32_t CalShapeSize(const uint32_t shape[], uint32_t dims) {
    uint32_t total = 1;
    for (uint32_t k = 0; k < dims; ++k) total *= shape[k];
    return total;
  }
};

template <bool condition, typename A, typename B>
struct Conditional {
  using type = std::conditional_t<condition, A, B>;
};

// What a queue may be told of its use (its third template argument); the emulator's queues need nothing of it.
struct TQueConfig {
  bool nd2nz = false, nz2nd = false, scmBlockGroup = false;
  uint32_t bufferLen = 0, bufferNumber = 0, consumerSize = 0;
  TPosition consumer[8] = {};
  bool enableStaticEvtId = false, enableLoopQueue = false;
};
constexpr TQueConfig GetTQueConfig(const TQueConfig& config) { return config; }

// The accumulator of the raw reductions, as bits.
inline int64_t GetAccVal() { return static_cast<int64_t>(kgnpu_reduce_result(2)); }

// UB that InitBuffer has not given out.
template <typename T, TPosition position>
inline bool PopStackBuffer(LocalTensor<T>& popLocal, KG_WHERE) {
  kgnpu_stack_buffer(&popLocal.kg_view, kg_where.line);
  return true;
}

template <typename T>
inline void DuplicateImpl(__ubuf__ T* dst, const T& scalarValue, const int32_t& count, KG_WHERE) {
  const ::kgnpu::RawLocal to(dst, "DuplicateImpl", kg_where.line);
  Duplicate(LocalTensor<T>(to.local), scalarValue, count, kg_where);
}
template <typename T>
inline void DataCopyUB2GMImpl(__gm__ T* dst, __ubuf__ T* src, const DataCopyParams& intriParams, KG_WHERE) {
  copy_ubuf_to_gm(dst, src, 0, intriParams.blockCount, intriParams.blockLen, intriParams.srcStride,
                  intriParams.dstStride, kg_where);
}
template <typename T>
inline void DataCopyGM2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyParams& intriParams, KG_WHERE) {
  copy_gm_to_ubuf(dst, src, 0, intriParams.blockCount, intriParams.blockLen, intriParams.srcStride,
                  intriParams.dstStride, kg_where);
}

// Fills GM with one value.
template <typename T>
inline void InitOutput(GlobalTensor<T> gmWorkspaceAddr, uint32_t size, T value = T(), KG_WHERE) {
  KG_TAKES("InitOutput", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  kgnpu_fill_global("InitOutput", gmWorkspaceAddr.kg_address(), size, sizeof(T), ::kgnpu::bits_of(value),
                    kg_where.line);
}
template <typename T, typename U = T>
inline void Fill(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, KG_WHERE) {
  KG_TAKES("Fill", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  kgnpu_fill_global("Fill", gmWorkspaceAddr.kg_address(), size, sizeof(T), ::kgnpu::bits_of(value), kg_where.line);
}
template <typename T>
inline void InitGlobalMemory(GlobalTensor<T>& gmWorkspaceAddr, const uint64_t size, const T value, KG_WHERE) {
  KG_TAKES("InitGlobalMemory", T, half, float, int16_t, uint16_t, int32_t, uint32_t);
  kgnpu_fill_global("InitGlobalMemory", gmWorkspaceAddr.kg_address(), size, sizeof(T), ::kgnpu::bits_of(value),
                    kg_where.line);
}
template <typename T>
inline void SetPadValue(T value) {
  kgnpu_set_pad_value(::kgnpu::bits_of(value));
}
template <typename T>
inline void SetAtomicType() {
  kgnpu_atomic(1, static_cast<int>(::kgnpu::TypeOf<T>::value));
}

// Bits of a scalar.
template <int countValue>
inline int64_t ScalarGetCountOfValue(uint64_t value) {
  static_assert(countValue == 0 || countValue == 1, "ScalarGetCountOfValue counts bits that are 0 or 1");
  const int64_t ones = __builtin_popcountll(value);
  return countValue == 1 ? ones : 64 - ones;
}
inline int64_t ScalarCountLeadingZero(uint64_t value) { return value == 0 ? 64 : __builtin_clzll(value); }
// How many bits behind the sign bit equal it; -1 for 0 and -1 themselves.
inline int64_t CountBitsCntSameAsSignBit(int64_t value) {
  if (value == 0 || value == -1) return -1;
  return __builtin_clrsbll(value);
}
template <int countValue>
inline int64_t ScalarGetSFFValue(uint64_t value) {  // the lowest bit that is 0 or 1
  static_assert(countValue == 0 || countValue == 1, "ScalarGetSFFValue looks for a bit that is 0 or 1");
  const uint64_t bits = countValue == 1 ? value : ~value;
  return bits == 0 ? -1 : __builtin_ctzll(bits);
}
template <int countValue>
inline int64_t GetBitCount(uint64_t value) {
  return ScalarGetCountOfValue<countValue>(value);
}
template <int countValue>
inline int64_t GetSFFValue(uint64_t value) {
  return ScalarGetSFFValue<countValue>(value);
}
namespace kg_detail {
// To an integer, with operations of the scalar unit alone: a builtin would become a call of the C library.
constexpr double rounded(double value, RoundMode mode) {
  if (!(value > -4294967296.0 && value < 4294967296.0)) return value;
  const double shifted = mode == RoundMode::CAST_CEIL    ? -value
                         : mode == RoundMode::CAST_ROUND ? (value < 0 ? -value : value) + 0.5
                         : mode == RoundMode::CAST_RINT  ? value + 0.5
                                                         : value;
  const double cut = static_cast<double>(static_cast<int64_t>(shifted));
  const double down = cut > shifted ? cut - 1 : cut;
  if (mode == RoundMode::CAST_CEIL) return -down;
  if (mode == RoundMode::CAST_ROUND) return value < 0 ? -down : down;
  if (mode == RoundMode::CAST_RINT && down == shifted && (static_cast<int64_t>(down) & 1) != 0) return down - 1;
  return down;
}
}  // namespace kg_detail

template <typename T, typename U, RoundMode roundMode>
inline U ScalarCast(T valueIn) {
  static_assert(std::is_same_v<T, float> && (std::is_same_v<U, half> || std::is_same_v<U, int32_t>),
                "ScalarCast takes: float to half or int32_t");
  if constexpr (std::is_same_v<U, half>) {
    static_assert(roundMode == RoundMode::CAST_ODD, "ScalarCast to half takes RoundMode::CAST_ODD");
    const half nearest(valueIn);
    if (float(nearest) == valueIn || valueIn != valueIn) return nearest;
    const auto bits = __builtin_bit_cast(uint16_t, nearest);
    if ((bits & 1u) != 0) return nearest;  // inexact: of the two neighbours the one with an odd last bit
    const bool towards_zero = __builtin_fabsf(float(nearest)) > __builtin_fabsf(valueIn);
    return __builtin_bit_cast(half, static_cast<uint16_t>(towards_zero ? bits - 1 : bits + 1));
  } else {
    static_assert(roundMode == RoundMode::CAST_ROUND || roundMode == RoundMode::CAST_CEIL ||
                      roundMode == RoundMode::CAST_FLOOR || roundMode == RoundMode::CAST_RINT,
                  "ScalarCast to int32_t takes CAST_ROUND, CAST_CEIL, CAST_FLOOR, CAST_RINT");
    const double value = kg_detail::rounded(valueIn, roundMode);
    return value != value          ? 0
           : value >= 2147483647.0 ? 2147483647
           : value < -2147483648.0 ? INT32_MIN
                                   : static_cast<int32_t>(value);
  }
}

// Debugging.
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, KG_WHERE) {
  kgnpu_dump(&tensor.kg_view, 0, static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, nullptr, 0,
             kg_where.line);
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, KG_WHERE) {
  kgnpu_dump(nullptr, tensor.kg_address(), static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, nullptr, 0,
             kg_where.line);
}
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                       KG_WHERE) {
  kgnpu_dump(&tensor.kg_view, 0, static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, shapeInfo.shape,
             shapeInfo.shapeDim, kg_where.line);
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                       KG_WHERE) {
  kgnpu_dump(nullptr, tensor.kg_address(), static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, shapeInfo.shape,
             shapeInfo.shapeDim, kg_where.line);
}
template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                            KG_WHERE) {
  DumpTensor(tensor[countOff], index, dumpSize, kg_where);
}
inline void Trap(KG_WHERE) { kgnpu_trap(kg_where.line); }
inline int64_t GetProgramCounter() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
// The instruction cache has no state here: nothing to load, nothing under way.
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }
inline int64_t GetIcachePreloadStatus() { return 0; }

}  // namespace AscendC
