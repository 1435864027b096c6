#pragma once

#include <cstdint>

#include "../../kgnpu/matmul_tiling_data.h"
#include "register/tilingdata_base.h"
#include "tiling/platform/platform_ascendc.h"

// Host side of the Matmul object: its tiling data as a class with setters, and the functions that compute it.

namespace optiling {

class TCubeTiling : public TilingDef {
 public:
  TCubeTiling() : TilingDef("TCubeTiling") {}
  bool kg_is_library() const override { return true; }
#define KG_FIELD(name) TILING_DATA_FIELD_DEF(int32_t, name)
  KG_MATMUL_TILING_FIELDS(KG_FIELD)
#undef KG_FIELD
};

}  // namespace optiling

namespace matmul_tiling {

enum class TPosition : uint32_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  MAX
};
enum class CubeFormat : uint32_t { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN, SCALAR };
enum class DataType : int32_t {
  DT_FLOAT = 0,
  DT_FLOAT16 = 1,
  DT_INT8 = 2,
  DT_INT32 = 3,
  DT_UINT8 = 4,
  DT_INT64 = 9,
  DT_BF16 = 27,
  DT_BFLOAT16 = 27,
  DT_INT4 = 29
};
enum class DequantType : int32_t { SCALAR = 0, TENSOR = 1 };
enum class MatrixTraverse : int32_t { NOSET = 0, FIRSTM = 1, FIRSTN = 2 };
enum class MatrixMadType : int32_t { NORMAL = 0, HF32 = 1, MXMODE = 2 };
enum class ScheduleType : int32_t { INNER_PRODUCT = 0, OUTER_PRODUCT = 1, N_BUFFER_33 = 2 };

// The platform's memories, for a tiling that does not query PlatformAscendC.
struct PlatformInfo {
  platform_ascendc::SocVersion socVersion = platform_ascendc::SocVersion::ASCEND910B;
  uint64_t l1Size = 0, l0CSize = 0, ubSize = 0, l0ASize = 0, l0BSize = 0;
};

// For SetMatmulConfigParams: 0 is the Norm template of the kernel, 1 the MDL template.
struct MatmulConfigParams {
  int32_t mmConfigType = 1;
  bool enableL1CacheUB = false;
  ScheduleType scheduleType = ScheduleType::INNER_PRODUCT;
  MatrixTraverse traverse = MatrixTraverse::NOSET;
  bool enVecND2NZ = false;
};

// What a product takes besides its operands, in bytes.
struct SysTilingTempBufSize {
  int32_t ubSize = 0;
  int32_t l1Size = 0;
  int32_t l0cSize = 0;
};

// B, S, N, G and D of an operand of a batch (LayoutMode).
struct kg_BatchLayout {
  int32_t b = 0, s = 0, n = 0, g = 0, d = 0;
};

// One operand: its memory, its layout and its element type.
struct kg_Matrix {
  TPosition position = TPosition::GM;
  CubeFormat format = CubeFormat::ND;
  DataType type = DataType::DT_FLOAT16;
  bool transposed = false;
};

class MatmulApiTilingBase {
 public:
  MatmulApiTilingBase();
  explicit MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform);
  explicit MatmulApiTilingBase(const PlatformInfo& platform);
  virtual ~MatmulApiTilingBase() {}  // a function of the host, also where a kernel is compiled beside it

  int32_t SetAType(TPosition position, CubeFormat format, DataType type, bool isTrans = false);
  int32_t SetBType(TPosition position, CubeFormat format, DataType type, bool isTrans = false);
  int32_t SetCType(TPosition position, CubeFormat format, DataType type);
  int32_t SetBiasType(TPosition position, CubeFormat format, DataType type);
  int32_t SetDequantType(DequantType) { return 0; }
  virtual int32_t SetShape(int32_t m, int32_t n, int32_t k);
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgK) { return SetOrgShape(orgM, orgN, orgK, orgK); }
  int32_t SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb);
  int32_t SetALayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return set(a_layout_, {b, s, n, g, d}); }
  int32_t SetBLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return set(b_layout_, {b, s, n, g, d}); }
  int32_t SetCLayout(int32_t b, int32_t s, int32_t n, int32_t g, int32_t d) { return set(c_layout_, {b, s, n, g, d}); }
  int32_t SetBatchNum(int32_t batch);
  // Matrices of A and of B that lie one behind the other (LayoutMode::NORMAL).
  int32_t SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k);
  int32_t SetBias(bool isBias = false) { return EnableBias(isBias); }
  int32_t EnableBias(bool isBias = false);
  int32_t SetFixSplit(int32_t baseM = -1, int32_t baseN = -1, int32_t baseK = -1);
  int32_t SetBufferSpace(int32_t l1Size = -1, int32_t l0cSize = -1, int32_t ubSize = -1, int32_t btSize = -1);
  int32_t SetTraverse(MatrixTraverse traverse);
  int32_t SetMadType(int32_t) { return 0; }
  int32_t SetMadType(MatrixMadType madType) { return madType == MatrixMadType::MXMODE ? -1 : 0; }  // not on this chip
  int32_t SetSplitRange(int32_t maxBaseM = -1, int32_t maxBaseN = -1, int32_t maxBaseK = -1, int32_t minBaseM = -1,
                        int32_t minBaseN = -1, int32_t minBaseK = -1);
  int32_t SetDoubleBuffer(bool, bool, bool, bool, bool = true, bool = true) { return 0; }
  int32_t SetSparse(bool isSparse = false) { return isSparse ? -1 : 0; }  // no sparse matrices here
  void SetMatmulConfigParams(int32_t mmConfigTypeIn = 1, bool enableL1CacheUBIn = false,
                             ScheduleType scheduleTypeIn = ScheduleType::INNER_PRODUCT,
                             MatrixTraverse traverseIn = MatrixTraverse::NOSET, bool enVecND2NZIn = false) {
    SetMatmulConfigParams({mmConfigTypeIn, enableL1CacheUBIn, scheduleTypeIn, traverseIn, enVecND2NZIn});
  }
  void SetMatmulConfigParams(const MatmulConfigParams& configParams) {
    if (configParams.traverse != MatrixTraverse::NOSET) traverse_ = configParams.traverse;
  }
  int32_t GetBaseM() const { return base_m_; }
  int32_t GetBaseN() const { return base_n_; }
  int32_t GetBaseK() const { return base_k_; }
  // For the kernel's MatmulConfig::enableL1BankConflictOptimise: L1 has no banks here.
  bool EnableL1BankConflictOptimise() { return false; }
  // 0, or -1 if no tiling fits.
  virtual int64_t GetTiling(optiling::TCubeTiling& tiling);
  int64_t GetTiling(AscendC::tiling::TCubeTiling& tiling);

 protected:
  virtual bool compute() = 0;
  bool split_base();  // chooses baseM, baseN, baseK and the depths in L1, for the shape of one core

  static int32_t set(kg_BatchLayout& layout, const kg_BatchLayout& to);

  kg_BatchLayout a_layout_, b_layout_, c_layout_;
  int32_t batch_ = 0, most_base_m_ = -1, most_base_n_ = -1, most_base_k_ = -1;
  kg_Matrix a_, b_, c_, bias_type_;
  bool bias_ = false;
  int32_t m_ = 0, n_ = 0, k_ = 0;
  int32_t org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0;
  int32_t single_m_ = 0, single_n_ = 0, single_k_ = 0;
  int32_t fixed_m_ = -1, fixed_n_ = -1, fixed_k_ = -1;
  int32_t l1_ = 0, l0c_ = 0, ub_ = 0, bt_ = 0;  // sizes of the platform's memories
  int32_t base_m_ = 0, base_n_ = 0, base_k_ = 0;
  int32_t step_ka_ = 1, step_kb_ = 1, depth_a_ = 1, depth_b_ = 1, buffers_c_ = 1;
  int32_t cores_ = 1, used_cores_ = 1;
  MatrixTraverse traverse_ = MatrixTraverse::NOSET;
};

// One core.
class MatmulApiTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;

 protected:
  bool compute() override;
};

// The cores share M and N.
class MultiCoreMatmulTiling : public MatmulApiTilingBase {
 public:
  using MatmulApiTilingBase::MatmulApiTilingBase;
  int32_t SetDim(int32_t dim);
  int32_t SetSingleShape(int32_t singleM = -1, int32_t singleN = -1, int32_t singleK = -1);
  int32_t SetSingleRange(int32_t maxM = -1, int32_t maxN = -1, int32_t maxK = -1, int32_t minM = -1, int32_t minN = -1,
                         int32_t minK = -1);
  int32_t SetAlignSplit(int32_t alignM, int32_t alignN, int32_t alignK);
  // Allows parts of K on different cores: the singleK of SetSingleShape. Without one a core has all of K.
  void EnableMultiCoreSplitK(bool flag) { split_k_ = flag; }
  void SetSplitK(bool flag) { EnableMultiCoreSplitK(flag); }  // the older name
  int32_t GetSingleShape(int32_t& singleM, int32_t& singleN, int32_t& singleK) const;
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const;

 protected:
  bool compute() override;

 private:
  bool split_cores();  // chooses the part of M and of N of one core
  bool single_set_ = false, split_k_ = false;
  int32_t asked_k_ = -1;
  int32_t align_m_ = 16, align_n_ = 16, most_m_ = -1, most_n_ = -1;
  int32_t m_dim_ = 1, n_dim_ = 1;
};

// Of a product of batches. The cores share M and N; each does all batches.
class BatchMatmulTiling : public MultiCoreMatmulTiling {
 public:
  using MultiCoreMatmulTiling::GetCoreNum;
  using MultiCoreMatmulTiling::MultiCoreMatmulTiling;
  int32_t GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM, int32_t& batchCoreN) const;
};

}  // namespace matmul_tiling

// Of a tiling that GetTiling has filled in; 0, or -1 if it is empty.
int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize);
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize);
