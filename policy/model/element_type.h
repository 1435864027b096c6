#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>

#include <cstdint>
#include <type_traits>
#include <vector>

#include "policy/model/train_kernels.h"

namespace kg::policy {

// Calls `visit` with an element of the type of `x`, fp32 or bf16.
template <typename Visit>
void for_type_of(const at::Tensor& x, Visit visit) {
  if (x.scalar_type() == at::kFloat)
    visit(float{});
  else
    visit(c10::BFloat16{});
}

// Elements in the form that loops use: bf16 as its bits.
inline float* elements(float* x) { return x; }
inline std::uint16_t* elements(c10::BFloat16* x) { return reinterpret_cast<std::uint16_t*>(x); }
inline const std::uint16_t* elements(const c10::BFloat16* x) { return reinterpret_cast<const std::uint16_t*>(x); }

// One row of a tensor as fp32: fp32 rows are used in place, others are converted to a buffer and back.
template <typename T>
class Row {
 public:
  explicit Row(std::int64_t n) : n_(n), buffer_(std::is_same_v<T, float> ? 0 : static_cast<std::size_t>(n)) {}
  const float* read(const T* from) {
    if constexpr (std::is_same_v<T, float>) return from;
    widen_row(reinterpret_cast<const std::uint16_t*>(from), n_, buffer_.data());
    return buffer_.data();
  }
  float* target(T* to) {
    if constexpr (std::is_same_v<T, float>) return to;
    return buffer_.data();
  }
  void write(T* to) {
    if constexpr (!std::is_same_v<T, float>) narrow_row(buffer_.data(), n_, reinterpret_cast<std::uint16_t*>(to));
  }

 private:
  std::int64_t n_;
  std::vector<float> buffer_;
};

}  // namespace kg::policy
