#pragma once

#include "kgnpu/abi_cube.h"
#include "kgnpu/tensor.h"

// DataCopy and DataCopyPad. Everything is converted to bytes here; the runtime has one strided copy.

namespace AscendC {
namespace kg_detail {

template <typename T>
constexpr void check_copy_type() {
  KG_TAKES("DataCopy", T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
           uint64_t, bool, int4b_t);
}
template <typename T>
constexpr void check_pad_type() {
  KG_TAKES("DataCopyPad", T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t,
           uint64_t, bool, int4b_t);
}

// Whole units of 32 bytes are moved, the rest of the count is dropped, as on the device.
inline void set_count(::kgnpu::CopyCall& call, int64_t bytes) {
  call.block_bytes = bytes / 32 * 32;
  call.dropped_bytes = static_cast<int32_t>(bytes % 32);
}

// L1 to the bias table or the fixpipe's parameters, whose units are 64 and 128 bytes.
inline bool is_table(const ::kgnpu::Local& dst) {
  return dst.position == ::kgnpu::position::kC2 || dst.position == ::kgnpu::position::kC2Pipe2Gm;
}
template <typename T, typename U>
inline ::kgnpu::TableCopyCall table_copy_call(const LocalTensor<T>& dst, const LocalTensor<U>& src,
                                              const DataCopyParams& params, int line) {
  static_assert(std::is_same_v<T, U> || (std::is_same_v<T, float> && std::is_same_v<U, half>),
                "DataCopy between two types exists from half in C1 to float in C2 only");
  ::kgnpu::TableCopyCall call;
  call.dst = &dst.kg_view;
  call.src = &src.kg_view;
  call.dst_type = ::kgnpu::TypeOf<T>::value;
  call.src_type = ::kgnpu::TypeOf<U>::value;
  call.blocks = params.blockCount;
  call.block_units = params.blockLen;
  call.src_gap = params.srcStride;
  call.dst_gap = params.dstStride;
  call.line = line;
  return call;
}
template <typename T, typename U>
inline void copy_to_table(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params,
                          int line) {
  const ::kgnpu::TableCopyCall call = table_copy_call(dst, src, params, line);
  kgnpu_copy_to_table(&call);
}
template <typename T, typename U>
inline void copy_to_table(const LocalTensor<T>& dst, const LocalTensor<U>& src, uint32_t count, int line) {
  const uint32_t unit = dst.kg_view.position == ::kgnpu::position::kC2 ? 64 : 128;
  copy_to_table(dst, src, DataCopyParams{1, static_cast<uint16_t>(count * sizeof(T) / unit), 0, 0}, line);
}

}  // namespace kg_detail

template <typename T, typename U, typename = std::enable_if_t<!std::is_same_v<T, U>>>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyParams& params, KG_WHERE) {
  kg_detail::copy_to_table(dst, src, params, kg_where.line);
}
template <typename T, typename U, typename = std::enable_if_t<!std::is_same_v<T, U>>>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const uint32_t count, KG_WHERE) {
  kg_detail::copy_to_table(dst, src, count, kg_where.line);
}

// count form. The bytes are count * sizeof(T), of int4b_t too: public kernels that run on the device copy 32 elements
// of int4b_t with count 32.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const uint32_t count, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  ::kgnpu::CopyCall call;
  call.gm = src.kg_address();
  call.local = &dst.kg_view;
  kg_detail::set_count(call, static_cast<int64_t>(count) * sizeof(T));
  call.line = kg_where.line;
  kgnpu_copy_in(&call);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  ::kgnpu::CopyCall call;
  call.gm = dst.kg_address();
  call.local = &src.kg_view;
  kg_detail::set_count(call, static_cast<int64_t>(count) * sizeof(T));
  call.line = kg_where.line;
  kgnpu_copy_out(&call);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const uint32_t count, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  if (kg_detail::is_table(dst.kg_view)) return kg_detail::copy_to_table(dst, src, count, kg_where.line);
  ::kgnpu::CopyCall call;
  call.local = &dst.kg_view;
  call.local_from = &src.kg_view;
  kg_detail::set_count(call, static_cast<int64_t>(count) * sizeof(T));
  call.line = kg_where.line;
  kgnpu_copy_local(&call);
}

// strided form: lengths and gaps in units of 32 bytes.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& params, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  ::kgnpu::CopyCall call;
  call.gm = src.kg_address();
  call.local = &dst.kg_view;
  call.blocks = params.blockCount;
  call.block_bytes = params.blockLen * 32;
  call.gm_gap = params.srcStride * 32;
  call.local_gap = params.dstStride * 32;
  call.line = kg_where.line;
  kgnpu_copy_in(&call);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  ::kgnpu::CopyCall call;
  call.gm = dst.kg_address();
  call.local = &src.kg_view;
  call.blocks = params.blockCount;
  call.block_bytes = params.blockLen * 32;
  call.gm_gap = params.dstStride * 32;
  call.local_gap = params.srcStride * 32;
  call.line = kg_where.line;
  kgnpu_copy_out(&call);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& params, KG_WHERE) {
  kg_detail::check_copy_type<T>();
  if (kg_detail::is_table(dst.kg_view)) return kg_detail::copy_to_table(dst, src, params, kg_where.line);
  ::kgnpu::CopyCall call;
  call.local = &dst.kg_view;
  call.local_from = &src.kg_view;
  call.blocks = params.blockCount;
  call.block_bytes = params.blockLen * 32;
  call.local_gap = params.dstStride * 32;
  call.from_gap = params.srcStride * 32;
  call.line = kg_where.line;
  kgnpu_copy_local(&call);
}

// Copies that compute: of the documented ones this device has only the plain copy.
namespace kg_detail {
inline void check_enhanced(const DataCopyEnhancedParams& params, int line) {
  if (params.blockMode != BlockMode::BLOCK_MODE_NORMAL || params.deqScale != DeqScale::DEQ_NONE || params.isRelu)
    kgnpu_assert_failed("DataCopy: DataCopyEnhancedParams computes nothing on this device: leave its defaults", line);
}
}  // namespace kg_detail
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, KG_WHERE) {
  kg_detail::check_enhanced(enhancedParams, kg_where.line);
  DataCopy(dst, src, intriParams, kg_where);
}
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, KG_WHERE) {
  kg_detail::check_enhanced(enhancedParams, kg_where.line);
  DataCopy(dst, src, intriParams, kg_where);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& intriParams,
                     const DataCopyEnhancedParams& enhancedParams, KG_WHERE) {
  kg_detail::check_enhanced(enhancedParams, kg_where.line);
  DataCopy(dst, src, intriParams, kg_where);
}

// DataCopyPad: lengths and GM gaps in bytes, UB gaps in units of 32 bytes; each block starts a new unit in UB.
namespace kg_detail {

template <typename T, typename Copy, typename Pad>
inline void copy_pad_in(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Copy& copy, const Pad& pad,
                        uint64_t value, int line) {
  check_pad_type<T>();
  ::kgnpu::CopyCall call;
  call.name = "DataCopyPad";
  call.gm = src.kg_address();
  call.local = &dst.kg_view;
  call.blocks = copy.blockCount;
  call.block_bytes = copy.blockLen;
  call.gm_gap = copy.srcStride;
  call.local_gap = static_cast<int64_t>(copy.dstStride) * 32;
  call.pad = 1;
  call.explicit_pad = pad.isPad;
  call.element_bytes = sizeof(T);
  call.left_bytes = static_cast<int32_t>(::kgnpu::bytes_of<T>(pad.leftPadding));
  call.right_bytes = static_cast<int32_t>(::kgnpu::bytes_of<T>(pad.rightPadding));
  call.pad_value = value;
  call.line = line;
  kgnpu_copy_in(&call);
}
template <typename T, typename Copy>
inline void copy_pad_out(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Copy& copy, int line) {
  check_pad_type<T>();
  ::kgnpu::CopyCall call;
  call.name = "DataCopyPad";
  call.gm = dst.kg_address();
  call.local = &src.kg_view;
  call.blocks = copy.blockCount;
  call.block_bytes = copy.blockLen;
  call.gm_gap = copy.dstStride;
  call.local_gap = static_cast<int64_t>(copy.srcStride) * 32;
  call.pad = 1;
  call.element_bytes = sizeof(T);
  call.line = line;
  kgnpu_copy_out(&call);
}

}  // namespace kg_detail

template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyExtParams& copy,
                        const DataCopyPadExtParams<T>& pad, KG_WHERE) {
  kg_detail::copy_pad_in(dst, src, copy, pad, ::kgnpu::bits_of(pad.paddingValue), kg_where.line);
}
template <typename T>
inline void DataCopyPad(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const DataCopyParams& copy,
                        const DataCopyPadParams& pad, KG_WHERE) {
  kg_detail::copy_pad_in(dst, src, copy, pad, pad.paddingValue, kg_where.line);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyExtParams& copy,
                        KG_WHERE) {
  kg_detail::copy_pad_out(dst, src, copy, kg_where.line);
}
template <typename T>
inline void DataCopyPad(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const DataCopyParams& copy, KG_WHERE) {
  kg_detail::copy_pad_out(dst, src, copy, kg_where.line);
}

// Slices: for each axis its begin and end (both included), the number of elements between two slices, their length
// (in units of 32 bytes; 1 except for the first axis), and the length of the whole axis.
struct SliceInfo {
  constexpr SliceInfo() {}
  constexpr SliceInfo(const uint32_t startIndexIn, const uint32_t endIndexIn, const uint32_t strideIn,
                      const uint32_t burstLenIn, const uint32_t shapeValueIn = 0)
      : startIndex(startIndexIn),
        endIndex(endIndexIn),
        stride(strideIn),
        burstLen(burstLenIn),
        shapeValue(shapeValueIn) {}
  uint32_t startIndex = 0, endIndex = 0, stride = 0, burstLen = 0, shapeValue = 0;
};
namespace kg_detail {

constexpr uint32_t most_slice_axes = 8;

// The starts of one operand's slices, one after the other, in elements.
template <typename T>
class Slices {
 public:
  Slices(const SliceInfo info[], uint32_t axes) : info_(info), axes_(axes) {
    for (uint32_t axis = 0; axis < axes_; ++axis) at_[axis] = info_[axis].startIndex;
  }
  static constexpr uint32_t length(const SliceInfo& first) { return first.burstLen * (32 / sizeof(T)); }
  uint64_t place() const {
    uint64_t place = 0, step = 1;
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      place += at_[axis] * step;
      step *= info_[axis].shapeValue;
    }
    return place;
  }
  // Moves to the next one; false after the last.
  bool next() {
    for (uint32_t axis = 0; axis < axes_; ++axis) {
      at_[axis] += info_[axis].stride + (axis == 0 ? length(info_[0]) : 1);
      if (at_[axis] <= info_[axis].endIndex) return true;
      at_[axis] = info_[axis].startIndex;
    }
    return false;
  }

 private:
  const SliceInfo* info_;
  uint32_t axes_;
  uint32_t at_[most_slice_axes] = {};
};

template <typename T, typename Dst, typename Src>
inline void copy_slices(const Dst& dst, const Src& src, const SliceInfo dst_info[], const SliceInfo src_info[],
                        uint32_t axes, KG_WHERE) {
  static_assert(::kgnpu::elements_in_byte<T> == 1, "DataCopy of slices does not take int4b_t on this device");
  if (axes == 0 || axes > most_slice_axes || dst_info[0].burstLen != src_info[0].burstLen)
    kgnpu_assert_failed("DataCopy of slices: dimValue is 1 to 8, and both sides have the same burstLen", kg_where.line);
  Slices<T> to(dst_info, axes), from(src_info, axes);
  bool more = true;
  while (more) {
    DataCopy(dst[to.place()], src[from.place()], Slices<T>::length(src_info[0]), kg_where);
    more = to.next();
    if (from.next() != more) kgnpu_assert_failed("DataCopy of slices: both sides have as many slices", kg_where.line);
  }
}

}  // namespace kg_detail
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, KG_WHERE) {
  kg_detail::copy_slices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, kg_where);
}
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
                     const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1, KG_WHERE) {
  kg_detail::copy_slices<T>(dst, src, dstSliceInfo, srcSliceInfo, dimValue, kg_where);
}

// The scalar unit's cache loads a line on access: there is nothing to prefetch.
template <typename T>
inline void DataCachePreload(const GlobalTensor<uint64_t>&, const T) {}

template <typename T, CacheLine line, DcciDst target = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const GlobalTensor<T>& tensor, KG_WHERE) {
  kgnpu_clean_cache(tensor.kg_address(), line == CacheLine::ENTIRE_DATA_CACHE, kg_where.line);
}
// Reserved on this device: the data cache holds nothing of local memory.
template <typename T, CacheLine line, DcciDst target = DcciDst::CACHELINE_ALL>
inline void DataCacheCleanAndInvalid(const LocalTensor<T>&) {}

}  // namespace AscendC
