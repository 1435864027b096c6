#include "policy/model/cuda_layers.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include "policy/model/cuda_kernels.h"

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct SplitHeads : torch::autograd::Function<SplitHeads> {
  static variable_list forward(AutogradContext* context, const Variable& given, const Variable& cosine,
                               const Variable& sine, std::int64_t heads, std::int64_t kv_heads) {
    const at::Tensor joined = given.contiguous();
    const std::int64_t tokens = joined.size(0), d = 2 * cosine.size(1);
    const at::Tensor query = at::empty({tokens, heads, d}, joined.options()),
                     key = at::empty({tokens, kv_heads, d}, joined.options()), value = at::empty_like(key);
    cuda_split_heads(joined, cosine, sine, /*sign=*/1, query, key, value);
    context->save_for_backward({cosine, sine});
    return {query, key, value};
  }
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dq = upstream[0].contiguous(), dk = upstream[1].contiguous(), dv = upstream[2].contiguous();
    const std::int64_t d = dq.size(2);
    const at::Tensor djoined = at::empty({dq.size(0), (dq.size(1) + 2 * dk.size(1)) * d}, dq.options());
    cuda_split_heads(djoined, saved[0], saved[1], /*sign=*/-1, dq, dk, dv);
    return {djoined, Variable(), Variable(), Variable(), Variable()};
  }
};

struct JoinedSwiglu : torch::autograd::Function<JoinedSwiglu> {
  static Variable forward(AutogradContext* context, const Variable& given) {
    const at::Tensor joined = given.contiguous();
    const std::int64_t width = joined.size(1) / 2;
    const at::Tensor y = at::empty({joined.size(0), width}, joined.options());  // (T, F)
    cuda_swiglu(joined.narrow(1, 0, width), joined.narrow(1, width, width), y);
    context->save_for_backward({joined});
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const at::Tensor joined = context->get_saved_variables()[0], djoined = at::empty_like(joined);  // (T, 2 F)
    const std::int64_t width = joined.size(1) / 2;
    cuda_swiglu_backward(upstream[0].contiguous(), joined.narrow(1, 0, width), joined.narrow(1, width, width),
                         djoined.narrow(1, 0, width), djoined.narrow(1, width, width));
    return {djoined};
  }
};

}  // namespace

bool on_cuda(const at::Tensor& x) {
  return x.is_cuda() && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16) &&
         cuda_normalises(x.size(1));
}

Heads cuda_heads(const at::Tensor& joined, const Rotation& rotation, std::int64_t heads, std::int64_t kv_heads) {
  const variable_list made = SplitHeads::apply(joined, rotation.cosine, rotation.sine, heads, kv_heads);
  return {made[0], made[1], made[2]};
}

at::Tensor cuda_joined_swiglu(const at::Tensor& joined) { return JoinedSwiglu::apply(joined); }

}  // namespace kg::policy
