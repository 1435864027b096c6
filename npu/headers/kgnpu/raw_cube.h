#pragma once

#include "kgnpu/cube.h"
#include "kgnpu/raw_copy.h"

// Raw intrinsics of a cube core, on __cbuf__ (L1), __ca__ (L0A), __cb__ (L0B), __cc__ (L0C) and __gm__ pointers: the
// calls of cube.h under other names, so numbers, faults and times are theirs. Each memory begins at address 0. A
// pointer stands for the bytes up to the end of its buffer, or of its memory if there is no buffer. Published pages:
// cceapi_0063 (mad), 0067, 0071 and 0072 (copies), 0075 and 0122 (loads), 0096 (ND to NZ), 0098 (bias table), 0101 (L0C
// out), 0102 (fixpipe's parameters).

enum addr_cal_mode_t { inc = 0, dec = 1 };
namespace __cce_scalar {
using ::addr_cal_mode_t;
using ::dec;
using ::inc;
}  // namespace __cce_scalar
enum pad_t { PAD_NONE = 0, PAD_MODE1, PAD_MODE2, PAD_MODE3, PAD_MODE4, PAD_MODE5, PAD_MODE6, PAD_MODE7, PAD_MODE8 };

namespace kgnpu {

template <typename T>
inline AscendC::LocalTensor<T> matrix_at(uint8_t position, uint64_t pointer, const char* name, int line) {
  AscendC::LocalTensor<T> tensor;
  kgnpu_matrix_at(position, pointer, &tensor.kg_view, name, line);
  return tensor;
}
template <typename T>
inline AscendC::LocalTensor<T> matrix_at(__cbuf__ T* pointer, const char* name, int line) {
  return matrix_at<T>(position::kA1, (uint64_t)pointer, name, line);
}
template <typename T>
inline AscendC::LocalTensor<T> matrix_at(__ca__ T* pointer, const char* name, int line) {
  return matrix_at<T>(position::kA2, (uint64_t)pointer, name, line);
}
template <typename T>
inline AscendC::LocalTensor<T> matrix_at(__cb__ T* pointer, const char* name, int line) {
  return matrix_at<T>(position::kB2, (uint64_t)pointer, name, line);
}
template <typename T>
inline AscendC::LocalTensor<T> matrix_at(__cc__ T* pointer, const char* name, int line) {
  return matrix_at<T>(position::kCo1, (uint64_t)pointer, name, line);
}

template <typename T>
inline void raw_nd_to_nz(const char* name, __cbuf__ T* dst, __gm__ T* src, const AscendC::Nd2NzParams& params,
                         int line) {
  const auto to = matrix_at(dst, name, line);
  NdToNzCall call = AscendC::kg_detail::nd_to_nz_call(to, (uint64_t)src, params, line);
  call.name = name;
  kgnpu_copy_nd_to_nz(&call);
}

// `dst` is a pointer into L0A or L0B.
template <typename P, typename T>
inline void raw_load(const char* name, P dst, __cbuf__ T* src, const AscendC::LoadData2DParams& params, int line) {
  const auto to = matrix_at(dst, name, line);
  const auto from = matrix_at(src, name, line);
  LoadFractalsCall call = AscendC::kg_detail::load_call(to, params, line);
  call.name = name;
  call.src = &from.kg_view;
  kgnpu_load_fractals(&call);
}
template <typename P, typename T>
inline void raw_load(const char* name, P dst, __gm__ T* src, const AscendC::LoadData2DParams& params, int line) {
  const auto to = matrix_at(dst, name, line);
  LoadFractalsCall call = AscendC::kg_detail::load_call(to, params, line);
  call.name = name;
  call.gm = (uint64_t)src;
  kgnpu_load_fractals(&call);
}
template <typename P, typename T>
inline void raw_transposed_load(const char* name, P dst, __cbuf__ T* src,
                                const AscendC::LoadData2dTransposeParams& params, int line) {
  const auto to = matrix_at(dst, name, line);
  const auto from = matrix_at(src, name, line);
  LoadFractalsCall call = AscendC::kg_detail::transposed_load_call(to, from, params, line);
  call.name = name;
  kgnpu_load_fractals(&call);
}

// `bias`: null if the call has no bt_addr.
template <typename C, typename A, typename B>
inline void raw_mad(__cc__ C* c, __ca__ A* a, __cb__ B* b, const Local* bias, const AscendC::MmadParams& params,
                    int line) {
  const auto result = matrix_at(c, "mad", line);
  const auto left = matrix_at(a, "mad", line);
  const auto right = matrix_at(b, "mad", line);
  MmadCall call = AscendC::kg_detail::mmad_call(result, left, right, params, line);
  call.name = "mad";
  call.bias = bias;
  if (!params.cmatrixInitVal) call.start = params.cmatrixSource ? MatrixStart::kBiasTable : MatrixStart::kAccumulator;
  kgnpu_mmad(&call);
}
inline void refuse_offsets(uint8_t feat, uint8_t smask, bool weight, int line) {
  if (feat != 0 || smask != 0 || weight)
    kgnpu_assert_failed(
        "mad: featOffset, smaskOffset and isWeightOffset are 0: the pages do not say what they do on this device",
        line);
}

// Modes whose scale is in a register (set_quant_pre, set_fpc), which no published page describes.
inline bool has_register_scale(uint64_t mode) {
  return mode != NoQuant && mode != QuantMode_t::F322F16 && mode != QuantMode_t::F322BF16;
}

// The destination is left to the caller.
template <typename D, typename S>
inline FixpipeCall raw_fixpipe(const char* name, const AscendC::LocalTensor<S>& src,
                               const AscendC::FixpipeParamsV220& params, uint64_t quantisation, uint8_t relu,
                               bool row_major, int line) {
  if (has_register_scale(quantisation))
    kgnpu_assert_failed("copy_matrix_cc_to_*: QuantPRE is NoQuant, F322F16 or F322BF16 here; other modes: Fixpipe",
                        line);
  if (relu > 1) kgnpu_assert_failed("copy_matrix_cc_to_*: ReLUPRE is 0 or 1 on this device", line);
  constexpr AscendC::FixpipeConfig config;
  FixpipeCall call = AscendC::kg_detail::fixpipe_call<D>(src, params, config, line);
  call.name = name;
  call.quantisation = static_cast<uint8_t>(quantisation);
  call.row_major = row_major;
  if (!row_major) return call;
  const uint64_t para = kgnpu_nd_para(name, line);
  call.matrices = para & 0xFFFF;
  call.src_matrix_stride = para >> 16 & 0xFFFF;
  call.dst_matrix_stride = para >> 32 & 0xFFFF;
  return call;
}
inline AscendC::FixpipeParamsV220 raw_fixpipe_params(uint16_t n, uint16_t m, uint32_t dst_stride, uint16_t src_stride,
                                                     uint8_t unit_flag, uint8_t relu, bool split) {
  AscendC::FixpipeParamsV220 params(n, m, src_stride, dst_stride, relu != 0);
  params.unitFlag = unit_flag;
  params.isChannelSplit = split;
  return params;
}

}  // namespace kgnpu

// GM to L1 and L1 to GM as they are, in units of 32 bytes.
inline void copy_gm_to_cbuf(__cbuf__ void* dst, __gm__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                            uint16_t srcGap, uint16_t dstGap, pad_t padMode, KG_WHERE) {
  if (padMode != PAD_NONE)
    kgnpu_assert_failed("copy_gm_to_cbuf: padMode is PAD_NONE, the only mode that is emulated", kg_where.line);
  const auto to = ::kgnpu::matrix_at((__cbuf__ uint8_t*)dst, "copy_gm_to_cbuf", kg_where.line);
  auto call =
      ::kgnpu::raw_copy("copy_gm_to_cbuf", &to.kg_view, (uint64_t)src, nBurst, int64_t{lenBurst} * 32, kg_where.line);
  call.gm_gap = srcGap * 32;
  call.local_gap = dstGap * 32;
  kgnpu_copy_in(&call);
}
// The padding of copy_gm_to_cbuf, which needs a padMode other than PAD_NONE.
inline void set_padding(uint64_t) {}
inline void copy_cbuf_to_gm(__gm__ void* dst, __cbuf__ void* src, uint8_t, uint16_t nBurst, uint16_t lenBurst,
                            uint16_t srcGap, uint16_t dstGap, KG_WHERE) {
  const auto from = ::kgnpu::matrix_at((__cbuf__ uint8_t*)src, "copy_cbuf_to_gm", kg_where.line);
  auto call =
      ::kgnpu::raw_copy("copy_cbuf_to_gm", &from.kg_view, (uint64_t)dst, nBurst, int64_t{lenBurst} * 32, kg_where.line);
  call.gm_gap = dstGap * 32;
  call.local_gap = srcGap * 32;
  kgnpu_copy_out(&call);
}

// ND in GM to fractals in L1.
#define KG_RAW_ND_TO_NZ(bits, ...)                                                                                   \
  template <typename T>                                                                                              \
  inline void copy_gm_to_cbuf_multi_nd2nz_b##bits(__cbuf__ T* dst, __gm__ T* src, uint8_t, uint16_t ndNum,           \
                                                  uint16_t nValue, uint16_t dValue, uint16_t srcNdMatrixStride,      \
                                                  uint16_t srcDValue, uint16_t dstNzC0Stride, uint16_t dstNzNStride, \
                                                  uint16_t dstNzMatrixStride, KG_WHERE) {                            \
    KG_TAKES("copy_gm_to_cbuf_multi_nd2nz_b" #bits, T, __VA_ARGS__);                                                 \
    ::kgnpu::raw_nd_to_nz("copy_gm_to_cbuf_multi_nd2nz_b" #bits, dst, src,                                           \
                          AscendC::Nd2NzParams(ndNum, nValue, dValue, srcNdMatrixStride, srcDValue, dstNzC0Stride,   \
                                               dstNzNStride, dstNzMatrixStride),                                     \
                          kg_where.line);                                                                            \
  }
KG_RAW_ND_TO_NZ(8, int8_t, uint8_t)
KG_RAW_ND_TO_NZ(16, half, bfloat16_t, int16_t, uint16_t)
KG_RAW_ND_TO_NZ(32s, float, int32_t, uint32_t)
#undef KG_RAW_ND_TO_NZ

// Fractals to L0A (ca) and L0B (cb), as LoadData and LoadDataWithTranspose.
#define KG_RAW_LOAD(memory)                                                                                           \
  template <typename T>                                                                                               \
  inline void load_cbuf_to_##memory(__##memory##__ T* dst, __cbuf__ T* src, uint16_t baseIdx, uint8_t repeat,         \
                                    uint16_t srcStride, uint16_t dstGap, uint8_t sid, bool transpose,                 \
                                    addr_cal_mode_t addr_cal_mode, KG_WHERE) {                                        \
    KG_TAKES("load_cbuf_to_" #memory, T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t);                \
    ::kgnpu::raw_load("load_cbuf_to_" #memory, dst, src,                                                              \
                      AscendC::LoadData2DParams(baseIdx, repeat, srcStride, sid, dstGap, transpose, addr_cal_mode),   \
                      kg_where.line);                                                                                 \
  }                                                                                                                   \
  template <typename T>                                                                                               \
  inline void load_gm_to_##memory(__##memory##__ T* dst, __gm__ T* src, uint16_t baseIdx, uint8_t repeat,             \
                                  uint16_t srcStride, uint16_t dstGap, uint8_t sid, addr_cal_mode_t addr_cal_mode,    \
                                  KG_WHERE) {                                                                         \
    KG_TAKES("load_gm_to_" #memory, T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t);                  \
    ::kgnpu::raw_load("load_gm_to_" #memory, dst, src,                                                                \
                      AscendC::LoadData2DParams(baseIdx, repeat, srcStride, sid, dstGap, false, addr_cal_mode),       \
                      kg_where.line);                                                                                 \
  }                                                                                                                   \
  template <typename T>                                                                                               \
  inline void load_cbuf_to_##memory##_transpose(__##memory##__ T* dst, __cbuf__ T* src, uint16_t indexID,             \
                                                uint8_t repeat, uint16_t srcStride, uint16_t dstGap, bool addrmode,   \
                                                uint16_t dstFracGap, KG_WHERE) {                                      \
    KG_TAKES("load_cbuf_to_" #memory "_transpose", T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t);   \
    ::kgnpu::raw_transposed_load(                                                                                     \
        "load_cbuf_to_" #memory "_transpose", dst, src,                                                               \
        AscendC::LoadData2dTransposeParams(indexID, repeat, srcStride, dstGap, dstFracGap, addrmode), kg_where.line); \
  }
KG_RAW_LOAD(ca)
KG_RAW_LOAD(cb)
#undef KG_RAW_LOAD

// L1 to the bias table, whose lengths count 64 bytes of the table; with convControl from half to float.
inline void copy_cbuf_to_bt(uint64_t dst, __cbuf__ void* src, uint16_t convControl, uint16_t nBurst, uint16_t lenBurst,
                            uint16_t sourceGap, uint16_t dstGap, KG_WHERE) {
  const auto to = ::kgnpu::matrix_at<float>(::kgnpu::position::kC2, dst, "copy_cbuf_to_bt", kg_where.line);
  const auto from = ::kgnpu::matrix_at((__cbuf__ half*)src, "copy_cbuf_to_bt", kg_where.line);
  auto call = AscendC::kg_detail::table_copy_call(to, from, {nBurst, lenBurst, sourceGap, dstGap}, kg_where.line);
  call.name = "copy_cbuf_to_bt";
  if (convControl == 0) call.src_type = call.dst_type;
  kgnpu_copy_to_table(&call);
}
// L1 to the fixpipe's parameters, whose lengths count 128 bytes.
inline void copy_cbuf_to_fbuf(__fbuf__ void* dst, __cbuf__ void* src, uint16_t burstNum, uint16_t burstLen,
                              uint16_t srcGapSize, uint16_t dstGapSize, KG_WHERE) {
  const auto to =
      ::kgnpu::matrix_at<uint64_t>(::kgnpu::position::kC2Pipe2Gm, (uint64_t)dst, "copy_cbuf_to_fbuf", kg_where.line);
  const auto from = ::kgnpu::matrix_at((__cbuf__ uint64_t*)src, "copy_cbuf_to_fbuf", kg_where.line);
  auto call =
      AscendC::kg_detail::table_copy_call(to, from, {burstNum, burstLen, srcGapSize, dstGapSize}, kg_where.line);
  call.name = "copy_cbuf_to_fbuf";
  kgnpu_copy_to_table(&call);
}

// c = a * b + start. cmatrixInitVal true: the start is 0; otherwise c, or with cmatrixSource the bias table at bt_addr.
// The pages name the short form's last argument init_val_controlC, and leave open that it is cmatrixInitVal.
template <typename C, typename A, typename B>
inline void mad(__cc__ C* c, __ca__ A* a, __cb__ B* b, uint16_t m, uint16_t k, uint16_t n, bool init_val_controlC,
                KG_WHERE) {
  ::kgnpu::raw_mad(c, a, b, nullptr, AscendC::MmadParams(m, n, k, 0, false, false, init_val_controlC), kg_where.line);
}
template <typename C, typename A, typename B>
inline void mad(__cc__ C* c, __ca__ A* a, __cb__ B* b, uint16_t m, uint16_t k, uint16_t n, uint8_t unitFlag,
                bool kDirectionAlign, bool cmatrixSource, bool cmatrixInitVal, KG_WHERE) {
  ::kgnpu::raw_mad(c, a, b, nullptr,
                   AscendC::MmadParams(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal),
                   kg_where.line);
}
template <typename C, typename A, typename B>
inline void mad(__cc__ C* c, __ca__ A* a, __cb__ B* b, uint16_t m, uint16_t k, uint16_t n, uint8_t featOffset,
                uint8_t smaskOffset, uint8_t unitFlag, bool kDirectionAlign, bool isWeightOffset, bool cmatrixSource,
                bool cmatrixInitVal, KG_WHERE) {
  ::kgnpu::refuse_offsets(featOffset, smaskOffset, isWeightOffset, kg_where.line);
  ::kgnpu::raw_mad(c, a, b, nullptr,
                   AscendC::MmadParams(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal),
                   kg_where.line);
}
template <typename C, typename A, typename B>
inline void mad(__cc__ C* c, __ca__ A* a, __cb__ B* b, uint64_t bt_addr, uint16_t m, uint16_t k, uint16_t n,
                uint8_t featOffset, uint8_t smaskOffset, uint8_t unitFlag, bool kDirectionAlign, bool isWeightOffset,
                bool cmatrixSource, bool cmatrixInitVal, KG_WHERE) {
  ::kgnpu::refuse_offsets(featOffset, smaskOffset, isWeightOffset, kg_where.line);
  const auto bias = ::kgnpu::matrix_at<C>(::kgnpu::position::kC2, bt_addr, "mad", kg_where.line);
  ::kgnpu::raw_mad(c, a, b, &bias.kg_view,
                   AscendC::MmadParams(m, n, k, unitFlag, kDirectionAlign, cmatrixSource, cmatrixInitVal),
                   kg_where.line);
}

// L0C to GM and L1. set_nd_para holds for the outputs by rows behind it: bits 0 to 15 the number of matrices, 16 to 31
// from one to the next in L0C in fractals, 32 to 47 in the destination in elements.
inline void set_nd_para(uint64_t config) { kgnpu_set_nd_para(config); }
template <typename D, typename S>
inline void copy_matrix_cc_to_gm(__gm__ D* dst, __cc__ S* src, uint8_t, uint16_t NSize, uint16_t MSize,
                                 uint32_t dstStride_dst_D, uint16_t srcStride, uint8_t UnitFlagMode, uint64_t QuantPRE,
                                 uint8_t ReLUPRE, bool channelSplit, bool NZ2ND_EN, KG_WHERE) {
  const auto from = ::kgnpu::matrix_at(src, "copy_matrix_cc_to_gm", kg_where.line);
  const auto params =
      ::kgnpu::raw_fixpipe_params(NSize, MSize, dstStride_dst_D, srcStride, UnitFlagMode, ReLUPRE, channelSplit);
  auto call = ::kgnpu::raw_fixpipe<D>("copy_matrix_cc_to_gm", from, params, QuantPRE, ReLUPRE, NZ2ND_EN, kg_where.line);
  call.gm = (uint64_t)dst;
  kgnpu_fixpipe(&call);
}
template <typename D, typename S>
inline void copy_matrix_cc_to_cbuf(__cbuf__ D* dst, __cc__ S* src, uint8_t, uint16_t NSize, uint16_t MSize,
                                   uint32_t dstStride_dst_D, uint16_t srcStride, uint8_t UnitFlagMode,
                                   uint64_t QuantPRE, uint8_t ReLUPRE, bool channelSplit, bool NZ2ND_EN, KG_WHERE) {
  const auto to = ::kgnpu::matrix_at(dst, "copy_matrix_cc_to_cbuf", kg_where.line);
  const auto from = ::kgnpu::matrix_at(src, "copy_matrix_cc_to_cbuf", kg_where.line);
  const auto params =
      ::kgnpu::raw_fixpipe_params(NSize, MSize, dstStride_dst_D, srcStride, UnitFlagMode, ReLUPRE, channelSplit);
  auto call =
      ::kgnpu::raw_fixpipe<D>("copy_matrix_cc_to_cbuf", from, params, QuantPRE, ReLUPRE, NZ2ND_EN, kg_where.line);
  call.local = &to.kg_view;
  kgnpu_fixpipe(&call);
}
