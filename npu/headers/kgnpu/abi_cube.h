#pragma once

#include "abi.h"  // beside this file: kernels and the runtime have other include paths

// The calls of a cube core. Units are bytes unless a name says otherwise; the headers convert.

namespace kgnpu {

// GM row-major to L1 in fractals: row r, element e of matrix i goes to
//   i * dst_matrix_stride + (e / c0) * dst_c0_stride + r * dst_row_stride + e % c0, with c0 elements in 32 bytes.
struct NdToNzCall {
  const char* name = "DataCopy with Nd2NzParams";
  uint64_t gm = 0;
  const Local* local = nullptr;
  int64_t matrices = 1;
  int64_t rows = 0;
  int64_t row_bytes = 0;
  int64_t src_matrix_stride = 0;
  int64_t src_row_stride = 0;
  int64_t dst_c0_stride = 0;
  int64_t dst_row_stride = 0;
  int64_t dst_matrix_stride = 0;
  int32_t line = 0;
};

// LoadData with LoadData2DParams, and LoadDataWithTranspose. Fractals of 512 bytes.
struct LoadFractalsCall {
  const char* name = "LoadData";
  const Local* dst = nullptr;
  const Local* src = nullptr;  // null: from GM
  uint64_t gm = 0;
  int32_t element_bytes = 2;
  int32_t start = 0;  // first fractal (or square of LoadDataWithTranspose) in the source
  int32_t repeat = 0;
  int32_t src_stride = 0;      // in fractals or squares
  int32_t dst_gap = 0;         // in fractals, from the end of one to the start of the next
  int32_t dst_square_gap = 0;  // the same inside a square
  uint8_t transpose = 0;
  uint8_t squares = 0;  // LoadDataWithTranspose
  uint8_t decreasing = 0;
  int32_t line = 0;
};

// LoadData with LoadData3DParamsV2: image to columns, L1 to L0A or L0B.
struct LoadImageCall {
  const Local* dst = nullptr;
  const Local* src = nullptr;
  int32_t element_bytes = 2;
  uint8_t pad[4] = {0, 0, 0, 0};  // left, right, top, bottom
  uint16_t height = 0, width = 0, channels = 0;
  uint16_t k_extent = 0, m_extent = 0, k_start = 0, m_start = 0;
  uint16_t stride_w = 1, stride_h = 1, filter_w = 1, filter_h = 1, dilation_w = 1, dilation_h = 1;
  uint8_t transpose = 0;
  uint8_t keep_shape = 0;  // pad, height and width come from SetFmatrix (for right_matrix, from its right form)
  uint8_t keep_padding_value = 0;
  uint8_t right_matrix = 0;
  uint64_t padding_value = 0;
  int32_t line = 0;
};

enum class MatrixStart : uint8_t { kZero, kAccumulator, kBiasTable };

struct MmadCall {
  const char* name = "Mmad";
  const Local* c = nullptr;
  const Local* a = nullptr;
  const Local* b = nullptr;
  const Local* bias = nullptr;  // if the matrix starts from the bias table
  Type c_type = Type::kFloat, a_type = Type::kHalf;
  uint16_t m = 0, n = 0, k = 0;
  MatrixStart start = MatrixStart::kZero;
  uint8_t unit_flag = 0;
  uint8_t k_in_sixteens = 0;  // kDirectionAlign
  int32_t line = 0;
};

struct FixpipeCall {
  const char* name = "Fixpipe";
  uint64_t gm = 0;
  const Local* local = nullptr;  // the destination if it is L1
  const Local* src = nullptr;
  const Local* scales = nullptr;  // one 64-bit word per column
  Type dst_type = Type::kFloat, src_type = Type::kFloat;
  uint8_t quantisation = 0;  // QuantMode_t
  uint8_t row_major = 1;     // layout of the output; otherwise fractals
  uint8_t relu = 0, unit_flag = 0, split_channels = 0;
  int64_t m = 0, n = 0;
  int64_t src_stride = 0;  // distance between the columns of fractals, in units of 16 elements
  int64_t dst_stride = 0;  // elements of a row, or units of 32 bytes between the columns of fractals
  int64_t matrices = 1;
  int64_t src_matrix_stride = 0;  // in fractals of 16 x 16
  int64_t dst_matrix_stride = 0;  // elements
  uint64_t scale = 0;
  uint8_t register_scales = 0;  // scale and scales are those of kgnpu_set_fixpipe_scale and kgnpu_set_fixpipe_scales
  int32_t line = 0;
};

struct FillCall {  // InitConstValue
  const Local* dst = nullptr;
  int32_t element_bytes = 2;
  int32_t repeat = 1;
  int32_t blocks = 0;  // number of blocks: of 32 bytes in L1, of 512 in L0A and L0B
  int32_t gap = 0;
  uint64_t value = 0;
  int32_t line = 0;
};

struct TableCopyCall {  // L1 to the bias table or to the fixpipe's parameters
  const char* name = "DataCopy from L1";
  const Local* dst = nullptr;
  const Local* src = nullptr;
  Type dst_type = Type::kFloat, src_type = Type::kFloat;
  int64_t blocks = 1;
  int64_t block_units = 0;  // size of the destination's units: 64 bytes in BT, 128 in FB
  int64_t src_gap = 0;      // in units of 32 bytes
  int64_t dst_gap = 0;      // in the destination's unit
  int32_t line = 0;
};

}  // namespace kgnpu

extern "C" {
void kgnpu_copy_nd_to_nz(const kgnpu::NdToNzCall* call);
void kgnpu_copy_to_table(const kgnpu::TableCopyCall* call);
void kgnpu_load_fractals(const kgnpu::LoadFractalsCall* call);
void kgnpu_load_image(const kgnpu::LoadImageCall* call);
void kgnpu_set_image(uint16_t height, uint16_t width, const uint8_t* pad, int right);
void kgnpu_set_image_padding(uint64_t value);
// An image in L1 goes on at address 0 behind this one; 0: nowhere.
void kgnpu_set_image_boundary(uint32_t bytes, int line);
void kgnpu_set_image_repeat(uint32_t times, int line);
void kgnpu_fill_matrix(const kgnpu::FillCall* call);
void kgnpu_mmad(const kgnpu::MmadCall* call);
void kgnpu_fixpipe(const kgnpu::FixpipeCall* call);
// Registers of the fixpipe: the scale of all columns, and the tensor of one scale for each (SetFixPipeConfig).
void kgnpu_set_fixpipe_scale(uint64_t scale);
void kgnpu_set_fixpipe_scales(const kgnpu::Local* scales, int line);
// The register for row-major output of L0C (SetFixpipeNz2ndFlag, set_nd_para), and its content for a call that needs
// it.
void kgnpu_set_nd_para(uint64_t config);
uint64_t kgnpu_nd_para(const char* name, int line);
}
