#include "policy/model/fused_layers.h"

#include <ATen/Parallel.h>
#include <ATen/ops/_fused_rms_norm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/zeros.h>
#include <ATen/ops/zeros_like.h>
#include <torch/csrc/autograd/custom_function.h>

#include <algorithm>

#include "policy/model/cuda_kernels.h"
#include "policy/model/element_type.h"
#include "policy/model/train_kernels.h"

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

constexpr std::int64_t kRowsOfATask = 16;

template <typename T>
T* data(const at::Tensor& x) {
  return x.mutable_data_ptr<T>();
}

// x (T, C) -> y (T, C) = rms_norm(x), with x + added, which goes to `sum`, for x where `added` is defined: rows are
// read once for both. Returns the factors 1 / sqrt(mean square + epsilon), (T) fp32.
at::Tensor norm_rows(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon,
                     const at::Tensor& sum, const at::Tensor& y) {
  if (x.is_cuda()) return cuda_rms_norm(x, added, weight, epsilon, sum, y);
  const at::Tensor wide = weight.to(at::kFloat);  // (C)
  const std::int64_t rows = x.size(0), n = x.size(1);
  const at::Tensor factors = at::empty({rows}, wide.options());  // (T)
  for_type_of(x, [&](auto element) {
    using T = decltype(element);
    const T* const second = added.defined() ? data<T>(added) : nullptr;
    T *const in = data<T>(second != nullptr ? sum : x), *const out = data<T>(y);
    at::parallel_for(0, rows, kRowsOfATask,
                     [&, first = data<T>(x), factor = data<float>(factors)](std::int64_t begin, std::int64_t end) {
                       Row<T> one(n), other(n), total(n), from(n), to(n);
                       for (std::int64_t i = begin; i < end; ++i) {
                         const std::int64_t at = i * n;
                         if (second != nullptr) {
                           float* const added_up = total.target(in + at);
                           std::copy_n(one.read(first + at), n, added_up);
                           add_row(other.read(second + at), n, added_up);
                           total.write(in + at);
                         }
                         factor[i] = rms_norm_row(from.read(in + at), data<float>(wide), n, static_cast<float>(epsilon),
                                                  to.target(out + at));
                         to.write(out + at);
                       }
                     });
  });
  return factors;
}

// dx (T, C), with dsum added where it is defined; returns dweight (C).
at::Tensor norm_rows_backward(const at::Tensor& dy, const at::Tensor& x, const at::Tensor& weight,
                              const at::Tensor& factors, const at::Tensor& dsum, const at::Tensor& dx) {
  if (x.is_cuda()) return cuda_rms_norm_backward(dy, x, weight, factors, dsum, dx);
  const at::Tensor wide = weight.to(at::kFloat);  // (C)
  const std::int64_t rows = x.size(0), n = x.size(1);
  // Each thread has its own sum, so the result depends only on the number of threads.
  const at::Tensor sums = at::zeros({at::get_num_threads(), n}, wide.options());  // (threads, C)
  for_type_of(x, [&](auto element) {
    using T = decltype(element);
    const T* const further = dsum.defined() ? data<T>(dsum) : nullptr;
    at::parallel_for(0, rows, kRowsOfATask, [&, factor = data<float>(factors)](std::int64_t begin, std::int64_t end) {
      Row<T> from(n), above(n), beside(n), to(n);
      float* sum = data<float>(sums) + at::get_thread_num() * n;
      for (std::int64_t i = begin; i < end; ++i) {
        const std::int64_t at = i * n;
        float* const gradient = to.target(data<T>(dx) + at);
        rms_norm_row_backward(above.read(data<T>(dy) + at), from.read(data<T>(x) + at), data<float>(wide), factor[i], n,
                              gradient, sum);
        if (further != nullptr) add_row(beside.read(further + at), n, gradient);
        to.write(data<T>(dx) + at);
      }
    });
  });
  return sums.sum(0).to(weight.scalar_type());
}

struct RmsNorm : torch::autograd::Function<RmsNorm> {
  static Variable forward(AutogradContext* context, const Variable& given, const Variable& weight, double epsilon) {
    const at::Tensor x = given.contiguous(), y = at::empty_like(x);  // (T, C)
    context->save_for_backward({x, weight, norm_rows(x, /*added=*/{}, weight, epsilon, /*sum=*/{}, y)});
    return y;
  }
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dx = at::empty_like(saved[0]);  // (T, C)
    const at::Tensor dweight =
        norm_rows_backward(upstream[0].contiguous(), saved[0], saved[1], saved[2], /*dsum=*/{}, dx);  // (C)
    return {dx, dweight, Variable()};
  }
};

struct AddRmsNorm : torch::autograd::Function<AddRmsNorm> {
  static variable_list forward(AutogradContext* context, const Variable& x, const Variable& added,
                               const Variable& weight, double epsilon) {
    const at::Tensor from = x.contiguous(), sum = at::empty_like(from), y = at::empty_like(from);  // (T, C)
    context->save_for_backward({sum, weight, norm_rows(from, added.contiguous(), weight, epsilon, sum, y)});
    return {sum, y};
  }
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor dsum = upstream[0].defined() ? upstream[0].contiguous() : at::Tensor(),
                     dy = upstream[1].defined() ? upstream[1].contiguous() : at::zeros_like(saved[0]),
                     dx = at::empty_like(saved[0]);                                             // (T, C) each
    const at::Tensor dweight = norm_rows_backward(dy, saved[0], saved[1], saved[2], dsum, dx);  // (C)
    return {dx, dx, dweight, Variable()};
  }
};

// given (T, H, D), cosine and sine (T, D/2) -> (T, H, D).
at::Tensor rotated(const at::Tensor& given, const at::Tensor& cosine, const at::Tensor& sine, float sign) {
  const at::Tensor x = given.contiguous(), y = at::empty_like(x);  // (T, H, D)
  if (x.is_cuda()) {
    cuda_rotate(x, cosine, sine, sign, y);
    return y;
  }
  const std::int64_t rows = x.size(0), heads = x.size(1), half = x.size(2) / 2, n = heads * half * 2;
  for_type_of(x, [&](auto element) {
    using T = decltype(element);
    at::parallel_for(0, rows, kRowsOfATask,
                     [&, in = data<T>(x), out = data<T>(y)](std::int64_t begin, std::int64_t end) {
                       Row<T> from(n), to(n);
                       for (std::int64_t i = begin; i < end; ++i) {
                         rotate_row(from.read(in + i * n), data<float>(cosine) + i * half, data<float>(sine) + i * half,
                                    heads, half, sign, to.target(out + i * n));
                         to.write(out + i * n);
                       }
                     });
  });
  return y;
}

struct Rotate : torch::autograd::Function<Rotate> {
  static Variable forward(AutogradContext* context, const Variable& x, const Variable& cosine, const Variable& sine) {
    context->save_for_backward({cosine, sine});
    return rotated(x, cosine, sine, /*sign=*/1.0f);
  }
  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    return {rotated(upstream[0], saved[0], saved[1], /*sign=*/-1.0f), Variable(), Variable()};  // (T, H, D)
  }
};

struct Swiglu : torch::autograd::Function<Swiglu> {
  static Variable forward(AutogradContext* context, const Variable& given_gate, const Variable& given_up) {
    const at::Tensor gate = given_gate.contiguous(), up = given_up.contiguous(), y = at::empty_like(gate);  // (T, F)
    context->save_for_backward({gate, up});
    if (gate.is_cuda()) {
      cuda_swiglu(gate, up, y);
      return y;
    }
    const std::int64_t rows = gate.size(0), n = gate.size(1);
    for_type_of(gate, [&](auto element) {
      using T = decltype(element);
      at::parallel_for(0, rows, kRowsOfATask,
                       [&, g = elements(data<T>(gate)), u = elements(data<T>(up)), out = elements(data<T>(y))](
                           std::int64_t begin, std::int64_t end) {
                         for (std::int64_t i = begin; i < end; ++i) swiglu_row(g + i * n, u + i * n, n, out + i * n);
                       });
    });
    return y;
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const variable_list saved = context->get_saved_variables();
    const at::Tensor gate = saved[0], up = saved[1], dy = upstream[0].contiguous();  // (T, F)
    const at::Tensor dgate = at::empty_like(gate), dup = at::empty_like(up);         // (T, F)
    if (gate.is_cuda()) {
      cuda_swiglu_backward(dy, gate, up, dgate, dup);
      return {dgate, dup};
    }
    const std::int64_t rows = gate.size(0), n = gate.size(1);
    for_type_of(gate, [&](auto element) {
      using T = decltype(element);
      at::parallel_for(
          0, rows, kRowsOfATask,
          [&, d = elements(data<T>(dy)), g = elements(data<T>(gate)), u = elements(data<T>(up)),
           to_gate = elements(data<T>(dgate)), to_up = elements(data<T>(dup))](std::int64_t begin, std::int64_t end) {
            for (std::int64_t at = begin * n; at < end * n; at += n)
              swiglu_row_backward(d + at, g + at, u + at, n, to_gate + at, to_up + at);
          });
    });
    return {dgate, dup};
  }
};

}  // namespace

bool can_fuse(const at::Tensor& x) {
  return (x.is_cpu() || x.is_cuda()) && (x.scalar_type() == at::kFloat || x.scalar_type() == at::kBFloat16);
}

at::Tensor fused_rms_norm(const at::Tensor& x, const at::Tensor& weight, double epsilon) {
  if (x.is_cuda() && !cuda_normalises(x.size(1)))
    return std::get<0>(at::_fused_rms_norm(x, {x.size(1)}, weight, epsilon));
  return RmsNorm::apply(x, weight, epsilon);
}

NormedSum fused_add_rms_norm(const at::Tensor& x, const at::Tensor& added, const at::Tensor& weight, double epsilon) {
  if (x.is_cuda() && !cuda_normalises(x.size(1))) {
    const at::Tensor sum = x.add(added);  // (T, C)
    return {sum, fused_rms_norm(sum, weight, epsilon)};
  }
  const variable_list made = AddRmsNorm::apply(x, added, weight, epsilon);
  return {made[0], made[1]};
}

at::Tensor fused_rotate(const at::Tensor& x, const Rotation& rotation) {
  return Rotate::apply(x, rotation.cosine, rotation.sine);
}

at::Tensor fused_swiglu(const at::Tensor& gate, const at::Tensor& up) { return Swiglu::apply(gate, up); }

}  // namespace kg::policy
