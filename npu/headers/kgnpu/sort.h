#pragma once

#include "kgnpu/library_choices.h"
#include "kgnpu/vector_gather.h"

// Sorting: records of a score and its index (8 bytes), and region proposals (8 elements, the score is the fifth).

namespace AscendC {

template <typename T>
struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T>& a, const LocalTensor<T>& b, const LocalTensor<T>& c, const LocalTensor<T>& d)
      : src1(a), src2(b), src3(c), src4(d) {}
  LocalTensor<T> src1, src2, src3, src4;
};
struct MrgSort4Info {
  MrgSort4Info() = default;
  MrgSort4Info(const uint16_t lengths[4], bool suspends, uint16_t valid, uint16_t repeats)
      : ifExhaustedSuspension(suspends), validBit(valid), repeatTimes(repeats) {
    for (int k = 0; k < 4; ++k) elementLengths[k] = lengths[k];
  }
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

namespace kg_detail {

template <typename T>
inline void merge_sort(const char* name, const LocalTensor<T>& dst, const MrgSortSrcList<T>& list,
                       const uint16_t* lengths, uint16_t valid, int64_t repeats, bool suspends, int64_t record,
                       int64_t score, int line) {
  KG_TAKES("MrgSort", T, half, float);
  auto call = special<T>(name, ::kgnpu::Special::kMergeSort, line);
  const LocalTensor<T>* sources[] = {&list.src1, &list.src2, &list.src3, &list.src4};
  call.tensor[0] = &dst.kg_view;
  for (int k = 0; k < 4; ++k) {
    call.tensor[1 + k] = &sources[k]->kg_view;
    call.number[k] = lengths[k];
  }
  call.number[4] = valid;
  call.number[5] = repeats;
  call.number[6] = suspends;
  call.number[7] = record;
  call.number[8] = score;
  kgnpu_special(&call);
}
template <typename T>
inline void proposal_field(const char* name, ::kgnpu::Special op, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                           int32_t repeats, int32_t field, bool taking, int line) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "calls on region proposals take: half, float");
  auto call = special<T>(name, op, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.number[0] = repeats;
  call.number[1] = field;
  call.number[2] = taking;
  kgnpu_special(&call);
}
template <typename T>
inline void sort(const char* name, const LocalTensor<T>& dst, const LocalTensor<T>& src,
                 const LocalTensor<uint32_t>& index, const ::kgnpu::Local* scratch, int32_t repeats, bool full,
                 int line) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "Sort and Sort32 take: half, float");
  auto call = special<T>(name, ::kgnpu::Special::kSort, line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.tensor[2] = &index.kg_view;
  call.tensor[3] = scratch;
  call.number[0] = repeats;
  call.number[1] = full;
  kgnpu_special(&call);
}

}  // namespace kg_detail

// 32 elements per repeat.
template <typename T>
inline void Sort32(const LocalTensor<T>& dst, const LocalTensor<T>& src0, const LocalTensor<uint32_t>& src1,
                   const int32_t repeatTime, KG_WHERE) {
  kg_detail::sort("Sort32", dst, src0, src1, nullptr, repeatTime, false, kg_where.line);
}
template <typename T, bool isFullSort>
inline void Sort(const LocalTensor<T>& dst, const LocalTensor<T>& concat, const LocalTensor<uint32_t>& index,
                 LocalTensor<T>& tmp, const int32_t repeatTime, KG_WHERE) {
  kg_detail::sort("Sort", dst, concat, index, isFullSort ? &tmp.kg_view : nullptr, repeatTime, isFullSort,
                  kg_where.line);
}
// On this device the sources need no preparation.
template <typename T>
inline void Concat(LocalTensor<T>& concat, const LocalTensor<T>& src, const LocalTensor<T>&, const int32_t) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "Concat takes: half, float");
  concat = src;
}
template <typename T>
inline void Extract(const LocalTensor<T>& dstValue, const LocalTensor<uint32_t>& dstIndex, const LocalTensor<T>& sorted,
                    const int32_t repeatTime, KG_WHERE) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "Extract takes: half, float");
  auto call = kg_detail::special<T>("Extract", ::kgnpu::Special::kExtract, kg_where.line);
  call.tensor[0] = &dstValue.kg_view;
  call.tensor[1] = &dstIndex.kg_view;
  call.tensor[2] = &sorted.kg_view;
  call.number[0] = repeatTime;
  kgnpu_special(&call);
}

// Merges up to four sorted lists.
template <typename T>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params, KG_WHERE) {
  kg_detail::merge_sort("MrgSort", dst, src, params.elementLengths, params.validBit, params.repeatTimes,
                        params.ifExhaustedSuspension, 8, 0, kg_where.line);
}
template <typename T, bool isExhaustedSuspension = false>
inline void MrgSort(const LocalTensor<T>& dst, const MrgSortSrcList<T>& sortList, const uint16_t elementCountList[4],
                    uint32_t sortedNum[4], uint16_t validBit, const int32_t repeatTime, KG_WHERE) {
  kg_detail::merge_sort("MrgSort", dst, sortList, elementCountList, validBit, repeatTime, isExhaustedSuspension, 8, 0,
                        kg_where.line);
  for (int k = 0; k < 4; ++k) sortedNum[k] = static_cast<uint32_t>(kgnpu_merged_lengths(k));
}
template <typename T>
inline void MrgSort4(const LocalTensor<T>& dst, const MrgSortSrcList<T>& src, const MrgSort4Info& params, KG_WHERE) {
  kg_detail::merge_sort("MrgSort4", dst, src, params.elementLengths, params.validBit, params.repeatTimes,
                        params.ifExhaustedSuspension, 8 * sizeof(T), 4 * sizeof(T), kg_where.line);
}
inline void GetMrgSortResult(uint16_t& mrgSortList1, uint16_t& mrgSortList2, uint16_t& mrgSortList3,
                             uint16_t& mrgSortList4) {
  mrgSortList1 = static_cast<uint16_t>(kgnpu_merged_lengths(0));
  mrgSortList2 = static_cast<uint16_t>(kgnpu_merged_lengths(1));
  mrgSortList3 = static_cast<uint16_t>(kgnpu_merged_lengths(2));
  mrgSortList4 = static_cast<uint16_t>(kgnpu_merged_lengths(3));
}

// Region proposals, 16 per repeat.
template <typename T>
inline void RpSort16(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime, KG_WHERE) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "RpSort16 takes: half, float");
  auto call = kg_detail::special<T>("RpSort16", ::kgnpu::Special::kRpSort16, kg_where.line);
  call.tensor[0] = &dst.kg_view;
  call.tensor[1] = &src.kg_view;
  call.number[0] = repeatTime;
  kgnpu_special(&call);
}
template <typename T>
inline void ProposalConcat(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                           const int32_t modeNumber, KG_WHERE) {
  kg_detail::proposal_field("ProposalConcat", ::kgnpu::Special::kProposalConcat, dst, src, repeatTime, modeNumber,
                            false, kg_where.line);
}
template <typename T>
inline void ProposalExtract(const LocalTensor<T>& dst, const LocalTensor<T>& src, const int32_t repeatTime,
                            const int32_t modeNumber, KG_WHERE) {
  kg_detail::proposal_field("ProposalExtract", ::kgnpu::Special::kProposalExtract, dst, src, repeatTime, modeNumber,
                            true, kg_where.line);
}

// Records in elements of T.
template <typename T>
inline uint32_t GetSortOffset(const uint32_t elemOffset) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "GetSortOffset takes: half, float");
  return elemOffset * (8 / sizeof(T));
}
template <typename T>
inline uint32_t GetSortLen(const uint32_t elemCount) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "GetSortLen takes: half, float");
  return elemCount * (8 / sizeof(T));
}

struct TopKInfo {
  int32_t outter = 1, inner = 0, n = 0;
};
namespace kg_detail {
template <typename T, bool isInitIndex, bool isHasfinish>
inline void top_k(const LocalTensor<T>& values, const LocalTensor<int32_t>& indices, const LocalTensor<T>& src,
                  const LocalTensor<int32_t>& srcIndex, const LocalTensor<bool>& finish, const ::kgnpu::Local* scratch,
                  int32_t k, const TopKInfo& info, bool largest, int line) {
  static_assert(::kgnpu::is_one_of<T, half, float>, "TopK takes: half, float");
  auto call = special<T>("TopK", ::kgnpu::Special::kTopK, line);
  call.tensor[0] = &values.kg_view;
  // Without source indices a caller who wants none back may declare the tensor and give it no memory.
  call.tensor[1] = isInitIndex || indices.kg_view.buffer != 0 ? &indices.kg_view : nullptr;
  call.tensor[2] = &src.kg_view;
  call.tensor[3] = isInitIndex ? &srcIndex.kg_view : nullptr;
  call.tensor[4] = isHasfinish ? &finish.kg_view : nullptr;
  call.tensor[5] = scratch;
  call.number[0] = k;
  call.number[1] = info.outter;
  call.number[2] = info.inner;
  call.number[3] = info.n;
  call.number[4] = largest;
  kgnpu_special(&call);
}
}  // namespace kg_detail
// The tiling only says how the device splits its work.
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, typename Tiling>
inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                 const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                 const LocalTensor<bool>& finishLocal, const int32_t k, const Tiling&, const TopKInfo& topKInfo,
                 const bool isLargest = true, KG_WHERE) {
  kg_detail::top_k<T, isInitIndex, isHasfinish>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal,
                                                nullptr, k, topKInfo, isLargest, kg_where.line);
}
template <typename T, bool isInitIndex = false, bool isHasfinish = false, bool isReuseSrc = false,
          TopKMode topkMode = TopKMode::TOPK_NORMAL, typename Tiling>
inline void TopK(const LocalTensor<T>& dstValueLocal, const LocalTensor<int32_t>& dstIndexLocal,
                 const LocalTensor<T>& srcLocal, const LocalTensor<int32_t>& srcIndexLocal,
                 const LocalTensor<bool>& finishLocal, const LocalTensor<uint8_t>& tmpLocal, const int32_t k,
                 const Tiling&, const TopKInfo& topKInfo, const bool isLargest = true, KG_WHERE) {
  kg_detail::top_k<T, isInitIndex, isHasfinish>(dstValueLocal, dstIndexLocal, srcLocal, srcIndexLocal, finishLocal,
                                                &tmpLocal.kg_view, k, topKInfo, isLargest, kg_where.line);
}

}  // namespace AscendC
