#pragma once

#include "kgnpu/abi_cube.h"
#include "kgnpu/cube_params.h"
#include "kgnpu/data_copy.h"

// The work of a cube core: copies into L1 and its tables, LoadData, Mmad, Fixpipe.

namespace AscendC {
namespace kg_detail {

template <typename T>
constexpr void check_matrix_type() {
  KG_TAKES("this matrix load", T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t);
}

template <typename T>
inline ::kgnpu::NdToNzCall nd_to_nz_call(const LocalTensor<T>& dst, uint64_t gm, const Nd2NzParams& params, int line) {
  constexpr int64_t size = sizeof(T);
  ::kgnpu::NdToNzCall call;
  call.gm = gm;
  call.local = &dst.kg_view;
  call.matrices = params.ndNum;
  call.rows = params.nValue;
  call.row_bytes = params.dValue * size;
  call.src_matrix_stride = params.srcNdMatrixStride * size;
  call.src_row_stride = params.srcDValue * size;
  call.dst_c0_stride = params.dstNzC0Stride * 32;
  call.dst_row_stride = params.dstNzNStride * 32;
  call.dst_matrix_stride = params.dstNzMatrixStride * size;
  call.line = line;
  return call;
}

// Without the source.
template <typename T>
inline ::kgnpu::LoadFractalsCall load_call(const LocalTensor<T>& dst, const LoadData2DParams& params, int line) {
  ::kgnpu::LoadFractalsCall call;
  call.dst = &dst.kg_view;
  call.element_bytes = sizeof(T);
  call.start = params.startIndex;
  call.repeat = params.repeatTimes;
  call.src_stride = params.srcStride;
  call.dst_gap = params.dstGap;
  call.transpose = params.ifTranspose;
  call.decreasing = params.addrMode;
  call.line = line;
  return call;
}
template <typename T>
inline ::kgnpu::LoadFractalsCall transposed_load_call(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                                      const LoadData2dTransposeParams& params, int line) {
  ::kgnpu::LoadFractalsCall call;
  call.name = "LoadDataWithTranspose";
  call.dst = &dst.kg_view;
  call.src = &src.kg_view;
  call.element_bytes = sizeof(T);
  call.start = params.startIndex;
  call.repeat = params.repeatTimes;
  call.src_stride = params.srcStride;
  call.dst_gap = params.dstGap;
  call.dst_square_gap = params.dstFracGap;
  call.squares = 1;
  call.decreasing = params.addrMode;
  call.line = line;
  return call;
}

}  // namespace kg_detail

// ND in GM to fractals (Nz) in L1; strides of the source in elements, of the destination in units of 32 bytes.
template <typename T>
inline void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const Nd2NzParams& params, KG_WHERE) {
  kg_detail::check_matrix_type<T>();
  const ::kgnpu::NdToNzCall call = kg_detail::nd_to_nz_call(dst, src.kg_address(), params, kg_where.line);
  kgnpu_copy_nd_to_nz(&call);
}

// Modes of the cube unit. Products are exact here: HF32 rounds the operands of fp32 products on the device, which is
// within a task's tolerance; the order in which a result is written does not change it.
inline void SetHF32Mode(bool) {}
inline void SetHF32TransMode(bool) {}
inline void SetMMLayoutTransform(bool) {}

// Whole fractals, L1 to L0A or L0B, or GM to any of them.
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData2DParams& params, KG_WHERE) {
  kg_detail::check_matrix_type<T>();
  ::kgnpu::LoadFractalsCall call = kg_detail::load_call(dst, params, kg_where.line);
  call.src = &src.kg_view;
  kgnpu_load_fractals(&call);
}
template <typename T>
inline void LoadData(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const LoadData2DParams& params, KG_WHERE) {
  kg_detail::check_matrix_type<T>();
  ::kgnpu::LoadFractalsCall call = kg_detail::load_call(dst, params, kg_where.line);
  call.gm = src.kg_address();
  kgnpu_load_fractals(&call);
}
template <typename T>
inline void LoadDataWithTranspose(const LocalTensor<T>& dst, const LocalTensor<T>& src,
                                  const LoadData2dTransposeParams& params, KG_WHERE) {
  KG_TAKES("LoadDataWithTranspose", T, int8_t, uint8_t, half, bfloat16_t, float, int32_t, uint32_t);
  const ::kgnpu::LoadFractalsCall call = kg_detail::transposed_load_call(dst, src, params, kg_where.line);
  kgnpu_load_fractals(&call);
}

// Image to columns.
template <typename T, const IsResetLoad3dConfig& config = IS_RESER_LOAD3D_DEFAULT_CONFIG, typename U = PrimT<T>,
          typename = std::enable_if_t<std::is_same_v<PrimT<T>, U>>>
inline void LoadData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const LoadData3DParamsV2<U>& params,
                     KG_WHERE) {
  KG_TAKES("LoadData with LoadData3DParamsV2", T, int8_t, uint8_t, half, bfloat16_t, float, int32_t, uint32_t);
  ::kgnpu::LoadImageCall call;
  call.dst = &dst.kg_view;
  call.src = &src.kg_view;
  call.element_bytes = sizeof(T);
  for (int i = 0; i < 4; ++i) call.pad[i] = params.padList[i];
  call.height = params.l1H;
  call.width = params.l1W;
  call.channels = params.channelSize;
  call.k_extent = params.kExtension;
  call.m_extent = params.mExtension;
  call.k_start = params.kStartPt;
  call.m_start = params.mStartPt;
  call.stride_w = params.strideW;
  call.stride_h = params.strideH;
  call.filter_w = static_cast<uint16_t>(params.filterW + (params.filterSizeW ? 256 : 0));
  call.filter_h = static_cast<uint16_t>(params.filterH + (params.filterSizeH ? 256 : 0));
  call.dilation_w = params.dilationFilterW;
  call.dilation_h = params.dilationFilterH;
  call.transpose = params.enTranspose;
  call.keep_shape = !config.isSetFMatrix;
  call.keep_padding_value = !config.isSetPadding;
  call.right_matrix = params.fMatrixCtrl;
  call.padding_value = ::kgnpu::bits_of(params.padValue);
  call.line = kg_where.line;
  kgnpu_load_image(&call);
}
inline void SetFmatrix(uint16_t l1H, uint16_t l1W, const uint8_t padList[4], const FmatrixMode& mode) {
  kgnpu_set_image(l1H, l1W, padList, mode == FmatrixMode::FMATRIX_RIGHT);
}
template <typename T>
inline void SetLoadDataPaddingValue(const T value) {
  kgnpu_set_image_padding(::kgnpu::bits_of(value));
}
inline void SetLoadDataBoundary(uint32_t boundaryValue, KG_WHERE) {
  kgnpu_set_image_boundary(boundaryValue, kg_where.line);
}
// More than one time is not emulated yet.
inline void SetLoadDataRepeat(const LoadDataRepeatParam& repeatParams, KG_WHERE) {
  kgnpu_set_image_repeat(repeatParams.repeatTime, kg_where.line);
}

template <typename T, typename U = PrimT<T>, typename = std::enable_if_t<std::is_same_v<PrimT<T>, U>>>
inline void InitConstValue(const LocalTensor<T>& dst, const InitConstValueParams<U>& params, KG_WHERE) {
  KG_TAKES("InitConstValue", T, half, bfloat16_t, float, int16_t, uint16_t, int32_t, uint32_t);
  ::kgnpu::FillCall call;
  call.dst = &dst.kg_view;
  call.element_bytes = sizeof(T);
  call.repeat = params.repeatTimes;
  call.blocks = params.blockNum;
  call.gap = params.dstGap;
  call.value = ::kgnpu::bits_of(params.initValue);
  call.line = kg_where.line;
  kgnpu_fill_matrix(&call);
}
template <typename T, typename U = PrimT<T>, typename = std::enable_if_t<std::is_same_v<PrimT<T>, U>>>
inline void Fill(const LocalTensor<T>& dst, const InitConstValueParams<U>& params, KG_WHERE) {
  InitConstValue(dst, params, kg_where);
}

namespace kg_detail {

template <typename C, typename A, typename B>
constexpr bool mmad_types =
    (std::is_same_v<C, float> && std::is_same_v<A, B> && ::kgnpu::is_one_of<A, half, bfloat16_t, float>) ||
    (std::is_same_v<C, int32_t> && std::is_same_v<A, int8_t> && std::is_same_v<B, int8_t>);

template <typename C, typename A, typename B>
inline ::kgnpu::MmadCall mmad_call(const LocalTensor<C>& c, const LocalTensor<A>& a, const LocalTensor<B>& b,
                                   const MmadParams& params, int line) {
  static_assert(mmad_types<C, A, B>,
                "Mmad does not take these data types on this device; it takes (result, left, right): (float, half, "
                "half), (float, bfloat16_t, bfloat16_t), (float, float, float), (int32_t, int8_t, int8_t)");
  ::kgnpu::MmadCall call;
  call.c = &c.kg_view;
  call.a = &a.kg_view;
  call.b = &b.kg_view;
  call.c_type = ::kgnpu::TypeOf<C>::value;
  call.a_type = ::kgnpu::TypeOf<A>::value;
  call.m = params.m;
  call.n = params.n;
  call.k = params.k;
  call.unit_flag = static_cast<uint8_t>(params.unitFlag);
  call.k_in_sixteens = params.kDirectionAlign;
  call.line = line;
  return call;
}

}  // namespace kg_detail

template <typename C, typename A, typename B>
inline void Mmad(const LocalTensor<C>& dst, const LocalTensor<A>& fm, const LocalTensor<B>& filter,
                 const MmadParams& params, KG_WHERE) {
  ::kgnpu::MmadCall call = kg_detail::mmad_call(dst, fm, filter, params, kg_where.line);
  if (params.isBias || !params.cmatrixInitVal)
    call.start = params.cmatrixSource ? ::kgnpu::MatrixStart::kBiasTable : ::kgnpu::MatrixStart::kAccumulator;
  kgnpu_mmad(&call);
}
// The bias's place decides: C2 is the bias table, CO1 the accumulator.
template <typename C, typename A, typename B, typename V>
inline void Mmad(const LocalTensor<C>& dst, const LocalTensor<A>& fm, const LocalTensor<B>& filter,
                 const LocalTensor<V>& bias, const MmadParams& params, KG_WHERE) {
  static_assert(std::is_same_v<V, C>, "Mmad: the bias has the type of the result, float or int32_t");
  ::kgnpu::MmadCall call = kg_detail::mmad_call(dst, fm, filter, params, kg_where.line);
  const bool table = bias.GetPosition() == static_cast<int32_t>(TPosition::C2);
  call.start = table ? ::kgnpu::MatrixStart::kBiasTable : ::kgnpu::MatrixStart::kAccumulator;
  call.bias = &bias.kg_view;
  kgnpu_mmad(&call);
}

namespace kg_detail {

template <typename D, typename S>
inline ::kgnpu::FixpipeCall fixpipe_call(const LocalTensor<S>& src, const FixpipeParamsV220& params,
                                         const FixpipeConfig& config, int line) {
  KG_TAKES("Fixpipe's source", S, float, int32_t);
  KG_TAKES("Fixpipe's destination", D, half, bfloat16_t, float, int32_t, int8_t, uint8_t);
  ::kgnpu::FixpipeCall call;
  call.src = &src.kg_view;
  call.dst_type = ::kgnpu::TypeOf<D>::value;
  call.src_type = ::kgnpu::TypeOf<S>::value;
  call.quantisation = static_cast<uint8_t>(params.quantPre);
  call.row_major = config.format == CO2Layout::ROW_MAJOR;
  call.relu = params.reluEn;
  call.unit_flag = params.unitFlag;
  call.split_channels = params.isChannelSplit;
  call.m = params.mSize;
  call.n = params.nSize;
  call.src_stride = params.srcStride;
  call.dst_stride = params.dstStride;
  call.matrices = call.row_major ? params.ndNum : 1;
  call.src_matrix_stride = params.srcNdStride;
  call.dst_matrix_stride = params.dstNdStride;
  call.scale = params.deqScalar;
  call.line = line;
  return call;
}

}  // namespace kg_detail

template <typename D, typename S, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const GlobalTensor<D>& dst, const LocalTensor<S>& src, const FixpipeParamsV220& params, KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::fixpipe_call<D>(src, params, config, kg_where.line);
  call.gm = dst.kg_address();
  kgnpu_fixpipe(&call);
}
template <typename D, typename S, const FixpipeConfig& config = CFG_ROW_MAJOR, typename B = uint64_t,
          typename = std::enable_if_t<std::is_same_v<PrimT<B>, uint64_t>>>
inline void Fixpipe(const GlobalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<B>& scales,
                    const FixpipeParamsV220& params, KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::fixpipe_call<D>(src, params, config, kg_where.line);
  call.gm = dst.kg_address();
  call.scales = &scales.kg_view;
  kgnpu_fixpipe(&call);
}
template <typename D, typename S, const FixpipeConfig& config = CFG_ROW_MAJOR>
inline void Fixpipe(const LocalTensor<D>& dst, const LocalTensor<S>& src, const FixpipeParamsV220& params, KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::fixpipe_call<D>(src, params, config, kg_where.line);
  call.local = &dst.kg_view;
  kgnpu_fixpipe(&call);
}
template <typename D, typename S, const FixpipeConfig& config = CFG_ROW_MAJOR, typename B = uint64_t,
          typename = std::enable_if_t<std::is_same_v<PrimT<B>, uint64_t>>>
inline void Fixpipe(const LocalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<B>& scales,
                    const FixpipeParamsV220& params, KG_WHERE) {
  ::kgnpu::FixpipeCall call = kg_detail::fixpipe_call<D>(src, params, config, kg_where.line);
  call.local = &dst.kg_view;
  call.scales = &scales.kg_view;
  kgnpu_fixpipe(&call);
}

namespace kg_detail {
template <typename D, typename S>
inline FixpipeParamsV220 in_v220(const FixpipeParams<S>& old) {
  constexpr uint32_t kBlock = 32, kColumn = 16;
  const uint16_t rows = static_cast<uint16_t>(old.burstLen * kBlock / (kColumn * sizeof(S)));
  const auto from_gap = [&](uint32_t gap) { return rows + gap * kBlock / (kColumn * sizeof(S)); };
  FixpipeParamsV220 now;
  now.mSize = rows;
  now.srcStride = static_cast<uint16_t>(from_gap(old.srcStride));
  now.quantPre = old.quantParams.quantPre;
  now.deqScalar = old.quantParams.deqScalar;
  now.reluEn = old.reluEn;
  now.unitFlag = old.unitFlag;
  if (old.nz2ndParams.nz2ndEn) {
    now.nSize = old.nz2ndParams.originalNSize;
    now.dstStride = old.dstStride;
    now.ndNum = old.nz2ndParams.ndNum;
    now.srcNdStride = old.nz2ndParams.srcNdStride;
    now.dstNdStride = old.nz2ndParams.dstNdStride;
  } else {
    now.nSize = static_cast<uint16_t>(old.cburstNum * kColumn);
    now.dstStride = static_cast<uint32_t>(rows * kColumn * sizeof(D)) / kBlock + old.dstStride;
  }
  return now;
}
constexpr FixpipeConfig kRows = CFG_ROW_MAJOR, kFractals = CFG_NZ;
}  // namespace kg_detail

template <typename D, typename S>
inline void Fixpipe(const GlobalTensor<D>& dst, const LocalTensor<S>& src, const FixpipeParams<S>& params, KG_WHERE) {
  const FixpipeParamsV220 now = kg_detail::in_v220<D>(params);
  if (params.nz2ndParams.nz2ndEn)
    Fixpipe<D, S, kg_detail::kRows>(dst, src, now, kg_where);
  else
    Fixpipe<D, S, kg_detail::kFractals>(dst, src, now, kg_where);
}
template <typename D, typename S>
inline void Fixpipe(const GlobalTensor<D>& dst, const LocalTensor<S>& src, const LocalTensor<uint64_t>& scales,
                    const FixpipeParams<S>& params, KG_WHERE) {
  const FixpipeParamsV220 now = kg_detail::in_v220<D>(params);
  if (params.nz2ndParams.nz2ndEn)
    Fixpipe<D, S, kg_detail::kRows>(dst, src, scales, now, kg_where);
  else
    Fixpipe<D, S, kg_detail::kFractals>(dst, src, scales, now, kg_where);
}

// Fractals in L0C to rows in GM.
template <typename T>
inline void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const Nz2NdParamsFull& params, KG_WHERE) {
  FixpipeParamsV220 out(params.dValue, params.nValue, params.srcNStride, params.dstDStride, false, NoQuant, 0,
                        params.ndNum, params.srcNdMatrixStride, params.dstNdMatrixStride);
  ::kgnpu::FixpipeCall call = kg_detail::fixpipe_call<T>(src, out, CFG_ROW_MAJOR, kg_where.line);
  call.gm = dst.kg_address();
  kgnpu_fixpipe(&call);
}

}  // namespace AscendC
