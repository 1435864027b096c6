#include "tiling/matmul_tiling.h"

#include <algorithm>
#include <tuple>

#include "npu/chip.h"

// The choice of a careful reader of the documentation: blocks that fill L0C and use both halves of L0A and
// L0B, and as many in L1 as fit. The library's own choices are not documented; any tiling within the limits gives
// the same numbers.

namespace matmul_tiling {
namespace {

constexpr int64_t kL0 = kg::npu::chip::kL0aBytes;
constexpr int32_t kBaseM = 128, kBaseN = 256;  // of a large matrix

int32_t up(int64_t value, int64_t unit) { return static_cast<int32_t>((value + unit - 1) / unit * unit); }
int32_t parts(int64_t value, int64_t unit) { return static_cast<int32_t>((value + unit - 1) / unit); }

int32_t bits_of(DataType type) {
  switch (type) {
    case DataType::DT_FLOAT:
    case DataType::DT_INT32:
      return 32;
    case DataType::DT_INT8:
    case DataType::DT_UINT8:
      return 8;
    case DataType::DT_INT4:
      return 4;
    case DataType::DT_INT64:
      return 64;
    default:
      return 16;
  }
}
int64_t bytes_of(DataType type, int64_t elements) { return elements * bits_of(type) / 8; }

}  // namespace

MatmulApiTilingBase::MatmulApiTilingBase() : MatmulApiTilingBase(platform_ascendc::PlatformAscendC(nullptr)) {}

MatmulApiTilingBase::MatmulApiTilingBase(const platform_ascendc::PlatformAscendC& platform) {
  const auto size = [&](platform_ascendc::CoreMemType type) {
    uint64_t bytes = 0;
    platform.GetCoreMemSize(type, bytes);
    return static_cast<int32_t>(bytes);
  };
  l1_ = size(platform_ascendc::CoreMemType::L1);
  l0c_ = size(platform_ascendc::CoreMemType::L0_C);
  ub_ = size(platform_ascendc::CoreMemType::UB);
  bt_ = size(platform_ascendc::CoreMemType::BT);
}

MatmulApiTilingBase::MatmulApiTilingBase(const PlatformInfo& platform) : MatmulApiTilingBase() {
  if (platform.l1Size != 0) l1_ = static_cast<int32_t>(platform.l1Size);
  if (platform.l0CSize != 0) l0c_ = static_cast<int32_t>(platform.l0CSize);
  if (platform.ubSize != 0) ub_ = static_cast<int32_t>(platform.ubSize);
}

int32_t MatmulApiTilingBase::SetAType(TPosition position, CubeFormat format, DataType type, bool isTrans) {
  a_ = {position, format, type, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetBType(TPosition position, CubeFormat format, DataType type, bool isTrans) {
  b_ = {position, format, type, isTrans};
  return 0;
}
int32_t MatmulApiTilingBase::SetCType(TPosition position, CubeFormat format, DataType type) {
  c_ = {position, format, type, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetBiasType(TPosition position, CubeFormat format, DataType type) {
  bias_type_ = {position, format, type, false};
  return 0;
}
int32_t MatmulApiTilingBase::SetShape(int32_t m, int32_t n, int32_t k) {
  m_ = m;
  n_ = n;
  k_ = k;
  return m > 0 && n > 0 && k > 0 ? 0 : -1;
}
int32_t MatmulApiTilingBase::SetOrgShape(int32_t orgM, int32_t orgN, int32_t orgKa, int32_t orgKb) {
  org_m_ = orgM;
  org_n_ = orgN;
  org_ka_ = orgKa;
  org_kb_ = orgKb;
  return orgM > 0 && orgN > 0 && orgKa > 0 && orgKb > 0 ? 0 : -1;
}
int32_t MatmulApiTilingBase::set(kg_BatchLayout& layout, const kg_BatchLayout& to) {
  layout = to;
  return to.b > 0 && to.s > 0 && to.n > 0 && to.g > 0 && to.d > 0 ? 0 : -1;
}
int32_t MatmulApiTilingBase::SetBatchNum(int32_t batch) {
  batch_ = batch;
  return batch > 0 ? 0 : -1;
}
int32_t MatmulApiTilingBase::SetBatchInfoForNormal(int32_t batchA, int32_t batchB, int32_t m, int32_t n, int32_t k) {
  if (set(a_layout_, {batchA, m, 1, 1, k}) != 0 || set(b_layout_, {batchB, n, 1, 1, k}) != 0) return -1;
  set(c_layout_, {std::max(batchA, batchB), m, 1, 1, n});
  return SetBatchNum(std::max(batchA, batchB));
}
int32_t MatmulApiTilingBase::SetSplitRange(int32_t maxBaseM, int32_t maxBaseN, int32_t maxBaseK, int32_t, int32_t,
                                           int32_t) {
  most_base_m_ = maxBaseM;
  most_base_n_ = maxBaseN;
  most_base_k_ = maxBaseK;
  return 0;
}
int32_t MatmulApiTilingBase::EnableBias(bool isBias) {
  bias_ = isBias;
  return 0;
}
int32_t MatmulApiTilingBase::SetFixSplit(int32_t baseM, int32_t baseN, int32_t baseK) {
  fixed_m_ = baseM;
  fixed_n_ = baseN;
  fixed_k_ = baseK;
  return 0;
}
int32_t MatmulApiTilingBase::SetBufferSpace(int32_t l1Size, int32_t l0cSize, int32_t ubSize, int32_t btSize) {
  if (l1Size > 0) l1_ = l1Size;
  if (l0cSize > 0) l0c_ = l0cSize;
  if (ubSize > 0) ub_ = ubSize;
  if (btSize > 0) bt_ = btSize;
  return 0;
}
int32_t MatmulApiTilingBase::SetTraverse(MatrixTraverse traverse) {
  traverse_ = traverse;
  return 0;
}

bool MatmulApiTilingBase::split_base() {
  const int64_t bits = bits_of(a_.type), c0 = 256 / bits;
  const int32_t m = up(single_m_, 16), n = up(single_n_, 16), k = up(single_k_, c0);
  // Page 0681: a fixed block is no larger than what a core has of that side, in whole fractals.
  if (fixed_m_ > m || fixed_n_ > up(single_n_, std::max<int64_t>(c0, 16))) return false;
  base_m_ = fixed_m_ > 0 ? fixed_m_ : std::min(m, kBaseM);
  base_n_ = fixed_n_ > 0 ? fixed_n_ : std::min(n, kBaseN);
  if (fixed_m_ <= 0 && most_base_m_ >= 16) base_m_ = std::min(base_m_, most_base_m_ / 16 * 16);
  if (fixed_n_ <= 0 && most_base_n_ >= 16) base_n_ = std::min(base_n_, most_base_n_ / 16 * 16);
  // A small side leaves its room to the other; C has 4 bytes an element.
  while (fixed_n_ <= 0 && int64_t{base_m_} * base_n_ * 4 > l0c_ && base_n_ > 16) base_n_ = up(base_n_ / 2, 16);
  while (fixed_m_ <= 0 && int64_t{base_m_} * base_n_ * 4 > l0c_ && base_m_ > 16) base_m_ = up(base_m_ / 2, 16);
  // C in UB must fit there as well.
  if (c_.position == TPosition::VECIN || c_.position == TPosition::VECCALC) {
    const int64_t c_size = bytes_of(c_.type, 1);
    while (fixed_n_ <= 0 && int64_t{base_m_} * base_n_ * c_size > ub_ && base_n_ > 16) base_n_ = up(base_n_ / 2, 16);
    while (fixed_m_ <= 0 && int64_t{base_m_} * base_n_ * c_size > ub_ && base_m_ > 16) base_m_ = up(base_m_ / 2, 16);
  }
  const int64_t widest = std::max(base_m_, base_n_);
  const auto most_k = static_cast<int32_t>(kL0 / 2 * 8 / bits / widest / c0 * c0);
  base_k_ = fixed_k_ > 0 ? fixed_k_ : std::min(k, std::max(most_k, static_cast<int32_t>(c0)));
  if (fixed_k_ <= 0 && most_base_k_ >= c0) base_k_ = std::min(base_k_, static_cast<int32_t>(most_base_k_ / c0 * c0));
  if (base_m_ <= 0 || base_n_ <= 0 || base_k_ <= 0 || int64_t{base_m_} * base_n_ * 4 > l0c_ ||
      bytes_of(a_.type, base_m_ * int64_t{base_k_}) > kL0 || bytes_of(a_.type, base_n_ * int64_t{base_k_}) > kL0)
    return false;
  buffers_c_ = int64_t{base_m_} * base_n_ * 8 <= l0c_ ? 2 : 1;
  // L1: pairs of steps of both sides, as long in K as fit.
  const int64_t bias_bytes = bias_ ? up(base_n_ * 4, 64) : 0;
  const int64_t a_block = bytes_of(a_.type, int64_t{base_m_} * base_k_),
                b_block = bytes_of(a_.type, int64_t{base_n_} * base_k_);
  int32_t steps = parts(single_k_, base_k_);
  while (steps > 1 && 2 * steps * (a_block + b_block) + bias_bytes > l1_) steps = parts(steps, 2);
  if (steps * (a_block + b_block) + bias_bytes > l1_) return false;
  const int32_t twice = 2 * steps * (a_block + b_block) + bias_bytes <= l1_ ? 2 : 1;
  step_ka_ = step_kb_ = steps;
  depth_a_ = depth_b_ = steps * twice;
  return true;
}

int64_t MatmulApiTilingBase::GetTiling(AscendC::tiling::TCubeTiling& t) {
  if (m_ <= 0 || n_ <= 0 || k_ <= 0 || a_.type != b_.type || !compute()) return -1;
  t = {};
  t.usedCoreNum = used_cores_;
  t.M = org_m_ > 0 ? org_m_ : m_;
  t.N = org_n_ > 0 ? org_n_ : n_;
  t.Ka = org_ka_ > 0 ? org_ka_ : k_;
  t.Kb = org_kb_ > 0 ? org_kb_ : k_;
  t.singleCoreM = single_m_;
  t.singleCoreN = single_n_;
  t.singleCoreK = single_k_;
  t.baseM = base_m_;
  t.baseN = base_n_;
  t.baseK = base_k_;
  t.depthA1 = depth_a_;
  t.depthB1 = depth_b_;
  t.stepM = t.stepN = 1;
  t.stepKa = step_ka_;
  t.stepKb = step_kb_;
  t.isBias = bias_;
  t.transLength = static_cast<int32_t>(bytes_of(a_.type, int64_t{std::max(base_m_, base_n_)} * base_k_));
  t.iterateOrder = traverse_ == MatrixTraverse::FIRSTN ? 1 : 0;
  t.shareL1Size =
      static_cast<int32_t>(bytes_of(a_.type, (int64_t{base_m_} * depth_a_ + int64_t{base_n_} * depth_b_) * base_k_));
  t.shareL0CSize = base_m_ * base_n_ * 4;
  t.batchM = t.batchN = t.singleBatchM = t.singleBatchN = 1;
  t.dbL0A = t.dbL0B = 2;
  t.dbL0C = buffers_c_;
  t.ALayoutInfoB = a_layout_.b;
  t.ALayoutInfoS = a_layout_.s;
  t.ALayoutInfoN = a_layout_.n;
  t.ALayoutInfoG = a_layout_.g;
  t.ALayoutInfoD = a_layout_.d;
  t.BLayoutInfoB = b_layout_.b;
  t.BLayoutInfoS = b_layout_.s;
  t.BLayoutInfoN = b_layout_.n;
  t.BLayoutInfoG = b_layout_.g;
  t.BLayoutInfoD = b_layout_.d;
  t.CLayoutInfoB = c_layout_.b;
  t.CLayoutInfoS1 = c_layout_.s;
  t.CLayoutInfoN = c_layout_.n;
  t.CLayoutInfoG = c_layout_.g;
  t.CLayoutInfoS2 = c_layout_.d;
  t.BatchNum = batch_;
  return 0;
}

int64_t MatmulApiTilingBase::GetTiling(optiling::TCubeTiling& tiling) {
  AscendC::tiling::TCubeTiling values;
  if (GetTiling(values) != 0) return -1;
#define KG_FIELD(name) tiling.set_##name(values.name);
  KG_MATMUL_TILING_FIELDS(KG_FIELD)
#undef KG_FIELD
  return 0;
}

bool MatmulApiTiling::compute() {
  single_m_ = m_;
  single_n_ = n_;
  single_k_ = k_;
  return split_base();
}

int32_t MultiCoreMatmulTiling::SetDim(int32_t dim) {
  cores_ = dim;
  return dim > 0 ? 0 : -1;
}
int32_t MultiCoreMatmulTiling::SetSingleShape(int32_t singleM, int32_t singleN, int32_t singleK) {
  single_set_ = true;
  single_m_ = singleM;
  single_n_ = singleN;
  single_k_ = asked_k_ = singleK;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetSingleRange(int32_t maxM, int32_t maxN, int32_t, int32_t, int32_t, int32_t) {
  most_m_ = maxM;
  most_n_ = maxN;
  return 0;
}
int32_t MultiCoreMatmulTiling::SetAlignSplit(int32_t alignM, int32_t alignN, int32_t) {
  if (alignM > 0) align_m_ = up(alignM, 16);
  if (alignN > 0) align_n_ = up(alignN, 16);
  return 0;
}
int32_t MultiCoreMatmulTiling::GetSingleShape(int32_t& singleM, int32_t& singleN, int32_t& singleK) const {
  singleM = single_m_;
  singleN = single_n_;
  singleK = single_k_;
  return 0;
}
int32_t MultiCoreMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim) const {
  dim = used_cores_;
  mDim = m_dim_;
  nDim = n_dim_;
  return 0;
}

// The grid that leaves the largest core the least to do; of equals the squarest part, which loads least. A kernel that
// fixes a side of its base block counts in such blocks: the fewest a core come first, then parts of one size, for
// kernels that know no tail, then whole blocks, for kernels that copy none but whole ones.
bool MultiCoreMatmulTiling::split_cores() {
  const bool fixed = fixed_m_ > 0 || fixed_n_ > 0;
  const int32_t block_m = fixed_m_ > 0 ? fixed_m_ : kBaseM, block_n = fixed_n_ > 0 ? fixed_n_ : kBaseN;
  using Cost = std::tuple<int64_t, bool, bool, int64_t, int64_t>;
  Cost best{-1, false, false, 0, 0};
  const auto consider = [&](int32_t part_m, int32_t part_n) {
    if ((most_m_ > 0 && part_m > most_m_) || (most_n_ > 0 && part_n > most_n_)) return;
    if (fixed_m_ > up(part_m, 16) || fixed_n_ > up(part_n, 16)) return;
    const int64_t blocks = int64_t{parts(part_m, block_m)} * parts(part_n, block_n);
    const bool has_tail = m_ % part_m != 0 || n_ % part_n != 0;
    const bool cuts_blocks = (fixed_m_ > 0 && part_m % fixed_m_ != 0) || (fixed_n_ > 0 && part_n % fixed_n_ != 0);
    const Cost cost{fixed ? blocks : 0, fixed && has_tail, cuts_blocks, int64_t{up(part_m, 16)} * up(part_n, 16),
                    int64_t{part_m} + part_n};
    if (std::get<0>(best) >= 0 && cost >= best) return;
    best = cost;
    single_m_ = part_m;
    single_n_ = part_n;
  };
  for (int32_t rows = 1; rows <= cores_; ++rows) {
    const int32_t m = parts(m_, rows), n = parts(n_, cores_ / rows);
    for (const int32_t unit_m : {align_m_, up(std::max(fixed_m_, 1), align_m_)})
      for (const int32_t unit_n : {align_n_, up(std::max(fixed_n_, 1), align_n_)})
        consider(std::min(up(m, unit_m), m_), std::min(up(n, unit_n), n_));
  }
  return std::get<0>(best) >= 0;
}

bool MultiCoreMatmulTiling::compute() {
  if (single_set_) {
    if (single_m_ <= 0) single_m_ = m_;
    if (single_n_ <= 0) single_n_ = n_;
  } else {
    if (!split_cores()) return false;
  }
  single_k_ = split_k_ && asked_k_ > 0 ? std::min(asked_k_, k_) : k_;
  m_dim_ = parts(m_, single_m_);
  n_dim_ = parts(n_, single_n_);
  used_cores_ = m_dim_ * n_dim_ * parts(k_, single_k_);
  return used_cores_ <= cores_ && split_base();
}

int32_t BatchMatmulTiling::GetCoreNum(int32_t& dim, int32_t& mDim, int32_t& nDim, int32_t& batchCoreM,
                                      int32_t& batchCoreN) const {
  batchCoreM = batchCoreN = 1;
  return GetCoreNum(dim, mDim, nDim);
}

}  // namespace matmul_tiling

namespace {

// L1 and L0C hold what the tiling says; the call needs no UB on this chip.
int32_t sizes_of(int32_t l1, int32_t l0c, matmul_tiling::SysTilingTempBufSize& sizes) {
  sizes = {0, l1, l0c};
  return l1 > 0 && l0c > 0 ? 0 : -1;
}

}  // namespace

int32_t MatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizes_of(tiling.get_shareL1Size(), tiling.get_shareL0CSize(), bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSize(optiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSize(tiling, bufSize);
}
int32_t MatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return sizes_of(tiling.shareL1Size, tiling.shareL0CSize, bufSize);
}
int32_t MultiCoreMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling,
                                       matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
int32_t BatchMatmulGetTmpBufSizeV2(AscendC::tiling::TCubeTiling& tiling, matmul_tiling::SysTilingTempBufSize& bufSize) {
  return MatmulGetTmpBufSizeV2(tiling, bufSize);
}
