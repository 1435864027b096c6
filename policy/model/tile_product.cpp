#include "policy/model/tile_product.h"

#include <ATen/native/CPUBlas.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/from_blob.h>
#include <ATen/ops/mm.h>
#include <c10/util/Exception.h>

#include <array>

namespace kg::policy {
namespace {

using at::native::cpublas::brgemm;

// LibTorch does not report whether oneDNN has its product for a type on this CPU, but throws on a call if it does not.
template <typename T>
bool has_brgemm() {
  const std::array<T, 4> a{}, b{};
  std::array<float, 4> c;
  try {
    brgemm(2, 2, 2, 2, 2, 2, /*add_C=*/false, a.data(), b.data(), c.data(), std::is_same_v<T, c10::BFloat16>);
    at::native::cpublas::brgemm_release(std::is_same_v<T, c10::BFloat16>);
    return true;
  } catch (const c10::Error&) {
    return false;
  }
}

at::Tensor matrix(const float* data, std::int64_t rows, std::int64_t columns, std::int64_t stride) {
  return at::from_blob(const_cast<float*>(data), {rows, columns}, {stride, 1}, at::kFloat);
}

}  // namespace

bool float_products() {
  static const bool has = has_brgemm<float>();
  return has;
}

bool bfloat16_products() {
  static const bool has = has_brgemm<c10::BFloat16>();
  return has;
}

void tile_product(const TileShape& s, const float* a, const float* b, float* c, bool add) {
  if (float_products()) {
    brgemm(s.m, s.n, s.k, s.a_stride, s.n, s.c_stride, add, a, b, c, /*is_vnni=*/false);
    return;
  }
  const at::Tensor left = matrix(a, s.m, s.k, s.a_stride), right = matrix(b, s.k, s.n, s.n);
  at::Tensor result = matrix(c, s.m, s.n, s.c_stride);
  if (add)
    result.addmm_(left, right);
  else
    at::mm_out(result, left, right);
}

void tile_product(const TileShape& s, const c10::BFloat16* a, const c10::BFloat16* b, float* c, bool add) {
  brgemm(s.m, s.n, s.k, s.a_stride, s.n, s.c_stride, add, a, b, c, /*is_vnni=*/true);
}

void end_tile_products() { at::native::cpublas::brgemm_release(bfloat16_products()); }

}  // namespace kg::policy
