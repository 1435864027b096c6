#pragma once

#include "kgnpu/abi_matmul.h"
#include "kgnpu/cube_params.h"
#include "kgnpu/library_tiling.h"
#include "kgnpu/matmul_tiling_data.h"
#include "kgnpu/pipe.h"

// The Matmul object. It stores shapes and the position of the next block; each product is one runtime call, which
// runs it on the group's cube core on behalf of the calling vector core.

// Tiling structures under the names used on the host.
namespace AscendC::tiling {
#define KG_NAME(name, fields) using ::name;
KG_LIBRARY_TILINGS(KG_NAME)
#undef KG_NAME
using ::TCubeTiling;
}  // namespace AscendC::tiling

enum class CubeFormat : uint8_t { ND = 0, NZ, ZN, ZZ, NN, VECTOR, ND_ALIGN, SCALAR };
enum class LayoutMode : uint8_t { NONE = 0, BSNGD, SBNGD, BNGS1S2, NORMAL };

struct MatmulConfig {
  bool doNorm = true, doBasicBlock = false, doMultiDataLoad = false;
  uint32_t basicM = 0, basicN = 0, basicK = 0;
  bool intrinsicsCheck = false, isNBatch = false, enVecND2NZ = false, doSpecialBasicBlock = false;
  uint32_t doMTE2Preload = 0;
  uint32_t singleCoreM = 0, singleCoreN = 0, singleCoreK = 0;
  uint32_t stepM = 0, stepN = 0, baseMN = 0, singleCoreMN = 0;
  bool enUnitFlag = true, isPerTensor = false, hasAntiQuantOffset = false, doIBShareNorm = false, doSpecialMDL = false;
  bool enableInit = true;
  uint32_t batchMode = 0;
  bool enableEnd = true, enableGetTensorC = true, enableSetOrgShape = true, enableSetBias = true, enableSetTail = true;
  bool enableQuantVector = true, enableSetDefineData = true;
};

constexpr MatmulConfig kg_multi_data_config() {
  MatmulConfig config;
  config.doNorm = false;
  config.doMultiDataLoad = true;
  return config;
}
constexpr MatmulConfig kg_shared_config() {
  MatmulConfig config;
  config.doIBShareNorm = true;
  return config;
}
constexpr MatmulConfig CFG_NORM = {};
constexpr MatmulConfig CFG_MDL = kg_multi_data_config();
constexpr MatmulConfig CFG_IBSHARE_NORM = kg_shared_config();
constexpr MatmulConfig MM_CFG_BB = {};

constexpr MatmulConfig GetNormalConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                       const bool isVecND2NZ = false, const uint32_t batchMode = 0,
                                       const bool isMsgReuse = true, const uint32_t = 0, const uint32_t = 0,
                                       const bool enUnitFlag = true) {
  MatmulConfig config;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.enVecND2NZ = isVecND2NZ;
  config.batchMode = batchMode;
  config.enableInit = isMsgReuse;
  config.enUnitFlag = enUnitFlag;
  return config;
}
constexpr MatmulConfig GetIBShareNormConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                            const bool isVecND2NZ = false, const uint32_t batchMode = 0,
                                            const bool isDoubleCache = false, const bool enUnitFlag = true) {
  static_cast<void>(isDoubleCache);
  MatmulConfig config =
      GetNormalConfig(intrinsicsLimit, batchLoop, isVecND2NZ, batchMode, MatmulConfig().enableInit, 0, 0, enUnitFlag);
  config.doIBShareNorm = true;
  return config;
}
constexpr MatmulConfig GetMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                    const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                    const bool isPerTensor = false, const bool hasAntiQuantOffset = false,
                                    const bool enUnitFlag = false, const bool = true, const bool = true) {
  MatmulConfig config = kg_multi_data_config();
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  config.doMTE2Preload = doMTE2Preload;
  config.enVecND2NZ = isVecND2NZ;
  config.isPerTensor = isPerTensor;
  config.hasAntiQuantOffset = hasAntiQuantOffset;
  config.enUnitFlag = enUnitFlag;
  return config;
}

// For blocks of the same size.
constexpr MatmulConfig kg_basic_config(uint32_t m, uint32_t n, uint32_t k) {
  MatmulConfig config;
  config.doNorm = false;
  config.basicM = m;
  config.basicN = n;
  config.basicK = k;
  return config;
}
constexpr MatmulConfig GetBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                      const bool intrinsicsLimit = false, const bool batchLoop = false,
                                      const uint32_t = 0) {
  MatmulConfig config = kg_basic_config(basicM, basicN, basicK);
  config.doBasicBlock = true;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  return config;
}
constexpr MatmulConfig GetSpecialBasicConfig(const uint32_t basicM, const uint32_t basicN, const uint32_t basicK,
                                             const uint32_t singleCoreM, const uint32_t singleCoreN,
                                             const uint32_t singleCoreK, const uint32_t stepM, const uint32_t stepN,
                                             const bool intrinsicsLimit = false, const bool batchLoop = false,
                                             const uint32_t = 0) {
  MatmulConfig config = kg_basic_config(basicM, basicN, basicK);
  config.doSpecialBasicBlock = true;
  config.singleCoreM = singleCoreM;
  config.singleCoreN = singleCoreN;
  config.singleCoreK = singleCoreK;
  config.stepM = stepM;
  config.stepN = stepN;
  config.intrinsicsCheck = intrinsicsLimit;
  config.isNBatch = batchLoop;
  return config;
}
constexpr MatmulConfig GetSpecialMDLConfig(const bool intrinsicsLimit = false, const bool batchLoop = false,
                                           const uint32_t doMTE2Preload = 0, const bool isVecND2NZ = false,
                                           const bool isPerTensor = false, const bool hasAntiQuantOffset = false) {
  MatmulConfig config =
      GetMDLConfig(intrinsicsLimit, batchLoop, doMTE2Preload, isVecND2NZ, isPerTensor, hasAntiQuantOffset);
  config.doMultiDataLoad = false;
  config.doSpecialMDL = true;
  return config;
}

namespace AscendC {

using ::CubeFormat;
using ::LayoutMode;

template <TPosition position, CubeFormat cube_format, typename TYPE, bool is_trans = false,
          LayoutMode layout_mode = LayoutMode::NONE, bool shared = false>
struct MatmulType {
  static constexpr TPosition pos = position;
  static constexpr CubeFormat format = cube_format;
  using T = TYPE;
  static constexpr bool isTrans = is_trans;
  static constexpr LayoutMode layout = layout_mode;
  static constexpr bool ibShare = shared;
};

// Classes for a kernel's own copies of operands and result; here the object's own copies are used.
template <void (*DataCopyOut)(const __gm__ void*, const LocalTensor<int8_t>&, const void*, const uint64_t,
                              const uint64_t) = nullptr,
          void (*CopyA1)(const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t,
                         const uint64_t) = nullptr,
          void (*CopyB1)(const LocalTensor<int8_t>&, const __gm__ void*, int, int, int, int, const uint64_t,
                         const uint64_t) = nullptr>
struct MatmulCallBackFunc {
  static constexpr bool kg_is_plain = DataCopyOut == nullptr && CopyA1 == nullptr && CopyB1 == nullptr;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>>
class MatmulImpl {
  using A = typename A_TYPE::T;
  using B = typename B_TYPE::T;
  using C = typename C_TYPE::T;
  using Bias = typename BIAS_TYPE::T;
  static_assert((std::is_same_v<A, B> && ::kgnpu::is_one_of<A, half, bfloat16_t, float, int8_t>),
                "Matmul: A and B are both half, bfloat16_t, float or int8_t on this device");
  static_assert(::kgnpu::is_one_of<C, half, bfloat16_t, float, int32_t, int8_t, uint8_t>,
                "Matmul: C is half, bfloat16_t, float, int32_t, int8_t or uint8_t on this device");
  static_assert(MM_CB::kg_is_plain, "Matmul: callbacks (MatmulCallBackFunc) are not emulated yet");
  static_assert(A_TYPE::layout == LayoutMode::NONE && B_TYPE::layout == LayoutMode::NONE,
                "Matmul: batched layouts (LayoutMode other than NONE) are not emulated yet");

 public:
  void Init(const TCubeTiling* __restrict tiling, TPipe* = nullptr) {
    tiling_ = *tiling;
    SetOrgShape(tiling_.M, tiling_.N, tiling_.Ka, tiling_.Kb);
    SetSingleShape(tiling_.singleCoreM, tiling_.singleCoreN, tiling_.singleCoreK);
  }
  void Init(const __gm__ TCubeTiling* tiling, TPipe* pipe = nullptr) {
    TCubeTiling copy;
    for (uint32_t i = 0; i < sizeof(copy) / 4; ++i) ((int32_t*)&copy)[i] = ((const __gm__ int32_t*)tiling)[i];
    Init(&copy, pipe);
  }
  void SetOrgShape(int orgM, int orgN, int orgK) { SetOrgShape(orgM, orgN, orgK, orgK); }
  void SetOrgShape(int orgM, int orgN, int orgKa, int orgKb, int orgKc = 0) {
    org_m_ = orgM;
    org_n_ = orgN;
    org_ka_ = orgKa;
    org_kb_ = orgKb;
    org_kc_ = orgKc;
  }
  void SetSingleShape(int singleM, int singleN, int singleK) {
    m_ = singleM;
    n_ = singleN;
    k_ = singleK;
    restart();
  }
  void SetTail(int tailM = -1, int tailN = -1, int tailK = -1) {
    if (tailM != -1) m_ = tailM;
    if (tailN != -1) n_ = tailN;
    if (tailK != -1) k_ = tailK;
    restart();
  }
  void SetTensorA(const GlobalTensor<A>& gm, bool isTransposeA = false) {
    a_gm_ = gm.kg_address();
    a_transposed_ = isTransposeA;
    restart();
  }
  void SetTensorB(const GlobalTensor<B>& gm, bool isTransposeB = false) {
    b_gm_ = gm.kg_address();
    b_transposed_ = isTransposeB;
    restart();
  }
  void SetTensorA(const LocalTensor<A>& local, bool isTransposeA = false) {
    a_gm_ = 0;
    a_local_ = local.kg_view;
    a_transposed_ = isTransposeA;
    restart();
  }
  void SetTensorB(const LocalTensor<B>& local, bool isTransposeB = false) {
    b_gm_ = 0;
    b_local_ = local.kg_view;
    b_transposed_ = isTransposeB;
    restart();
  }
  void SetBias(const GlobalTensor<Bias>& gm) {
    bias_ = kInGm;
    bias_gm_ = gm.kg_address();
  }
  void SetBias(const LocalTensor<Bias>& local) {
    bias_ = kInLocal;
    bias_local_ = local.kg_view;
  }
  void ClearBias() { bias_ = kNone; }
  void DisableBias() { bias_ = kNone; }
  void SetQuantScalar(const uint64_t scale) {
    quantised_ = true;
    scale_ = scale;
    scales_ = 0;
  }
  void SetQuantVector(const GlobalTensor<uint64_t>& scales) {
    quantised_ = true;
    scales_ = scales.kg_address();
  }
  void SetHF32(bool = false, int32_t = 0) {}
  void SetSubBlockIdx(uint8_t) {}
  template <typename T>
  void SetWorkspace(GlobalTensor<T>&) {}
  template <typename T>
  void SetWorkspace(__gm__ const T*, int) {}
  void SetLocalWorkspace(const LocalTensor<uint8_t>&) {}
  template <typename T>
  void SetUserDefInfo(const T) {}
  template <typename T>
  void SetSelfDefineData(const T) {}

  // The next base block of C; false when all are done.
  template <bool sync = true>
  bool Iterate(bool enPartialSum = false, KG_WHERE) {
    (void)enPartialSum;
    if (m_ <= 0 || n_ <= 0 || tiling_.baseM <= 0 || tiling_.baseN <= 0) return false;
    const int blocks = m_blocks() * n_blocks();
    if (block_ + 1 >= blocks) {
      restart();
      return false;
    }
    ++block_;
    return true;
  }
  // The block chosen by Iterate; without sequential writing, at its place in C.
  template <bool sync = true>
  void GetTensorC(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false, KG_WHERE) {
    ::kgnpu::MatmulCall call = product(block_row(), block_column(), block_m(), block_n(), enAtomic, kg_where.line);
    to_gm(call, gm, enSequentialWrite);
    call.wait = sync;
    kgnpu_matmul(&call);
  }
  template <bool sync = true>
  void GetTensorC(const LocalTensor<C>& local, uint8_t enAtomic = 0, bool enSequentialWrite = false, KG_WHERE) {
    (void)enSequentialWrite;
    ::kgnpu::MatmulCall call = product(block_row(), block_column(), block_m(), block_n(), enAtomic, kg_where.line);
    to_local(call, local);
    kgnpu_matmul(&call);
  }
  template <bool sync = true>
  void IterateAll(const GlobalTensor<C>& gm, uint8_t enAtomic = 0, bool enSequentialWrite = false,
                  bool waitIterateAll = false, bool fakeMsg = false, KG_WHERE) {
    (void)waitIterateAll;
    if (fakeMsg || m_ <= 0 || n_ <= 0) return;
    ::kgnpu::MatmulCall call = product(0, 0, m_, n_, enAtomic, kg_where.line);
    to_gm(call, gm, enSequentialWrite);
    call.wait = sync;
    kgnpu_matmul(&call);
    restart();
  }
  template <bool sync = true>
  void IterateAll(const LocalTensor<C>& local, uint8_t enAtomic = 0, KG_WHERE) {
    if (m_ <= 0 || n_ <= 0) return;
    ::kgnpu::MatmulCall call = product(0, 0, m_, n_, enAtomic, kg_where.line);
    to_local(call, local);
    kgnpu_matmul(&call);
    restart();
  }
  void WaitIterateAll(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }
  void WaitGetTensorC(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }
  void End(KG_WHERE) { kgnpu_matmul_wait(kg_where.line); }

 private:
  enum BiasPlace : uint8_t { kNone, kInGm, kInLocal };

  void restart() { block_ = -1; }
  static int blocks_of(int size, int base) { return base > 0 ? (size + base - 1) / base : 1; }
  int m_blocks() const { return blocks_of(m_, tiling_.baseM); }
  int n_blocks() const { return blocks_of(n_, tiling_.baseN); }
  int at() const { return block_ < 0 ? 0 : block_; }
  // Along M first unless the tiling asks for N first.
  int block_row() const { return (tiling_.iterateOrder == 1 ? at() / n_blocks() : at() % m_blocks()) * tiling_.baseM; }
  int block_column() const {
    return (tiling_.iterateOrder == 1 ? at() % n_blocks() : at() / m_blocks()) * tiling_.baseN;
  }
  int block_m() const { return m_ - block_row() < tiling_.baseM ? m_ - block_row() : tiling_.baseM; }
  int block_n() const { return n_ - block_column() < tiling_.baseN ? n_ - block_column() : tiling_.baseN; }

  // Elements of K that are copied to L1 at a time: those of a base block, or of `steps` blocks by the MDL templates.
  int copied_k(int steps) const {
    const bool several = MM_CFG.doMultiDataLoad || MM_CFG.doSpecialMDL;
    const int64_t copied = int64_t{tiling_.baseK} * (several ? steps : 1);
    return copied > 0 && copied < k_ ? static_cast<int>(copied) : k_;
  }
  int kept_panels(int depth) const { return k_ > 0 ? static_cast<int>(int64_t{depth} * tiling_.baseK / k_) : 0; }

  ::kgnpu::MatmulCall product(int row, int column, int m, int n, uint8_t atomic, int line) const {
    constexpr auto format = [](CubeFormat f) { return static_cast<::kgnpu::MatrixFormat>(f); };
    ::kgnpu::MatmulCall call;
    call.m = m;
    call.n = n;
    call.k = k_;
    call.a.gm = a_gm_;
    call.a.local = a_gm_ == 0 ? &a_local_ : nullptr;
    call.a.type = ::kgnpu::TypeOf<A>::value;
    call.a.format = format(A_TYPE::format);
    call.a.transposed = a_transposed_;
    // A local operand contains only the part.
    const int whole_m = a_gm_ != 0 ? org_m_ : m_, whole_ka = a_gm_ != 0 ? org_ka_ : k_;
    call.a.rows = a_transposed_ ? whole_ka : whole_m;
    call.a.columns = a_transposed_ ? whole_m : whole_ka;
    call.a.row = row;
    call.b.gm = b_gm_;
    call.b.local = b_gm_ == 0 ? &b_local_ : nullptr;
    call.b.type = ::kgnpu::TypeOf<B>::value;
    call.b.format = format(B_TYPE::format);
    call.b.transposed = b_transposed_;
    const int whole_n = b_gm_ != 0 ? org_n_ : n_, whole_kb = b_gm_ != 0 ? org_kb_ : k_;
    call.b.rows = b_transposed_ ? whole_n : whole_kb;
    call.b.columns = b_transposed_ ? whole_kb : whole_n;
    call.b.column = column;
    call.c.type = ::kgnpu::TypeOf<C>::value;
    call.c.format = format(C_TYPE::format);
    call.bias.type = ::kgnpu::TypeOf<Bias>::value;
    call.bias.gm = bias_ == kInGm ? bias_gm_ : 0;
    call.bias.local = bias_ == kInLocal ? &bias_local_ : nullptr;
    call.bias.columns = n_;
    call.bias.rows = 1;
    call.bias.column = column;
    call.c.row = row;
    call.c.column = column;
    call.base_m = tiling_.baseM;
    call.base_n = tiling_.baseN;
    call.copied_ka = copied_k(tiling_.stepKa);
    call.copied_kb = copied_k(tiling_.stepKb);
    call.kept_a = kept_panels(tiling_.depthA1);
    call.kept_b = kept_panels(tiling_.depthB1);
    call.atomic = atomic;
    call.scale = scale_;
    call.scales = scales_;
    call.quantisation = static_cast<uint8_t>(quantisation());
    call.line = line;
    return call;
  }
  void to_gm(::kgnpu::MatmulCall& call, const GlobalTensor<C>& gm, bool sequential) const {
    call.c.gm = gm.kg_address();
    call.c.rows = sequential ? call.m : org_m_;
    call.c.columns = sequential ? call.n : org_kc_ != 0 ? org_kc_ : org_n_;
    if (sequential) call.c.row = call.c.column = 0;
  }
  static void to_local(::kgnpu::MatmulCall& call, const LocalTensor<C>& local) {
    call.c.local = &local.kg_view;
    call.c.row = call.c.column = 0;
    call.c.rows = call.m;
    call.c.columns = call.n;
  }
  ::QuantMode_t quantisation() const {
    constexpr bool integers = std::is_same_v<A, int8_t>, bytes = sizeof(C) == 1;
    if constexpr (integers && std::is_same_v<C, half>) return scales_ != 0 ? VDEQF16 : DEQF16;
    if constexpr (integers && bytes) return scales_ != 0 ? VREQ8 : REQ8;
    if constexpr (!integers && bytes) return scales_ != 0 ? VQF322B8_PRE : QF322B8_PRE;
    if constexpr (!integers && std::is_same_v<C, half>) return F322F16;
    if constexpr (!integers && std::is_same_v<C, bfloat16_t>) return F322BF16;
    return NoQuant;
  }

  TCubeTiling tiling_;
  int org_m_ = 0, org_n_ = 0, org_ka_ = 0, org_kb_ = 0, org_kc_ = 0;
  int m_ = 0, n_ = 0, k_ = 0;
  int block_ = -1;
  uint64_t a_gm_ = 0, b_gm_ = 0, bias_gm_ = 0, scale_ = 0, scales_ = 0;
  ::kgnpu::Local a_local_, b_local_, bias_local_;
  bool a_transposed_ = false, b_transposed_ = false, quantised_ = false;
  BiasPlace bias_ = kNone;
};

template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE = C_TYPE, const auto& MM_CFG = CFG_NORM,
          class MM_CB = MatmulCallBackFunc<>>
using Matmul = MatmulImpl<A_TYPE, B_TYPE, C_TYPE, BIAS_TYPE, MM_CFG, MM_CB>;

namespace kg_detail {

inline void regist_matmul() {}
template <typename Object>
inline void regist_matmul(Object&) {}
template <typename Object, typename Tiling, typename... Rest>
inline void regist_matmul(Object& object, Tiling* tiling, Rest&&... rest) {
  if (tiling != nullptr) object.Init(tiling);
  regist_matmul(rest...);
}
template <typename Object, typename Next, typename... Rest>
inline void regist_matmul(Object&, Next& next, Rest&&... rest) {
  regist_matmul(next, rest...);
}

}  // namespace kg_detail
}  // namespace AscendC

namespace matmul {
using namespace AscendC;
}

// In a mixed kernel the cube core serves its vector cores' objects from here on; the rest of the function does not
// apply to it.
#ifndef KG_MATMUL_REGISTERED
#define KG_MATMUL_REGISTERED
#define REGIST_MATMUL_OBJ(pipe, workspace, ...) \
  KG_REGIST_MATMUL_SERVE                        \
  ::AscendC::kg_detail::regist_matmul(__VA_ARGS__)
#define KG_REGIST_MATMUL_SERVE                          \
  if (KG_CUBE_ONLY_KERNEL) {                            \
    kgnpu_matmul_on_cube();                             \
  } else if (::AscendC::g_coreType == ::AscendC::AIC) { \
    return;                                             \
  }
// Whether the source has defined ASCENDC_CUBE_ONLY (as nothing) where an object is registered.
#define KG_IS_EMPTY(x) KG_IS_EMPTY_TEXT(x)
#define KG_IS_EMPTY_TEXT(x) (sizeof(#x) == 1 || (#x)[0] == '1')
#define KG_CUBE_ONLY_KERNEL KG_IS_EMPTY(ASCENDC_CUBE_ONLY)
#endif
