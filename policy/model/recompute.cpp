#include "policy/model/recompute.h"

#include <c10/core/GradMode.h>
#include <torch/csrc/autograd/autograd.h>
#include <torch/csrc/autograd/custom_function.h>
#include <torch/custom_class.h>

namespace kg::policy {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::Variable;
using torch::autograd::variable_list;

struct Body : torch::CustomClassHolder {
  std::function<at::Tensor(const at::Tensor&)> run;
  std::vector<at::Tensor> weights;
};

struct Recomputed : torch::autograd::Function<Recomputed> {
  static Variable forward(AutogradContext* context, const Variable& x, at::TensorList,
                          const c10::intrusive_ptr<Body>& body) {
    context->save_for_backward({x});
    context->saved_data["body"] = c10::IValue::make_capsule(body);
    return body->run(x);  // (T, C), without gradients: autograd is off inside forward()
  }

  static variable_list backward(AutogradContext* context, const variable_list& upstream) {
    const auto body = c10::static_intrusive_pointer_cast<Body>(context->saved_data["body"].toCapsule());
    const at::Tensor x = context->get_saved_variables()[0].detach().requires_grad_(true);  // (T, C)
    variable_list inputs{x};
    inputs.insert(inputs.end(), body->weights.begin(), body->weights.end());
    variable_list gradients;
    {
      const c10::AutoGradMode enable(true);
      const at::Tensor y = body->run(x);  // (T, C), as upstream
      gradients = torch::autograd::grad({y}, inputs, upstream, /*retain_graph=*/std::nullopt, /*create_graph=*/false,
                                        /*allow_unused=*/true);
    }
    gradients.emplace_back();  // for the body
    return gradients;
  }
};

}  // namespace

at::Tensor recomputed(const at::Tensor& x, const std::vector<at::Tensor>& weights,
                      std::function<at::Tensor(const at::Tensor&)> run) {
  auto body = c10::make_intrusive<Body>();
  body->run = std::move(run);
  for (const at::Tensor& weight : weights)
    if (weight.requires_grad()) body->weights.push_back(weight);
  return Recomputed::apply(x, at::TensorList(body->weights), body);
}

}  // namespace kg::policy
