#pragma once

#include "kgnpu/names.h"

// Parameter structures and constants of the cube side.

enum QuantMode_t {
  NoQuant = 0,
  F322F16 = 1,
  VREQ8 = 8,
  REQ8 = 9,
  VDEQF16 = 10,
  DEQF16 = 11,
  F322BF16 = 16,
  VQF322B8_PRE = 23,
  QF322B8_PRE = 24,
};

namespace AscendC {

using QuantMode_t = ::QuantMode_t;

struct Nd2NzParams {
  uint16_t ndNum = 0, nValue = 0, dValue = 0;
  uint16_t srcNdMatrixStride = 0, srcDValue = 0;
  uint16_t dstNzC0Stride = 0, dstNzNStride = 0, dstNzMatrixStride = 0;

  Nd2NzParams() = default;
  Nd2NzParams(uint16_t number, uint16_t n, uint16_t d, uint16_t matrix_stride, uint16_t src_d, uint16_t c0_stride,
              uint16_t n_stride, uint16_t dst_matrix_stride)
      : ndNum(number),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(matrix_stride),
        srcDValue(src_d),
        dstNzC0Stride(c0_stride),
        dstNzNStride(n_stride),
        dstNzMatrixStride(dst_matrix_stride) {}
};

struct Nz2NdParamsFull {
  uint16_t ndNum = 1, nValue = 0, dValue = 0;
  uint16_t srcNdMatrixStride = 1, srcNStride = 0;
  uint16_t dstDStride = 0, dstNdMatrixStride = 1;

  Nz2NdParamsFull() = default;
  Nz2NdParamsFull(uint16_t number, uint16_t n, uint16_t d, uint16_t matrix_stride, uint16_t n_stride, uint16_t d_stride,
                  uint16_t dst_matrix_stride)
      : ndNum(number),
        nValue(n),
        dValue(d),
        srcNdMatrixStride(matrix_stride),
        srcNStride(n_stride),
        dstDStride(d_stride),
        dstNdMatrixStride(dst_matrix_stride) {}
};

struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint8_t sid = 0;
  uint16_t dstGap = 0;
  bool ifTranspose = false;
  uint8_t addrMode = 0;

  LoadData2DParams() = default;
  LoadData2DParams(uint16_t start, uint8_t repeat, uint16_t stride, uint8_t id, uint16_t gap, bool transpose,
                   uint8_t mode)
      : startIndex(start),
        repeatTimes(repeat),
        srcStride(stride),
        sid(id),
        dstGap(gap),
        ifTranspose(transpose),
        addrMode(mode) {}
};
using LoadData2dParams = LoadData2DParams;

struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0, dstGap = 0, dstFracGap = 0;
  uint8_t addrMode = 0;

  LoadData2dTransposeParams() = default;
  LoadData2dTransposeParams(uint16_t start, uint8_t repeat, uint16_t stride, uint16_t gap, uint16_t fractal_gap,
                            uint8_t mode = 0)
      : startIndex(start),
        repeatTimes(repeat),
        srcStride(stride),
        dstGap(gap),
        dstFracGap(fractal_gap),
        addrMode(mode) {}
};

struct LoadDataRepeatParam {
  LoadDataRepeatParam() = default;
  LoadDataRepeatParam(uint16_t stride, uint8_t count, uint8_t mode)
      : repeatStride(stride), repeatTime(count), repeatMode(mode) {}
  uint16_t repeatStride = 0;
  uint8_t repeatTime = 1;
  uint8_t repeatMode = 0;
};
template <typename T>
struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};
  uint16_t l1H = 0, l1W = 0, channelSize = 0;
  uint16_t kExtension = 0, mExtension = 0, kStartPt = 0, mStartPt = 0;
  uint8_t strideW = 1, strideH = 1, filterW = 1, filterH = 1, dilationFilterW = 1, dilationFilterH = 1;
  bool enTranspose = false, enSmallK = false;
  T padValue = T();
  bool filterSizeW = false, filterSizeH = false, fMatrixCtrl = false;

  LoadData3DParamsV2() = default;
  LoadData3DParamsV2(const uint8_t pad[4], uint16_t height, uint16_t width, uint16_t channels, uint16_t k, uint16_t m,
                     uint16_t k_start, uint16_t m_start, uint8_t stride_w, uint8_t stride_h, uint8_t filter_w,
                     uint8_t filter_h, uint8_t dilation_w, uint8_t dilation_h, bool transpose, bool small_k, T value,
                     bool size_w = false, bool size_h = false, bool control = false)
      : l1H(height),
        l1W(width),
        channelSize(channels),
        kExtension(k),
        mExtension(m),
        kStartPt(k_start),
        mStartPt(m_start),
        strideW(stride_w),
        strideH(stride_h),
        filterW(filter_w),
        filterH(filter_h),
        dilationFilterW(dilation_w),
        dilationFilterH(dilation_h),
        enTranspose(transpose),
        enSmallK(small_k),
        padValue(value),
        filterSizeW(size_w),
        filterSizeH(size_h),
        fMatrixCtrl(control) {
    for (int i = 0; i < 4; ++i) padList[i] = pad[i];
  }
};
struct IsResetLoad3dConfig {
  bool isSetFMatrix = true;
  bool isSetPadding = true;
};
constexpr IsResetLoad3dConfig IS_RESER_LOAD3D_DEFAULT_CONFIG = {true, true};
enum class FmatrixMode : uint8_t { FMATRIX_LEFT = 0, FMATRIX_RIGHT };

template <typename T>
struct InitConstValueParams {
  uint16_t repeatTimes = 0, blockNum = 0, dstGap = 0;
  T initValue = T();

  InitConstValueParams() = default;
  InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
      : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  InitConstValueParams(uint16_t repeat, T value) : repeatTimes(repeat), blockNum(1), initValue(value) {}
};

struct MmadParams {
  uint16_t m = 0, n = 0, k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false, enWinogradA = false, enWinogradB = false;
  int8_t unitFlag = 0;
  bool kDirectionAlign = false, cmatrixSource = false, cmatrixInitVal = true;

  MmadParams() = default;
  MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, bool accumulate, int32_t offset, bool sparse,
             bool winograd_a, bool winograd_b)
      : m(rows),
        n(columns),
        k(inner),
        isBias(accumulate),
        fmOffset(offset),
        enSsparse(sparse),
        enWinogradA(winograd_a),
        enWinogradB(winograd_b) {}
  MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, int8_t flag, bool source, bool start)
      : MmadParams(rows, columns, inner, flag, false, source, start) {}
  MmadParams(uint16_t rows, uint16_t columns, uint16_t inner, int8_t flag, bool align, bool source, bool start)
      : m(rows),
        n(columns),
        k(inner),
        unitFlag(flag),
        kDirectionAlign(align),
        cmatrixSource(source),
        cmatrixInitVal(start) {}
};

// The parameters of Fixpipe before FixpipeParamsV220. A fragment is a column of fractals: cburstNum of them, each
// burstLen times 32 bytes of the source; strides are gaps of 32 bytes between fragments. With nz2ndEn the output has
// rows of originalNSize elements that are dstStride elements apart.
struct QuantParams {
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
};
struct Nz2NdParams {
  bool nz2ndEn = false;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0, originalNSize = 0;
};
template <typename T>
struct FixpipeParams {
  uint16_t cburstNum = 0, burstLen = 1, srcStride = 0;
  uint32_t dstStride = 0;
  QuantParams quantParams;
  bool reluEn = false;
  Nz2NdParams nz2ndParams;
  uint8_t unitFlag = 0;

  FixpipeParams() = default;
  FixpipeParams(uint16_t count, uint16_t length, uint16_t src_stride, uint32_t dst_stride)
      : cburstNum(count), burstLen(length), srcStride(src_stride), dstStride(dst_stride) {}
};

enum class CO2Layout : uint8_t { NZ = 0, ROW_MAJOR };
struct FixpipeConfig {
  CO2Layout format = CO2Layout::ROW_MAJOR;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

struct FixpipeParamsV220 {
  uint16_t nSize = 0, mSize = 0, srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1, srcNdStride = 0, dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;

  FixpipeParamsV220() = default;
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu)
      : nSize(n), mSize(m), srcStride(src_stride), dstStride(dst_stride), reluEn(relu) {}
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu, QuantMode_t mode,
                    int64_t scale)
      : nSize(n),
        mSize(m),
        srcStride(src_stride),
        dstStride(dst_stride),
        quantPre(mode),
        deqScalar(static_cast<uint64_t>(scale)),
        reluEn(relu) {}
  FixpipeParamsV220(uint16_t n, uint16_t m, uint16_t src_stride, uint32_t dst_stride, bool relu, QuantMode_t mode,
                    int64_t scale, uint16_t number, uint16_t src_nd, uint16_t dst_nd)
      : nSize(n),
        mSize(m),
        srcStride(src_stride),
        dstStride(dst_stride),
        quantPre(mode),
        deqScalar(static_cast<uint64_t>(scale)),
        ndNum(number),
        srcNdStride(src_nd),
        dstNdStride(dst_nd),
        reluEn(relu) {}
};

}  // namespace AscendC
