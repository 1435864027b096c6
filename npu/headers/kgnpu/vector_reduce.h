#pragma once

#include "kgnpu/vector_form.h"

// Reductions: over the first n elements, over each repeat (Whole), over each 32-byte block (Block), over pairs.

namespace AscendC {
namespace kg_detail {

template <typename T>
inline void reduce(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& work,
                   int32_t count, bool index, int line) {
  auto call = vector_call<T, T>(op, dst, 1, &src.kg_view, &work.kg_view, line);
  call.count = count;
  call.flag = index;
  kgnpu_vector(&call);
}
template <typename T, typename Mask>
inline void reduce_masked(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                          const LocalTensor<T>& work, Mask mask, int32_t repeat, int32_t repeat_stride, bool index,
                          int line) {
  auto call = vector_call<T, T>(op, dst, 1, &src.kg_view, &work.kg_view, line);
  set_mask<true>(call, mask, repeat);
  call.src_stride[0] = {1, static_cast<uint16_t>(repeat_stride)};
  call.flag = index;
  kgnpu_vector(&call);
}
template <bool isSetMask, typename T, typename Mask>
inline void reduce_repeats(::kgnpu::Op op, const LocalTensor<T>& dst, const LocalTensor<T>& src, Mask mask,
                           int32_t repeat, int32_t dst_repeat, int32_t src_block, int32_t src_repeat, ReduceOrder order,
                           int line) {
  auto call = vector_call<T, T>(op, dst, 1, &src.kg_view, nullptr, line);
  set_mask<isSetMask>(call, mask, repeat);
  call.dst_stride = {1, static_cast<uint16_t>(dst_repeat)};
  call.src_stride[0] = {static_cast<uint16_t>(src_block), static_cast<uint16_t>(src_repeat)};
  call.mode = static_cast<uint8_t>(order);
  kgnpu_vector(&call);
}

}  // namespace kg_detail

template <typename T, bool isSetMask = true>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t count, KG_WHERE) {
  KG_TAKES("ReduceSum", T, half, float);
  kg_detail::reduce(::kgnpu::Op::kReduceSum, dst, src, sharedTmpBuffer, count, false, kg_where.line);
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride, KG_WHERE) {
  KG_TAKES("ReduceSum", T, half, float);
  kg_detail::reduce_masked(::kgnpu::Op::kReduceSum, dst, src, sharedTmpBuffer, static_cast<uint64_t>(mask), repeatTime,
                           srcRepStride, false, kg_where.line);
}
template <typename T>
inline void ReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,
                      const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride, KG_WHERE) {
  KG_TAKES("ReduceSum", T, half, float);
  kg_detail::reduce_masked(::kgnpu::Op::kReduceSum, dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride, false,
                           kg_where.line);
}

// The index, if requested, is stored after the value as an integer of the same width.
#define KG_REDUCE_EXTREME(Name)                                                                                        \
  template <typename T>                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,        \
                   const int32_t count, bool calIndex = false, KG_WHERE) {                                             \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce(::kgnpu::Op::k##Name, dst, src, sharedTmpBuffer, count, calIndex, kg_where.line);                \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,        \
                   const int32_t mask, const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false,    \
                   KG_WHERE) {                                                                                         \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_masked(::kgnpu::Op::k##Name, dst, src, sharedTmpBuffer, static_cast<uint64_t>(mask), repeatTime, \
                             srcRepStride, calIndex, kg_where.line);                                                   \
  }                                                                                                                    \
  template <typename T>                                                                                                \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LocalTensor<T>& sharedTmpBuffer,        \
                   const uint64_t mask[], const int32_t repeatTime, const int32_t srcRepStride, bool calIndex = false, \
                   KG_WHERE) {                                                                                         \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_masked(::kgnpu::Op::k##Name, dst, src, sharedTmpBuffer, mask, repeatTime, srcRepStride,          \
                             calIndex, kg_where.line);                                                                 \
  }
KG_REDUCE_EXTREME(ReduceMax)
KG_REDUCE_EXTREME(ReduceMin)
#undef KG_REDUCE_EXTREME

template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask,
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride, KG_WHERE) {
  KG_TAKES("WholeReduceSum", T, half, float);
  kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::kWholeReduceSum, dst, src, static_cast<uint64_t>(mask), repeatTime,
                                       dstRepStride, srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                                       kg_where.line);
}
template <typename T, bool isSetMask = true>
inline void WholeReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],
                           const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,
                           const int32_t srcRepStride, KG_WHERE) {
  KG_TAKES("WholeReduceSum", T, half, float);
  kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::kWholeReduceSum, dst, src, mask, repeatTime, dstRepStride,
                                       srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE, kg_where.line);
}
template <typename T, bool isSetMask = true>
inline void RepeatReduceSum(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t mask, const int32_t dstBlkStride, const int32_t srcBlkStride,
                            const int32_t dstRepStride, const int32_t srcRepStride, KG_WHERE) {
  KG_TAKES("RepeatReduceSum", T, half, float);
  kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::kWholeReduceSum, dst, src, static_cast<uint64_t>(mask), repeatTime,
                                       dstRepStride, srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,
                                       kg_where.line);
}

#define KG_WHOLE_EXTREME(Name)                                                                                         \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t mask, const int32_t repeatTime, \
                   const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride,                 \
                   ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, KG_WHERE) {                                     \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::k##Name, dst, src, static_cast<uint64_t>(mask), repeatTime,      \
                                         dstRepStride, srcBlkStride, srcRepStride, order, kg_where.line);              \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint64_t mask[],                        \
                   const int32_t repeatTime, const int32_t dstRepStride, const int32_t srcBlkStride,                   \
                   const int32_t srcRepStride, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX, KG_WHERE) {         \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::k##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, \
                                         srcRepStride, order, kg_where.line);                                          \
  }
KG_WHOLE_EXTREME(WholeReduceMax)
KG_WHOLE_EXTREME(WholeReduceMin)
#undef KG_WHOLE_EXTREME

#define KG_BLOCK_REDUCE(Name)                                                                                          \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, const int32_t mask, \
                   const int32_t dstRepStride, const int32_t srcBlkStride, const int32_t srcRepStride, KG_WHERE) {     \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::k##Name, dst, src, static_cast<uint64_t>(mask), repeatTime,      \
                                         dstRepStride, srcBlkStride, srcRepStride, ReduceOrder::ORDER_ONLY_VALUE,      \
                                         kg_where.line);                                                               \
  }                                                                                                                    \
  template <typename T, bool isSetMask = true>                                                                         \
  inline void Name(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,                     \
                   const uint64_t mask[], const int32_t dstRepStride, const int32_t srcBlkStride,                      \
                   const int32_t srcRepStride, KG_WHERE) {                                                             \
    KG_TAKES(#Name, T, half, float);                                                                                   \
    kg_detail::reduce_repeats<isSetMask>(::kgnpu::Op::k##Name, dst, src, mask, repeatTime, dstRepStride, srcBlkStride, \
                                         srcRepStride, ReduceOrder::ORDER_ONLY_VALUE, kg_where.line);                  \
  }
KG_BLOCK_REDUCE(BlockReduceSum)
KG_BLOCK_REDUCE(BlockReduceMax)
KG_BLOCK_REDUCE(BlockReduceMin)
KG_BLOCK_REDUCE(PairReduceSum)
#undef KG_BLOCK_REDUCE

template <typename T>
inline void GetReduceMaxMinCount(T& value, T& index) {
  value = ::kgnpu::value_of<T>(kgnpu_reduce_result(0));
  index = ::kgnpu::value_of<T>(kgnpu_reduce_result(1));
}
template <typename T>
inline void GetReduceMaxMinCount(T& value) {
  value = ::kgnpu::value_of<T>(kgnpu_reduce_result(0));
}
template <typename T>
inline T GetAccVal() {
  return ::kgnpu::value_of<T>(kgnpu_reduce_result(2));
}
// The names of both since CANN 8.5.
template <typename T>
inline void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex) {
  GetReduceMaxMinCount(maxMinValue, maxMinIndex);
}
template <typename T>
inline T GetReduceRepeatSumSpr() {
  return GetAccVal<T>();
}

}  // namespace AscendC
