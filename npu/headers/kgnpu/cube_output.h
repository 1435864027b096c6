#pragma once

#include "kgnpu/cube.h"

// DataCopy from L0C, which takes its scales and the places of its matrices from registers. Fixpipe has them as
// arguments.

namespace AscendC {

struct DataCopyCO12DstParams {
  uint8_t sid = 0;
  uint16_t nSize = 0, mSize = 0;
  uint32_t dstStride = 0;
  uint16_t srcStride = 0;
  uint8_t unitFlag = 0, clipReluPre = 0, eltWiseOp = 0;
  QuantMode_t quantPre = NoQuant;
  uint8_t reluPre = 0;
  bool channelSplit = false, nz2ndEn = false;

  DataCopyCO12DstParams() = default;
  DataCopyCO12DstParams(uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride, QuantMode_t mode,
                        uint8_t relu, bool split, bool by_rows)
      : nSize(n),
        mSize(m),
        dstStride(dst_stride),
        srcStride(src_stride),
        quantPre(mode),
        reluPre(relu),
        channelSplit(split),
        nz2ndEn(by_rows) {}
};

inline void SetFixpipePreQuantFlag(uint64_t config) { kgnpu_set_fixpipe_scale(config); }
inline void SetFixpipeNz2ndFlag(uint16_t ndNum, uint16_t srcNdStride, uint16_t dstNdStride) {
  kgnpu_set_nd_para(ndNum | uint64_t{srcNdStride} << 16 | uint64_t{dstNdStride} << 32);
}
template <typename T, bool setRelu = false>
inline void SetFixPipeConfig(const LocalTensor<T>& preData, bool isUnitFlag = false, KG_WHERE) {
  static_assert(!setRelu, "SetFixPipeConfig: setRelu is false, the only value that the pages allow");
  static_assert(::kgnpu::has_scalar<T>, "SetFixPipeConfig does not take int4b_t");
  kgnpu_set_fixpipe_scales(&preData.kg_view, kg_where.line);
}
template <typename T>
inline void SetFixPipeConfig(const LocalTensor<T>& reluPre, const LocalTensor<T>& quantPre, bool isUnitFlag = false,
                             KG_WHERE) {
  SetFixPipeConfig<T>(quantPre, isUnitFlag, kg_where);
}

namespace kg_detail {

// The destination is left to the caller.
template <typename D, typename S>
inline ::kgnpu::FixpipeCall output_call(const LocalTensor<S>& src, const DataCopyCO12DstParams& params, int line) {
  if (params.reluPre > 1)
    kgnpu_assert_failed("DataCopy with DataCopyCO12DstParams: reluPre is 0 or 1 on this device", line);
  if (params.clipReluPre != 0 || params.eltWiseOp != 0)
    kgnpu_assert_failed("DataCopy with DataCopyCO12DstParams: clipReluPre and eltWiseOp are 0 on this device", line);
  FixpipeParamsV220 out(params.nSize, params.mSize, params.srcStride, params.dstStride, params.reluPre != 0,
                        params.quantPre, 0);
  out.unitFlag = params.unitFlag;
  out.isChannelSplit = params.channelSplit;
  ::kgnpu::FixpipeCall call = fixpipe_call<D>(src, out, params.nz2ndEn ? CFG_ROW_MAJOR : CFG_NZ, line);
  call.name = "DataCopy with DataCopyCO12DstParams";
  call.register_scales = 1;
  if (!params.nz2ndEn) return call;
  const uint64_t para = kgnpu_nd_para(call.name, line);
  call.matrices = para & 0xFFFF;
  call.src_matrix_stride = para >> 16 & 0xFFFF;
  call.dst_matrix_stride = para >> 32 & 0xFFFF;
  return call;
}

}  // namespace kg_detail

template <typename T, typename U>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams,
                     KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::output_call<T>(src, intriParams, kg_where.line);
  call.gm = dst.kg_address();
  kgnpu_fixpipe(&call);
}
template <typename T, typename U>
inline void DataCopy(const LocalTensor<T>& dst, const LocalTensor<U>& src, const DataCopyCO12DstParams& intriParams,
                     KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::output_call<T>(src, intriParams, kg_where.line);
  call.local = &dst.kg_view;
  kgnpu_fixpipe(&call);
}

}  // namespace AscendC
