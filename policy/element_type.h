#pragma once

#include <ATen/core/Tensor.h>
#include <c10/util/BFloat16.h>

namespace kg::policy {

// `visit` with an element of the type of `x`, fp32 or bf16.
template <typename Visit>
void for_type_of(const at::Tensor& x, Visit visit) {
  if (x.scalar_type() == at::kFloat)
    visit(float{});
  else
    visit(c10::BFloat16{});
}

}  // namespace kg::policy
