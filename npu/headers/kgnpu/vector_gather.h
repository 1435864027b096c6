#pragma once

#include "kgnpu/abi_special.h"
#include "kgnpu/vector_form.h"

// Calls that select source elements by numbers, and calls that spread elements: Gather, Gatherb, GatherMask, Brcb,
// Copy, CreateVecIndex.

namespace AscendC {

struct GatherRepeatParams {
  constexpr GatherRepeatParams() {}
  constexpr GatherRepeatParams(uint8_t dstBlkStrideIn, uint8_t dstRepStrideIn)
      : dstBlkStride(dstBlkStrideIn), dstRepStride(dstRepStrideIn) {}
  uint8_t dstBlkStride = 1, dstRepStride = 8;
};
struct GatherMaskParams {
  constexpr GatherMaskParams() {}
  constexpr GatherMaskParams(uint8_t src0BlockStrideIn, uint16_t repeatTimesIn, uint16_t src0RepeatStrideIn,
                             uint8_t src1RepeatStrideIn)
      : src0BlockStride(src0BlockStrideIn),
        repeatTimes(repeatTimesIn),
        src0RepeatStride(src0RepeatStrideIn),
        src1RepeatStride(src1RepeatStrideIn) {}
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0, src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
};
enum class GatherMaskMode : uint8_t { VERSION_V1 = 0, VERSION_V2 = 1 };
constexpr GatherMaskMode defaultGatherMaskMode = GatherMaskMode::VERSION_V2;
constexpr GatherMaskMode defaultGahterMaskMode = defaultGatherMaskMode;  // as the documentation once spelt it

namespace kg_detail {

template <typename T>
inline ::kgnpu::SpecialCall special(const char* name, ::kgnpu::Special op, int line) {
  static_assert(::kgnpu::has_scalar<T>, "this call does not take int4b_t on this device");
  ::kgnpu::SpecialCall call;
  call.name = name;
  call.op = op;
  call.type = ::kgnpu::TypeOf<T>::value;
  call.line = line;
  return call;
}
inline void special_mask(::kgnpu::SpecialCall& call, uint64_t count) {
  call.masking = ::kgnpu::Masking::kMaskCount;
  call.mask[0] = count;
}
inline void special_mask(::kgnpu::SpecialCall& call, const uint64_t* bits) {
  call.masking = ::kgnpu::Masking::kMaskBits;
  call.mask[0] = bits[0];
  call.mask[1] = bits[1];
}

template <typename T>
inline ::kgnpu::SpecialCall gather(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                   const LocalTensor<uint32_t>& offset, uint32_t base, int64_t number, int64_t stride,
                                   int line) {
  KG_TAKES("Gather", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = special<T>("Gather", ::kgnpu::Special::kGather, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &offset.kg_view;
  call.number[0] = base;
  call.number[1] = number;
  call.number[2] = 1;
  call.number[3] = stride;
  return call;
}
template <typename T>
inline uint64_t gather_mask(const LocalTensor<T>& dst, const LocalTensor<T>& src, const ::kgnpu::Local* pattern,
                            uint8_t number, bool counted, uint32_t mask, const GatherMaskParams& params, int line) {
  KG_TAKES("GatherMask", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = special<T>("GatherMask", ::kgnpu::Special::kGatherMask, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = pattern;
  call.number[0] = number;
  call.number[1] = counted;
  call.number[2] = mask;
  call.number[3] = params.src0BlockStride;
  call.number[4] = params.repeatTimes;
  call.number[5] = params.src0RepeatStride;
  call.number[6] = params.src1RepeatStride;
  return kgnpu_special(&call);
}
template <typename T>
inline ::kgnpu::SpecialCall index(const char* name, const LocalTensor<T>& dst, T first, T step, int64_t number,
                                  int64_t block, int64_t repeat, int line) {
  auto call = special<T>(name, ::kgnpu::Special::kCreateIndex, line);
  call.tensor[0] = &dst.kg_view;
  call.number[0] = number;
  call.number[1] = block;
  call.number[2] = repeat;
  call.number[3] = static_cast<int64_t>(::kgnpu::bits_of(first));
  call.number[4] = static_cast<int64_t>(::kgnpu::bits_of(step));
  return call;
}

}  // namespace kg_detail

// dst[i] = the element of src at srcBaseAddr + srcOffset[i] bytes.
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint32_t count, KG_WHERE) {
  auto call = kg_detail::gather(dst, src, srcOffset, srcBaseAddr, count, 8, kg_where.line);
  kgnpu_special(&call);
}
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint64_t mask, const uint8_t repeatTime,
                   const uint16_t dstRepStride, KG_WHERE) {
  auto call = kg_detail::gather(dst, src, srcOffset, srcBaseAddr, repeatTime, dstRepStride, kg_where.line);
  kg_detail::special_mask(call, mask);
  kgnpu_special(&call);
}
template <typename T>
inline void Gather(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint32_t>& srcOffset,
                   const uint32_t srcBaseAddr, const uint64_t mask[], const uint8_t repeatTime,
                   const uint16_t dstRepStride, KG_WHERE) {
  auto call = kg_detail::gather(dst, src, srcOffset, srcBaseAddr, repeatTime, dstRepStride, kg_where.line);
  kg_detail::special_mask(call, mask);
  kgnpu_special(&call);
}

// Gathers whole blocks of 32 bytes.
template <typename T>
inline void Gatherb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& offset,
                    const uint8_t repeatTime, const GatherRepeatParams& repeatParams, KG_WHERE) {
  static_assert(sizeof(T) <= 4, "Gatherb takes data types of 1, 2 or 4 bytes");
  auto call = kg_detail::special<T>("Gatherb", ::kgnpu::Special::kGatherb, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src0.kg_view;
  call.tensor[2] = &offset.kg_view;
  call.number[0] = repeatTime;
  call.number[1] = repeatParams.dstBlkStride;
  call.number[2] = repeatParams.dstRepStride;
  kgnpu_special(&call);
}

// Keeps the elements selected by a bit pattern, packed: a tensor of bits, or one of seven fixed patterns.
template <typename T, typename U, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<U>& src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt, KG_WHERE) {
  static_assert(sizeof(U) == sizeof(T) && std::is_unsigned_v<U>,
                "GatherMask: src1Pattern is uint16_t for data of 2 bytes, uint32_t for data of 4 bytes");
  rsvdCnt =
      kg_detail::gather_mask(dst, src0, &src1Pattern.kg_view, 0, reduceMode, mask, gatherMaskParams, kg_where.line);
}
template <typename T, GatherMaskMode mode = defaultGatherMaskMode>
inline void GatherMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t src1Pattern,
                       const bool reduceMode, const uint32_t mask, const GatherMaskParams& gatherMaskParams,
                       uint64_t& rsvdCnt, KG_WHERE) {
  rsvdCnt = kg_detail::gather_mask(dst, src0, nullptr, src1Pattern, reduceMode, mask, gatherMaskParams, kg_where.line);
}
inline int64_t GetGatherMaskRemainCount() { return static_cast<int64_t>(kgnpu_gathered()); }

// Each of 8 elements per repeat fills a block of dst.
template <typename T>
inline void Brcb(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const uint8_t repeatTime,
                 const BrcbRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Brcb", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = kg_detail::special<T>("Brcb", ::kgnpu::Special::kBrcb, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src0.kg_view;
  call.number[0] = repeatTime;
  call.number[1] = repeatParams.dstBlkStride;
  call.number[2] = repeatParams.dstRepStride;
  kgnpu_special(&call);
}

// UB to UB under a mask.
namespace kg_detail {
template <bool isSetMask, typename T, typename Mask>
inline void copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask, uint8_t repeat,
                 const CopyRepeatParams& params, int line) {
  KG_TAKES("Copy", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  auto call = vector_call<T, T>(::kgnpu::Op::kCopy, dst, 1, &src.kg_view, nullptr, line);
  set_mask<isSetMask>(call, mask, repeat);
  call.dst_stride = {params.dstStride, params.dstRepeatSize};
  call.src_stride[0] = {params.srcStride, params.srcRepeatSize};
  kgnpu_vector(&call);
}
}  // namespace kg_detail
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask, const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::copy<isSetMask>(dst, src, mask, repeatTime, repeatParams, kg_where.line);
}
template <typename T, bool isSetMask = true>
inline void Copy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[], const uint8_t repeatTime,
                 const CopyRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::copy<isSetMask>(dst, src, mask, repeatTime, repeatParams, kg_where.line);
}

// dst[i] = firstValue + i
template <typename T>
inline void CreateVecIndex(LocalTensor<T> dst, const T& firstValue, uint32_t count, KG_WHERE) {
  KG_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  auto call = kg_detail::index("CreateVecIndex", dst, firstValue, T(1), count, 1, 8, kg_where.line);
  kgnpu_special(&call);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask, uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride, KG_WHERE) {
  KG_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  auto call =
      kg_detail::index("CreateVecIndex", dst, firstValue, T(1), repeatTime, dstBlkStride, dstRepStride, kg_where.line);
  kg_detail::special_mask(call, mask);
  kgnpu_special(&call);
}
template <typename T>
inline void CreateVecIndex(LocalTensor<T>& dst, const T& firstValue, uint64_t mask[], uint8_t repeatTime,
                           uint16_t dstBlkStride, uint8_t dstRepStride, KG_WHERE) {
  KG_TAKES("CreateVecIndex", T, half, float, int16_t, int32_t);
  auto call =
      kg_detail::index("CreateVecIndex", dst, firstValue, T(1), repeatTime, dstBlkStride, dstRepStride, kg_where.line);
  kg_detail::special_mask(call, mask);
  kgnpu_special(&call);
}
// dst[i] = firstValue + i * diffValue
template <typename T>
inline void ArithProgression(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count,
                             KG_WHERE) {
  KG_TAKES("ArithProgression", T, half, float, int16_t, int32_t);
  auto call = kg_detail::index("ArithProgression", dst, firstValue, diffValue, count, 1, 8, kg_where.line);
  kgnpu_special(&call);
}
template <typename T>
inline void Arange(const LocalTensor<T>& dst, const T firstValue, const T diffValue, const int32_t count, KG_WHERE) {
  KG_TAKES("Arange", T, half, float, int16_t, int32_t);
  auto call = kg_detail::index("Arange", dst, firstValue, diffValue, count, 1, 8, kg_where.line);
  kgnpu_special(&call);
}

}  // namespace AscendC
