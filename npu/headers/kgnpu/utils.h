#pragma once

#include "kgnpu/data_copy.h"
#include "kgnpu/pipe.h"
#include "kgnpu/raw_copy.h"
#include "kgnpu/scalar_calls.h"
#include "kgnpu/vector_reduce.h"
#include "kgnpu/vector_scalar.h"

// Used by kernels besides the calls proper: AscendCUtils, lower-level functions (...Impl), GM initialisation,
// dumps and traps.

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

// Hints about a queue's use (its third template argument); the emulator's queues do not need them.
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

template <typename T>
inline void DataCopyPadGm2UBImpl(__ubuf__ T* dst, __gm__ T* src, const DataCopyExtParams& intriParams,
                                 const DataCopyPadExtParams<T>& padParams, KG_WHERE) {
  LocalTensor<T> local;
  kgnpu_local_at((uint64_t)dst, &local.kg_view, "DataCopyPadGm2UBImpl", kg_where.line);
  GlobalTensor<T> global;
  global.SetGlobalBuffer(src);
  DataCopyPad(local, global, intriParams, padParams, kg_where);
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
template <typename T, TPosition pos = TPosition::MAX>
inline void SetPadValue(T value) {
  static_assert(pos == TPosition::VECIN || pos == TPosition::VECOUT || pos == TPosition::MAX,
                "SetPadValue: the positions are VECIN, VECOUT and MAX, which means both");
  kgnpu_set_pad_value(::kgnpu::bits_of(value));
}

// Debugging.
namespace kg_detail {
template <typename T>
constexpr void check_dump_type() {
  static_assert(::kgnpu::has_scalar<T>,
                "DumpTensor does not take int4b_t on this device; ReinterpretCast it to int8_t");
}
}  // namespace kg_detail
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, KG_WHERE) {
  kg_detail::check_dump_type<T>();
  kgnpu_dump(&tensor.kg_view, 0, static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, nullptr, 0,
             kg_where.line);
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, KG_WHERE) {
  kg_detail::check_dump_type<T>();
  kgnpu_dump(nullptr, tensor.kg_address(), static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, nullptr, 0,
             kg_where.line);
}
template <typename T>
inline void DumpTensor(const LocalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                       KG_WHERE) {
  kg_detail::check_dump_type<T>();
  kgnpu_dump(&tensor.kg_view, 0, static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, shapeInfo.shape,
             shapeInfo.shapeDim, kg_where.line);
}
template <typename T>
inline void DumpTensor(const GlobalTensor<T>& tensor, uint32_t desc, uint32_t dumpSize, const ShapeInfo& shapeInfo,
                       KG_WHERE) {
  kg_detail::check_dump_type<T>();
  kgnpu_dump(nullptr, tensor.kg_address(), static_cast<int>(::kgnpu::TypeOf<T>::value), desc, dumpSize, shapeInfo.shape,
             shapeInfo.shapeDim, kg_where.line);
}
template <typename T>
inline void DumpAccChkPoint(const LocalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                            KG_WHERE) {
  DumpTensor(tensor[countOff], index, dumpSize, kg_where);
}
template <typename T>
inline void DumpAccChkPoint(const GlobalTensor<T>& tensor, uint32_t index, uint32_t countOff, uint32_t dumpSize,
                            KG_WHERE) {
  DumpTensor(tensor[countOff], index, dumpSize, kg_where);
}
inline void Trap(KG_WHERE) { kgnpu_trap(kg_where.line); }
inline int64_t GetProgramCounter() { return reinterpret_cast<int64_t>(__builtin_return_address(0)); }
inline void GetArchVersion(uint32_t& coreVersion) { coreVersion = 0x220; }
// The instruction cache has no state here: nothing to load, nothing in progress.
inline void ICachePreLoad(const int64_t) {}
inline int64_t GetICachePreloadStatus() { return 0; }
inline int64_t GetIcachePreloadStatus() { return 0; }

}  // namespace AscendC
