#pragma once

#include "kgnpu/vector_form.h"

// Cast and the scalar conversions. The pairs of types are those of Atlas A2; the runtime checks the round modes of a
// pair, since the mode is a function argument.

namespace AscendC {
namespace kg_detail {

template <typename Dst, typename Src>
constexpr bool cast_exists() {
  using ::kgnpu::is_one_of;
  if constexpr (std::is_same_v<Src, half>)
    return is_one_of<Dst, float, int32_t, int16_t, int8_t, uint8_t, int4b_t>;
  else if constexpr (std::is_same_v<Src, float>)
    return is_one_of<Dst, float, half, bfloat16_t, int64_t, int32_t, int16_t>;
  else if constexpr (std::is_same_v<Src, bfloat16_t>)
    return is_one_of<Dst, float, int32_t>;
  else if constexpr (is_one_of<Src, uint8_t, int8_t, int4b_t>)
    return is_one_of<Dst, half>;
  else if constexpr (std::is_same_v<Src, int16_t>)
    return is_one_of<Dst, half, float>;
  else if constexpr (std::is_same_v<Src, int32_t>)
    return is_one_of<Dst, float, int64_t, int16_t, half>;
  else if constexpr (std::is_same_v<Src, int64_t>)
    return is_one_of<Dst, int32_t, float>;
  else
    return false;
}

template <typename Dst, typename Src>
constexpr void check_cast() {
  static_assert(
      cast_exists<Dst, Src>(),
      "Cast has no such pair of types on this device; from half: float, int32_t, int16_t, int8_t, uint8_t, int4b_t; "
      "from float: float, half, bfloat16_t, int64_t, int32_t, int16_t; from bfloat16_t: float, int32_t; from int8_t, "
      "uint8_t or int4b_t: half; "
      "from int16_t: half, float; from int32_t: float, half, int64_t, int16_t; from int64_t: int32_t, float. Go over "
      "half or float");
}

}  // namespace kg_detail

template <typename Dst, typename Src>
inline void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
                 const uint32_t count, KG_WHERE) {
  kg_detail::check_cast<Dst, Src>();
  kgnpu_vector_first(kg_detail::op_word<Dst, Src>(::kgnpu::Op::kCast), &dst.kg_view, &src.kg_view, nullptr,
                     static_cast<uint64_t>(roundMode), static_cast<int32_t>(count), kg_where.line);
}
template <typename Dst, typename Src, bool isSetMask = true>
inline void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
                 const uint64_t mask, const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::check_cast<Dst, Src>();
  auto call = kg_detail::vector_call<Dst, Src>(::kgnpu::Op::kCast, dst, 1, &src.kg_view, nullptr, kg_where.line);
  call.scalar = static_cast<uint64_t>(roundMode);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  kg_detail::set_strides(call, repeatParams);
  kgnpu_vector(&call);
}
template <typename Dst, typename Src, bool isSetMask = true>
inline void Cast(const LocalTensor<Dst>& dst, const LocalTensor<Src>& src, const RoundMode& roundMode,
                 const uint64_t mask[], const uint8_t repeatTime, const UnaryRepeatParams& repeatParams, KG_WHERE) {
  kg_detail::check_cast<Dst, Src>();
  auto call = kg_detail::vector_call<Dst, Src>(::kgnpu::Op::kCast, dst, 1, &src.kg_view, nullptr, kg_where.line);
  call.scalar = static_cast<uint64_t>(roundMode);
  kg_detail::set_mask<isSetMask>(call, mask, repeatTime);
  kg_detail::set_strides(call, repeatParams);
  kgnpu_vector(&call);
}

inline float ToFloat(const bfloat16_t& value) { return ::kgnpu::bfloat16_value(value.kg_bits); }
inline float ToFloat(const __gm__ bfloat16_t& value) { return ::kgnpu::bfloat16_value(value.kg_bits); }
inline float ToFloat(const __ubuf__ bfloat16_t& value) { return ::kgnpu::bfloat16_value(value.kg_bits); }
inline bfloat16_t ToBfloat16(const float& value) { return bfloat16_t::kg_from_bits(::kgnpu::bfloat16_bits(value)); }

}  // namespace AscendC
