#pragma once

#include "kgnpu/library_data.h"

// Quantising and dequantising of the high-level library.

namespace AscendC {

struct AscendQuantConfig {
  uint32_t calcCount = 0, offsetCount = 0, scaleCount = 0, workLocalSize = 0;
};
constexpr AscendQuantConfig ASCEND_QUANT_DEFAULT_CFG = {};

// dst = round(src * scale + offset), to int8_t, through half.
namespace kg_detail {
template <typename T>
inline void quant(const LocalTensor<int8_t>& dst, const LocalTensor<T>& src, const LocalTensor<T>* scales,
                  const LocalTensor<T>* offsets, const LocalTensor<uint8_t>* scratch, float scale, float offset,
                  uint32_t scale_count, uint32_t count, int line) {
  KG_TAKES("AscendQuant", T, half, float);
  auto call = special<T>("AscendQuant", ::kgnpu::Special::kQuant, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = scales == nullptr ? nullptr : &scales->kg_view;
  call.tensor[3] = offsets == nullptr ? nullptr : &offsets->kg_view;
  call.tensor[4] = view_of(scratch);
  call.number[0] = count;
  call.number[1] = ::kgnpu::bits_of_float(scale);
  call.number[2] = ::kgnpu::bits_of_float(offset);
  call.number[3] = scale_count;
  kgnpu_special(&call);
}
}  // namespace kg_detail
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset, const uint32_t calCount, KG_WHERE) {
  kg_detail::quant<T>(dstTensor, srcTensor, nullptr, nullptr, nullptr, scale, offset, 1, calCount, kg_where.line);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor, const float scale,
                        const float offset, KG_WHERE) {
  AscendQuant<T>(dstTensor, srcTensor, scale, offset, srcTensor.GetSize(), kg_where);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset,
                        const uint32_t calCount, KG_WHERE) {
  kg_detail::quant<T>(dstTensor, srcTensor, nullptr, nullptr, &sharedTmpBuffer, scale, offset, 1, calCount,
                      kg_where.line);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const float scale, const float offset, KG_WHERE) {
  AscendQuant<T>(dstTensor, srcTensor, sharedTmpBuffer, scale, offset, srcTensor.GetSize(), kg_where);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor, const T offset,
                        const uint32_t scaleCount, const uint32_t calCount, KG_WHERE) {
  kg_detail::quant<T>(dstTensor, srcTensor, &scaleTensor, nullptr, &sharedTmpBuffer, 1, float(offset), scaleCount,
                      calCount, kg_where.line);
}
template <typename T, bool isReuseSource = false, const AscendQuantConfig& config = ASCEND_QUANT_DEFAULT_CFG>
inline void AscendQuant(const LocalTensor<int8_t>& dstTensor, const LocalTensor<T>& srcTensor,
                        const LocalTensor<uint8_t>& sharedTmpBuffer, const LocalTensor<T>& scaleTensor,
                        const LocalTensor<T>& offsetTensor, const uint32_t scaleCount, const uint32_t offsetCount,
                        const uint32_t calCount, KG_WHERE) {
  kg_detail::quant<T>(dstTensor, srcTensor, &scaleTensor, &offsetTensor, &sharedTmpBuffer, 1, 0,
                      scaleCount < offsetCount ? scaleCount : offsetCount, calCount, kg_where.line);
}

struct DequantParams {
  uint32_t m = 0, n = 0, calCount = 0;
};
enum class DeQuantMode { DEQUANT_WITH_SINGLE_ROW = 0, DEQUANT_WITH_MULTI_ROW };
// dst = src * scale by rows of n elements, which begin at multiples of 32 bytes in both tensors; only calCount of a row
// are used. A single row of n elements is treated as rows of calCount elements, unless the mode says otherwise.
namespace kg_detail {
template <typename S>
inline ::kgnpu::SpecialCall dequant_call(::kgnpu::Type type, const ::kgnpu::Local* dst, const ::kgnpu::Local* src,
                                         const ::kgnpu::Local* scratch, int line) {
  static_assert(::kgnpu::is_one_of<S, uint64_t, float, bfloat16_t>,
                "AscendDequant: scales are uint64_t, float or bfloat16_t");
  ::kgnpu::SpecialCall call;
  call.name = "AscendDequant";
  call.op = ::kgnpu::Special::kDequant;
  call.line = line;
  call.type = type;
  call.type2 = ::kgnpu::TypeOf<S>::value;
  call.tensor[0] = dst;
  call.tensor[1] = src;
  call.tensor[3] = scratch;
  return call;
}
template <DeQuantMode mode, typename T, typename S>
inline void dequant(const LocalTensor<T>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>* scales,
                    float scale, const LocalTensor<uint8_t>* scratch, const DequantParams& params, int line) {
  KG_TAKES("AscendDequant", T, half, bfloat16_t, float);
  auto call = dequant_call<S>(::kgnpu::TypeOf<T>::value, &dst.kg_view, &src.kg_view, view_of(scratch), line);
  call.tensor[2] = scales == nullptr ? nullptr : &scales->kg_view;
  constexpr uint32_t unit = 32 / sizeof(T);
  const uint32_t count = params.calCount;
  const bool several = mode == DeQuantMode::DEQUANT_WITH_SINGLE_ROW && params.m == 1 && count != 0 &&
                       count % unit == 0 && params.n % count == 0;
  const uint32_t n = several ? count : params.n;
  call.number[0] = several ? params.n / count : params.m;
  call.number[1] = (n + unit - 1) / unit * unit;
  call.number[2] = n;
  call.number[3] = count;
  call.number[4] = ::kgnpu::bits_of_float(scale);
  kgnpu_special(&call);
}
// The older forms: count contiguous elements, with the scales repeated.
template <typename T, typename S>
inline void dequant(const LocalTensor<T>& dst, const LocalTensor<int32_t>& src, const LocalTensor<S>& scales,
                    const LocalTensor<uint8_t>* scratch, uint32_t count, int line) {
  KG_TAKES("AscendDequant", T, half, bfloat16_t, float);
  auto call = dequant_call<S>(::kgnpu::TypeOf<T>::value, &dst.kg_view, &src.kg_view, view_of(scratch), line);
  call.tensor[2] = &scales.kg_view;
  const uint32_t row = scales.GetSize() < count ? scales.GetSize() : count;
  call.number[0] = row == 0 ? 0 : count / row;
  call.number[1] = call.number[2] = call.number[3] = row;
  kgnpu_special(&call);
}
inline float wide(float value) { return value; }
inline float wide(half value) { return float(value); }
inline float wide(bfloat16_t value) { return ::kgnpu::bfloat16_value(value.kg_bits); }
template <typename S>
using if_number = std::enable_if_t<::kgnpu::is_one_of<S, float, bfloat16_t>, int>;
}  // namespace kg_detail
template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const DequantParams& params, KG_WHERE) {
  kg_detail::dequant<mode>(dstTensor, srcTensor, &deqScale, 1, &sharedTmpBuffer, params, kg_where.line);
}
template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, const DequantParams& params, KG_WHERE) {
  kg_detail::dequant<mode>(dstTensor, srcTensor, &deqScale, 1, nullptr, params, kg_where.line);
}
template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW, kg_detail::if_number<S> = 0>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor, const S deqScale,
                          const LocalTensor<uint8_t>& sharedTmpBuffer, const DequantParams& params, KG_WHERE) {
  kg_detail::dequant<mode, T, S>(dstTensor, srcTensor, nullptr, kg_detail::wide(deqScale), &sharedTmpBuffer, params,
                                 kg_where.line);
}
template <typename T, typename S, DeQuantMode mode = DeQuantMode::DEQUANT_WITH_SINGLE_ROW, kg_detail::if_number<S> = 0>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor, const S deqScale,
                          const DequantParams& params, KG_WHERE) {
  kg_detail::dequant<mode, T, S>(dstTensor, srcTensor, nullptr, kg_detail::wide(deqScale), nullptr, params,
                                 kg_where.line);
}
template <typename T, typename S>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer,
                          const uint32_t calCount, KG_WHERE) {
  kg_detail::dequant(dstTensor, srcTensor, deqScale, &sharedTmpBuffer, calCount, kg_where.line);
}
template <typename T, typename S>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, const LocalTensor<uint8_t>& sharedTmpBuffer, KG_WHERE) {
  kg_detail::dequant(dstTensor, srcTensor, deqScale, &sharedTmpBuffer, srcTensor.GetSize(), kg_where.line);
}
template <typename T, typename S>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, const uint32_t calCount, KG_WHERE) {
  kg_detail::dequant(dstTensor, srcTensor, deqScale, static_cast<const LocalTensor<uint8_t>*>(nullptr), calCount,
                     kg_where.line);
}
template <typename T, typename S>
inline void AscendDequant(const LocalTensor<T>& dstTensor, const LocalTensor<int32_t>& srcTensor,
                          const LocalTensor<S>& deqScale, KG_WHERE) {
  kg_detail::dequant(dstTensor, srcTensor, deqScale, static_cast<const LocalTensor<uint8_t>*>(nullptr),
                     srcTensor.GetSize(), kg_where.line);
}

// dst = (src + offset) * scale for a (k, n) tensor: a scale for each column of a group of rows, or for all.
struct AntiQuantShapeInfo {
  uint32_t offsetHeight = 0, offsetWidth = 0, scaleHeight = 0, scaleWidth = 0;
};
namespace kg_detail {
template <typename T>
inline void anti_quant(const LocalTensor<T>& dst, const LocalTensor<int8_t>& src, const LocalTensor<T>* offsets,
                       const LocalTensor<T>* scales, float offset, float scale, const LocalTensor<uint8_t>* scratch,
                       uint32_t rows, uint32_t columns, uint32_t groups, int line) {
  KG_TAKES("AscendAntiQuant", T, half, bfloat16_t);
  auto call = special<T>("AscendAntiQuant", ::kgnpu::Special::kAntiQuant, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = scales == nullptr ? nullptr : &scales->kg_view;
  call.tensor[3] = offsets == nullptr ? nullptr : &offsets->kg_view;
  call.tensor[4] = view_of(scratch);
  call.number[0] = rows;
  call.number[1] = columns;
  call.number[2] = ::kgnpu::bits_of_float(scale);
  call.number[3] = ::kgnpu::bits_of_float(offset);
  call.number[4] = groups;
  kgnpu_special(&call);
}
// A scale and perhaps an offset for each column of a group of rows.
template <bool isTranspose, typename T>
inline void anti_quant_by_column(const LocalTensor<T>& dst, const LocalTensor<int8_t>& src,
                                 const LocalTensor<T>* offsets, const LocalTensor<T>& scales,
                                 const LocalTensor<uint8_t>* scratch, uint32_t rows, const AntiQuantShapeInfo& shape,
                                 int line) {
  static_assert(!isTranspose, "AscendAntiQuant: transposed weights are not yet supported by the emulated device");
  const uint32_t columns = shape.scaleWidth != 0 ? shape.scaleWidth : src.GetSize() / (rows == 0 ? 1 : rows);
  anti_quant(dst, src, offsets, &scales, 0, 1, scratch, rows, columns, shape.scaleHeight, line);
}
template <bool isTranspose, typename T>
inline void anti_quant_by_number(const LocalTensor<T>& dst, const LocalTensor<int8_t>& src, T offset, T scale,
                                 const LocalTensor<uint8_t>* scratch, uint32_t rows, int line) {
  static_assert(!isTranspose, "AscendAntiQuant: transposed weights are not yet supported by the emulated device");
  anti_quant<T>(dst, src, nullptr, nullptr, wide(offset), wide(scale), scratch, rows,
                src.GetSize() / (rows == 0 ? 1 : rows), 1, line);
}
}  // namespace kg_detail
// The temporary buffer is the library's own where none is given.
template <typename T, typename U, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<U>& dst, const LocalTensor<T>& src, const LocalTensor<U>& offset,
                            const LocalTensor<U>& scale, const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {}, KG_WHERE) {
  kg_detail::anti_quant_by_column<isTranspose>(dst, src, &offset, scale, &sharedTmpBuffer, k, shapeInfo, kg_where.line);
}
template <typename T, typename U, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<U>& dst, const LocalTensor<T>& src, const LocalTensor<U>& offset,
                            const LocalTensor<U>& scale, const uint32_t k, const AntiQuantShapeInfo& shapeInfo = {},
                            KG_WHERE) {
  kg_detail::anti_quant_by_column<isTranspose, U>(dst, src, &offset, scale, nullptr, k, shapeInfo, kg_where.line);
}
template <typename T, typename U, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<U>& dst, const LocalTensor<T>& src, const LocalTensor<U>& scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& shapeInfo = {}, KG_WHERE) {
  kg_detail::anti_quant_by_column<isTranspose, U>(dst, src, nullptr, scale, &sharedTmpBuffer, k, shapeInfo,
                                                  kg_where.line);
}
template <typename T, typename U, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<U>& dst, const LocalTensor<T>& src, const U offset, const U scale,
                            const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t k,
                            const AntiQuantShapeInfo& = {}, KG_WHERE) {
  kg_detail::anti_quant_by_number<isTranspose>(dst, src, offset, scale, &sharedTmpBuffer, k, kg_where.line);
}
template <typename T, typename U, bool isTranspose>
inline void AscendAntiQuant(const LocalTensor<U>& dst, const LocalTensor<T>& src, const U offset, const U scale,
                            const uint32_t k, KG_WHERE) {
  kg_detail::anti_quant_by_number<isTranspose>(dst, src, offset, scale, nullptr, k, kg_where.line);
}

}  // namespace AscendC
