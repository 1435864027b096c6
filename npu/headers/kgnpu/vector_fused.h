#pragma once

#include "kgnpu/vector_gather.h"

// Arithmetic combined with a cast, and the registers that scale it; the comparison mask register.

namespace AscendC {

#define KG_FUSED_CAST(Name, Count)                                                                                     \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, Count count,     \
                   KG_WHERE) {                                                                                         \
    kg_detail::check_##Name<T, U>();                                                                                   \
    kgnpu_vector_first(kg_detail::op_word<T, U>(::kgnpu::Op::k##Name), &dst.kg_view, &src0.kg_view, &src1.kg_view, 0,  \
                       static_cast<int32_t>(count), kg_where.line);                                                    \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask,   \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {                       \
    kg_detail::fused_cast<isSetMask>(::kgnpu::Op::k##Name, dst, src0, src1, mask, repeatTime, repeatParams,            \
                                     kg_where.line);                                                                   \
    kg_detail::check_##Name<T, U>();                                                                                   \
  }                                                                                                                    \
  template <typename T, typename U, bool isSetMask = true>                                                             \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src0, const LocalTensor<U>& src1, uint64_t mask[], \
                   const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {                       \
    kg_detail::fused_cast<isSetMask>(::kgnpu::Op::k##Name, dst, src0, src1, mask, repeatTime, repeatParams,            \
                                     kg_where.line);                                                                   \
    kg_detail::check_##Name<T, U>();                                                                                   \
  }

namespace kg_detail {

template <bool isSetMask, typename T, typename U, typename Mask>
inline void fused_cast(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<U>& src0,
                       const LocalTensor<U>& src1, Mask mask, uint8_t repeat, const BinaryRepeatParams& params,
                       int line) {
  auto call = vector_call<T, U>(op, dst, 2, &src0.kg_view, &src1.kg_view, line);
  set_mask<isSetMask>(call, mask, repeat);
  set_strides(call, params);
  kgnpu_vector(&call);
}
template <typename T, typename U>
constexpr bool relu_cast_exists = (std::is_same_v<T, half> && std::is_same_v<U, float>) ||
                                  (std::is_same_v<T, int8_t> && ::kgnpu::is_one_of<U, half, int16_t>);
template <typename T, typename U>
constexpr void check_AddReluCast() {
  static_assert(relu_cast_exists<T, U>, "AddReluCast takes: half from float, int8_t from half, int8_t from int16_t");
}
template <typename T, typename U>
constexpr void check_SubReluCast() {
  static_assert(relu_cast_exists<T, U>, "SubReluCast takes: half from float, int8_t from half, int8_t from int16_t");
}
template <typename T, typename U>
constexpr void check_MulCast() {
  static_assert(std::is_same_v<U, half> && ::kgnpu::is_one_of<T, int8_t, uint8_t>,
                "MulCast takes: int8_t or uint8_t from half");
}
template <typename T, typename U>
constexpr void check_AddDeqRelu() {
  static_assert(std::is_same_v<U, int32_t> && std::is_same_v<T, half>, "AddDeqRelu takes: half from int32_t");
}

}  // namespace kg_detail

KG_FUSED_CAST(AddReluCast, const uint32_t)
KG_FUSED_CAST(SubReluCast, const uint32_t)
KG_FUSED_CAST(MulCast, const uint32_t)
KG_FUSED_CAST(AddDeqRelu, const int32_t&)
#undef KG_FUSED_CAST

// AddDeqRelu is published with its only data types written out as well.
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       const int32_t& count, KG_WHERE) {
  AddDeqRelu<half, int32_t>(dst, src0, src1, count, kg_where);
}
template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       uint64_t mask[], const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, kg_where);
}
template <bool isSetMask = true>
inline void AddDeqRelu(const LocalTensor<half>& dst, const LocalTensor<int32_t>& src0, const LocalTensor<int32_t>& src1,
                       uint64_t mask, const uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  AddDeqRelu<half, int32_t, isSetMask>(dst, src0, src1, mask, repeatTime, repeatParams, kg_where);
}

struct VdeqInfo {
  VdeqInfo() = default;
  VdeqInfo(const float vdeqScaleIn[16], const int16_t vdeqOffsetIn[16], const bool vdeqSignModeIn[16]) {
    for (int k = 0; k < 16; ++k) {
      vdeqScale[k] = vdeqScaleIn[k];
      vdeqOffset[k] = vdeqOffsetIn[k];
      vdeqSignMode[k] = vdeqSignModeIn[k];
    }
  }

  float vdeqScale[16] = {};
  int16_t vdeqOffset[16] = {};
  bool vdeqSignMode[16] = {};
};

// The factor of Cast from int32_t to half and of AddDeqRelu.
inline void SetDeqScale(half scale, KG_WHERE) {
  auto call = kg_detail::special<half>("SetDeqScale", ::kgnpu::Special::kSetDeqScale, kg_where.line);
  call.number[0] = ::kgnpu::bits_of_float(float(scale));
  kgnpu_special(&call);
}
// Scale and offset of CastDeq.
inline void SetDeqScale(float scale, int16_t offset, bool signMode, KG_WHERE) {
  auto call = kg_detail::special<half>("SetDeqScale", ::kgnpu::Special::kSetDeqScale, kg_where.line);
  call.number[0] = ::kgnpu::bits_of_float(scale);
  call.number[1] = offset;
  call.number[2] = signMode;
  kgnpu_special(&call);
}
template <typename T>
inline void SetDeqScale(const LocalTensor<T>&, const VdeqInfo& vdeqInfo, KG_WHERE) {
  auto call = kg_detail::special<half>("SetDeqScale", ::kgnpu::Special::kSetDeqScale, kg_where.line);
  call.number[0] = reinterpret_cast<int64_t>(vdeqInfo.vdeqScale);
  call.number[1] = reinterpret_cast<int64_t>(vdeqInfo.vdeqOffset);
  call.number[2] = reinterpret_cast<int64_t>(vdeqInfo.vdeqSignMode);
  call.number[3] = 1;
  kgnpu_special(&call);
}

// From int16_t: 16 results for each block of the source, in one half of a block of the destination. From int32_t:
// Cast with the factor of SetDeqScale. CastDequant is the name of later versions.
namespace kg_detail {
template <typename T, typename U, bool isVecDeq, bool halfBlock>
inline ::kgnpu::VectorCall cast_deq(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<U>& src, int line) {
  auto call = vector_call<T, U>(op, dst, 1, &src.kg_view, nullptr, line);
  call.mode = isVecDeq;
  call.flag = halfBlock;
  return call;
}
template <typename T, typename U>
constexpr bool is_deq = (std::is_same_v<U, int16_t> && ::kgnpu::is_one_of<T, int8_t, uint8_t>) ||
                        (std::is_same_v<U, int32_t> && std::is_same_v<T, half>);
}  // namespace kg_detail

#define KG_CAST_DEQ(Name)                                                                                           \
  template <typename T, typename U, bool isVecDeq = true, bool halfBlock = true>                                    \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count, KG_WHERE) {          \
    static_assert(kg_detail::is_deq<T, U>, #Name " takes: int8_t or uint8_t from int16_t, half from int32_t");      \
    auto call = kg_detail::cast_deq<T, U, isVecDeq, halfBlock>(::kgnpu::Op::k##Name, dst, src, kg_where.line);      \
    call.count = static_cast<int32_t>(count);                                                                       \
    kgnpu_vector(&call);                                                                                            \
  }                                                                                                                 \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>             \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint64_t mask[], uint8_t repeatTime, \
                   const UnaryRepeatParams& repeatParams, KG_WHERE) {                                               \
    static_assert(kg_detail::is_deq<T, U>, #Name " takes: int8_t or uint8_t from int16_t, half from int32_t");      \
    auto call = kg_detail::cast_deq<T, U, isVecDeq, halfBlock>(::kgnpu::Op::k##Name, dst, src, kg_where.line);      \
    kg_detail::set_mask<isSetMask>(call, mask, repeatTime);                                                         \
    kg_detail::set_strides(call, repeatParams);                                                                     \
    kgnpu_vector(&call);                                                                                            \
  }                                                                                                                 \
  template <typename T, typename U, bool isSetMask = true, bool isVecDeq = true, bool halfBlock = true>             \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<U>& src, const int32_t mask, uint8_t repeatTime,    \
                   const UnaryRepeatParams& repeatParams, KG_WHERE) {                                               \
    static_assert(kg_detail::is_deq<T, U>, #Name " takes: int8_t or uint8_t from int16_t, half from int32_t");      \
    auto call = kg_detail::cast_deq<T, U, isVecDeq, halfBlock>(::kgnpu::Op::k##Name, dst, src, kg_where.line);      \
    kg_detail::set_mask<isSetMask>(call, static_cast<uint64_t>(mask), repeatTime);                                  \
    kg_detail::set_strides(call, repeatParams);                                                                     \
    kgnpu_vector(&call);                                                                                            \
  }
KG_CAST_DEQ(CastDeq)
KG_CAST_DEQ(CastDequant)
#undef KG_CAST_DEQ

// The 128 bits that calls without a mask tensor compare into and select by.
template <typename T>
inline void SetCmpMask(const LocalTensor<T>& src, KG_WHERE) {
  auto call = kg_detail::special<T>("SetCmpMask", ::kgnpu::Special::kSetCompareMask, kg_where.line);
  call.tensor[0] = &src.kg_view;
  kgnpu_special(&call);
}
template <typename T>
inline void GetCmpMask(const LocalTensor<T>& dst, KG_WHERE) {
  auto call = kg_detail::special<T>("GetCmpMask", ::kgnpu::Special::kGetCompareMask, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  kgnpu_special(&call);
}
namespace kg_detail {
template <bool isSetMask, typename T, typename Mask>
inline void compare_to_register(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE mode, Mask mask,
                                const BinaryRepeatParams& params, int line) {
  KG_TAKES("Compare", T, half, float);
  auto call = vector_call<T, T>(::kgnpu::Op::kCompare, src0, 2, &src0.kg_view, &src1.kg_view, line);
  call.dst = nullptr;
  call.mode = static_cast<uint8_t>(mode);
  set_mask<isSetMask>(call, mask, 1);
  set_strides(call, params);
  kgnpu_vector(&call);
}
}  // namespace kg_detail
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask,
                    const BinaryRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::compare_to_register<isSetMask>(src0, src1, cmpMode, mask, repeatParams, kg_where.line);
}
template <typename T, bool isSetMask = true>
inline void Compare(const LocalTensor<T>& src0, const LocalTensor<T>& src1, CMPMODE cmpMode, const uint64_t mask[],
                    const BinaryRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::compare_to_register<isSetMask>(src0, src1, cmpMode, mask, repeatParams, kg_where.line);
}
template <typename T, SELMODE selMode>
inline void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<T>& src1,
                   uint8_t repeatTime, const BinaryRepeatParams& repeatParams, KG_WHERE) {
  KG_TAKES("Select", T, half, float);
  static_assert(selMode == SELMODE::VSEL_CMPMASK_SPR,
                "Select without a mask tensor: only SELMODE::VSEL_CMPMASK_SPR is supported by the emulated device");
  auto call = kg_detail::vector_call<T, T>(::kgnpu::Op::kSelect, dst, 3, &src0.kg_view, &src1.kg_view, kg_where.line);
  call.mode = static_cast<uint8_t>(selMode);
  kg_detail::set_mask<false>(call, uint64_t{0}, repeatTime);
  kg_detail::set_strides(call, repeatParams);
  kgnpu_vector(&call);
}

}  // namespace AscendC
