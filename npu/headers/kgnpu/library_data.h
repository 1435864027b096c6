#pragma once

#include "kgnpu/vector_gather.h"

// High-level calls that move or reduce whole axes: broadcast, mean, reductions by pattern, selection by bytes, running
// sums, dropout, quantising. Every call exists with and without a temporary buffer.

namespace AscendC {

struct MeanParams {
  uint32_t outter = 1, inner = 0, n = 0;
};
struct SelectWithBytesMaskShapeInfo {
  uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};
struct CumSumConfig {
  bool isLastAxis = true, isReuseSource = false, outputLastRow = false;
};
constexpr CumSumConfig defaultCumSumConfig = {true, false, true};
struct CumSumInfo {
  uint32_t outter = 0, inner = 0;
};
struct DropOutShapeInfo {
  uint32_t firstAxis = 0, srcLastAxis = 0, maskLastAxis = 0;
};
namespace Pattern {
namespace Reduce {
struct AR {};
struct RA {};
struct R {};
}  // namespace Reduce
}  // namespace Pattern

namespace kg_detail {

inline const ::kgnpu::Local* view_of(const LocalTensor<uint8_t>* tensor) {
  return tensor == nullptr ? nullptr : &tensor->kg_view;
}

template <int32_t dim, int32_t axis, typename T>
inline void broadcast(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t* to,
                      const uint32_t* from, const LocalTensor<uint8_t>* scratch, int line) {
  KG_TAKES("BroadCast", T, half, float, int8_t, uint8_t, int32_t);
  static_assert(dim == 1 || dim == 2, "BroadCast takes tensors of one or two axes");
  static_assert(axis == 0 || axis == 1, "BroadCast: axis is 0 or 1");
  auto call = special<T>(name, ::kgnpu::Special::kBroadcast, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = view_of(scratch);
  call.number[0] = dim == 1 ? 1 : to[0];
  call.number[1] = dim == 1 ? to[0] : to[dim - 1];
  call.number[2] = dim == 1 ? 1 : from[0];
  call.number[3] = dim == 1 ? from[0] : from[dim - 1];
  kgnpu_special(&call);
}
// Kinds: 0 sum, 1 mean, 2 max, 3 min, 4 product, 5 any, 6 all.
template <typename T>
inline void axis_reduce(const char* name, int kind, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                        const LocalTensor<uint8_t>* scratch, int64_t rows, int64_t step, int64_t valid, bool over_rows,
                        int line, int64_t mean_bytes = 0) {
  auto call = special<T>(name, ::kgnpu::Special::kAxisReduce, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = view_of(scratch);
  call.number[0] = kind;
  call.number[1] = rows;
  call.number[2] = step;
  call.number[3] = valid;
  call.number[4] = over_rows;
  call.number[5] = mean_bytes;
  kgnpu_special(&call);
}
template <typename T, typename U>
inline void select_bytes(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<U>& mask,
                         const LocalTensor<uint8_t>* scratch, T scalar, bool zero_takes_tensor,
                         const SelectWithBytesMaskShapeInfo& info, int line) {
  KG_TAKES("SelectWithBytesMask", T, half, float);
  static_assert(::kgnpu::is_one_of<U, bool, uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t>,
                "SelectWithBytesMask: the mask takes bool, uint8_t, int8_t, uint16_t, int16_t, uint32_t, int32_t");
  auto call = special<T>("SelectWithBytesMask", ::kgnpu::Special::kSelectBytes, line);
  call.type2 = ::kgnpu::TypeOf<U>::value;
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &mask.kg_view;
  call.tensor[3] = view_of(scratch);
  call.number[0] = info.firstAxis;
  call.number[1] = info.srcLastAxis;
  call.number[2] = info.maskLastAxis;
  call.number[3] = static_cast<int64_t>(::kgnpu::bits_of(scalar));
  call.number[4] = zero_takes_tensor;
  kgnpu_special(&call);
}
template <typename T>
inline void cumsum(const LocalTensor<T>& dst, const LocalTensor<T>* last, const LocalTensor<T>& src,
                   const LocalTensor<uint8_t>* scratch, bool along, const CumSumInfo& info, int line) {
  KG_TAKES("CumSum", T, half, float);
  auto call = special<T>("CumSum", ::kgnpu::Special::kCumsum, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = last == nullptr ? nullptr : &last->kg_view;
  call.tensor[2] = &src.kg_view;
  call.tensor[3] = view_of(scratch);
  call.number[0] = info.outter;
  call.number[1] = info.inner;
  call.number[2] = along;
  kgnpu_special(&call);
}
template <typename T>
inline void drop_out(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<uint8_t>& mask,
                     const LocalTensor<uint8_t>* scratch, float keep, bool bits, const DropOutShapeInfo& info,
                     int line) {
  KG_TAKES("DropOut", T, half, float);
  auto call = special<T>("DropOut", ::kgnpu::Special::kDropOut, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &mask.kg_view;
  call.tensor[3] = view_of(scratch);
  call.number[0] = info.firstAxis;
  call.number[1] = info.srcLastAxis;
  call.number[2] = info.maskLastAxis;
  call.number[3] = ::kgnpu::bits_of_float(keep);
  call.number[4] = bits;
  kgnpu_special(&call);
}

}  // namespace kg_detail

#define KG_BROADCAST(Name)                                                                                           \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                       \
  inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],     \
                   const uint32_t srcShape[dim], LocalTensor<uint8_t>& sharedTmpBuffer, KG_WHERE) {                  \
    kg_detail::broadcast<dim, axis>(#Name, dstLocal, srcLocal, dstShape, srcShape, &sharedTmpBuffer, kg_where.line); \
  }                                                                                                                  \
  template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>                                       \
  inline void Name(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal, const uint32_t dstShape[dim],     \
                   const uint32_t srcShape[dim], KG_WHERE) {                                                         \
    kg_detail::broadcast<dim, axis>(#Name, dstLocal, srcLocal, dstShape, srcShape, nullptr, kg_where.line);          \
  }
KG_BROADCAST(BroadCast)
KG_BROADCAST(Broadcast)
#undef KG_BROADCAST

// dst[i] = mean of the first n elements of row i; a row takes inner elements.
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,
                 const LocalTensor<uint8_t>& sharedTmpBuffer, const MeanParams& meanParams, KG_WHERE) {
  KG_TAKES("Mean", T, half, float);
  kg_detail::axis_reduce("Mean", 1, dstTensor, srcTensor, &sharedTmpBuffer, meanParams.outter, meanParams.inner,
                         meanParams.n, false, kg_where.line, sizeof(accType));
}
template <typename T, typename accType = T, bool isReuseSource = false, bool isBasicBlock = false,
          int32_t reduceDim = -1>
inline void Mean(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const MeanParams& meanParams,
                 KG_WHERE) {
  KG_TAKES("Mean", T, half, float);
  kg_detail::axis_reduce("Mean", 1, dstTensor, srcTensor, nullptr, meanParams.outter, meanParams.inner, meanParams.n,
                         false, kg_where.line, sizeof(accType));
}

// Reductions of a (first, last) shape by pattern: AR along the last axis, RA along the first. With srcInnerPad rows
// begin at multiples of 32 bytes.
#define KG_PATTERN_REDUCE(Name, kind, ...)                                                                            \
  template <class T, class pattern, bool isReuseSource = false>                                                       \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor,                                  \
                   const LocalTensor<uint8_t>& sharedTmpBuffer, const uint32_t srcShape[], bool srcInnerPad,          \
                   KG_WHERE) {                                                                                        \
    KG_TAKES(#Name " by pattern", T, __VA_ARGS__);                                                                    \
    kg_detail::pattern_reduce<T, pattern>(#Name, kind, dstTensor, srcTensor, &sharedTmpBuffer, srcShape, srcInnerPad, \
                                          kg_where.line);                                                             \
  }                                                                                                                   \
  template <class T, class pattern, bool isReuseSource = false>                                                       \
  inline void Name(const LocalTensor<T>& dstTensor, const LocalTensor<T>& srcTensor, const uint32_t srcShape[],       \
                   bool srcInnerPad, KG_WHERE) {                                                                      \
    KG_TAKES(#Name " by pattern", T, __VA_ARGS__);                                                                    \
    kg_detail::pattern_reduce<T, pattern>(#Name, kind, dstTensor, srcTensor, nullptr, srcShape, srcInnerPad,          \
                                          kg_where.line);                                                             \
  }
namespace kg_detail {
template <typename T, typename pattern>
inline void pattern_reduce(const char* name, int kind, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           const LocalTensor<uint8_t>* scratch, const uint32_t* shape, bool padded, int line) {
  static_assert(::kgnpu::is_one_of<pattern, Pattern::Reduce::AR, Pattern::Reduce::RA>,
                "reductions by pattern take Pattern::Reduce::AR or Pattern::Reduce::RA");
  constexpr int64_t unit = 32 / sizeof(T);
  const int64_t last = shape[1];
  axis_reduce(name, kind, dst, src, scratch, shape[0], padded ? (last + unit - 1) / unit * unit : last, last,
              std::is_same_v<pattern, Pattern::Reduce::RA>, line);
}
}  // namespace kg_detail
KG_PATTERN_REDUCE(ReduceSum, 0, float)
KG_PATTERN_REDUCE(ReduceMean, 1, float)
KG_PATTERN_REDUCE(ReduceMax, 2, half, float)
KG_PATTERN_REDUCE(ReduceMin, 3, half, float)
KG_PATTERN_REDUCE(ReduceProd, 4, float)
KG_PATTERN_REDUCE(ReduceAny, 5, float, uint8_t)
KG_PATTERN_REDUCE(ReduceAll, 6, float, uint8_t)
#undef KG_PATTERN_REDUCE

// A zero byte of the mask takes src0, any other src1; one of them is a scalar.
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                                const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info, KG_WHERE) {
  kg_detail::select_bytes(dst, src0, mask, &sharedTmpBuffer, src1, false, info, kg_where.line);
}
template <typename T, typename U, bool isReuseMask = true>
inline void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                                const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                                const SelectWithBytesMaskShapeInfo& info, KG_WHERE) {
  kg_detail::select_bytes(dst, src1, mask, &sharedTmpBuffer, src0, true, info, kg_where.line);
}

template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   LocalTensor<uint8_t>& sharedTmpBuffer, const CumSumInfo& cumSumInfo, KG_WHERE) {
  kg_detail::cumsum(dstTensor, config.outputLastRow ? &lastRowTensor : nullptr, srcTensor, &sharedTmpBuffer,
                    config.isLastAxis, cumSumInfo, kg_where.line);
}
template <typename T, const CumSumConfig& config = defaultCumSumConfig>
inline void CumSum(LocalTensor<T>& dstTensor, LocalTensor<T>& lastRowTensor, const LocalTensor<T>& srcTensor,
                   const CumSumInfo& cumSumInfo, KG_WHERE) {
  kg_detail::cumsum(dstTensor, config.outputLastRow ? &lastRowTensor : nullptr, srcTensor, nullptr, config.isLastAxis,
                    cumSumInfo, kg_where.line);
}

// Modes: 0 by the sizes (fewer mask bytes than elements: bits), 1 and 2 bytes, 3 and 4 bits.
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const LocalTensor<uint8_t>& sharedTmpBuffer,
                    const float keepProb, const DropOutShapeInfo& info, KG_WHERE) {
  static_assert(dropOutMode <= 4, "DropOut: the mode is 0 to 4");
  kg_detail::drop_out(dstLocal, srcLocal, maskLocal, &sharedTmpBuffer, keepProb,
                      dropOutMode == 0 ? info.maskLastAxis < info.srcLastAxis : dropOutMode >= 3, info, kg_where.line);
}
template <typename T, bool isInitBitMode = false, uint32_t dropOutMode = 0>
inline void DropOut(const LocalTensor<T>& dstLocal, const LocalTensor<T>& srcLocal,
                    const LocalTensor<uint8_t>& maskLocal, const float keepProb, const DropOutShapeInfo& info,
                    KG_WHERE) {
  static_assert(dropOutMode <= 4, "DropOut: the mode is 0 to 4");
  kg_detail::drop_out(dstLocal, srcLocal, maskLocal, nullptr, keepProb,
                      dropOutMode == 0 ? info.maskLastAxis < info.srcLastAxis : dropOutMode >= 3, info, kg_where.line);
}

}  // namespace AscendC
