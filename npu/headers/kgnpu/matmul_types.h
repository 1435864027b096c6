#pragma once

#include "kgnpu/matmul_config.h"
#include "kgnpu/names.h"
#include "kgnpu/tiling_names.h"

// What the template of a Matmul object takes besides its switches: operands, a tiling known to the compiler, policies.

namespace AscendC {

using ::BatchMode;
using ::BatchOutMode;
using ::CFG_IBSHARE_NORM;
using ::CFG_MDL;
using ::CFG_NORM;
using ::CubeFormat;
using ::GetBasicConfig;
using ::GetIBShareNormConfig;
using ::GetMDLConfig;
using ::GetMMConfig;
using ::GetNormalConfig;
using ::GetSpecialBasicConfig;
using ::GetSpecialMDLConfig;
using ::IterateOrder;
using ::LayoutMode;
using ::MatmulBatchParams;
using ::MatmulConfig;
using ::MatmulConfigMode;
using ::MatmulFuncParams;
using ::MatmulQuantParams;
using ::MatmulShapeParams;
using ::MM_CFG_BB;
using ::ScheduleType;

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

struct MatrixOffset {
  int32_t offset = 0;
  int32_t row = 0, col = 0;
  int32_t height = 0, width = 0;
};

// Tiling known to the compiler (GetMatmulApiTiling), -1 where it is not, and the switches.
struct MatmulApiStaticTiling {
#define KG_FIELD(name) int32_t name = -1;
  KG_MATMUL_TILING_FIELDS(KG_FIELD)
#undef KG_FIELD
  MatmulConfig cfg = CFG_NORM;
};

namespace kg_detail {

constexpr const MatmulConfig& config_of(const MatmulConfig& config) { return config; }
constexpr const MatmulConfig& config_of(const MatmulApiStaticTiling& tiling) { return tiling.cfg; }
inline void fill_in(TCubeTiling&, const MatmulConfig&) {}
inline void fill_in(TCubeTiling& tiling, const MatmulApiStaticTiling& known) {
#define KG_FIELD(name) \
  if (known.name != -1) tiling.name = known.name;
  KG_MATMUL_TILING_FIELDS(KG_FIELD)
#undef KG_FIELD
}

}  // namespace kg_detail

// The shapes that `mmCFG` has: those of the base block, and of a core's part if they are there.
template <class A_TYPE, class B_TYPE, class C_TYPE, class BIAS_TYPE>
constexpr MatmulApiStaticTiling GetMatmulApiTiling(const MatmulConfig& mmCFG, int32_t l1Size = 512 * 1024) {
  MatmulApiStaticTiling tiling;
  tiling.cfg = mmCFG;
  const auto known = [](uint32_t size) { return size == 0 ? -1 : static_cast<int32_t>(size); };
  tiling.baseM = known(mmCFG.basicM);
  tiling.baseN = known(mmCFG.basicN);
  tiling.baseK = known(mmCFG.basicK);
  tiling.singleCoreM = known(mmCFG.singleCoreM);
  tiling.singleCoreN = known(mmCFG.singleCoreN);
  tiling.singleCoreK = known(mmCFG.singleCoreK);
  if (tiling.baseM < 0 || tiling.baseN < 0 || tiling.baseK < 0 || tiling.singleCoreM < 0 || tiling.singleCoreN < 0 ||
      tiling.singleCoreK < 0)
    return tiling;
  // As many blocks along K as L1 holds twice.
  const int64_t block = ::kgnpu::bytes_of<typename A_TYPE::T>(int64_t{tiling.baseM + tiling.baseN} * tiling.baseK);
  const int64_t all = (int64_t{tiling.singleCoreK} + tiling.baseK - 1) / tiling.baseK, most = l1Size / (2 * block);
  const int32_t steps = static_cast<int32_t>(most < 1 ? 1 : most < all ? most : all);
  tiling.stepKa = tiling.stepKb = steps;
  tiling.depthA1 = tiling.depthB1 = 2 * steps;
  tiling.stepM = tiling.stepN = 1;
  tiling.dbL0A = tiling.dbL0B = 2;
  tiling.dbL0C = 1;
  return tiling;
}

// How blocks are scheduled on a core. TrianUpper and TrianLower leave out the base blocks on the other side of C's
// diagonal; the others give the same numbers.
namespace Impl::Detail {
template <const auto& MM_CFG, typename...>
struct MatmulPolicy {};
template <const auto& MM_CFG, typename...>
struct NBuffer33MatmulPolicy {};
template <const auto& MM_CFG, typename...>
struct TrianUpperMatmulPolicy {};
template <const auto& MM_CFG, typename...>
struct TrianLowerMatmulPolicy {};
}  // namespace Impl::Detail

}  // namespace AscendC
