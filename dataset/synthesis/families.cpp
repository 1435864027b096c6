#include "dataset/synthesis/families.h"

namespace kg::dataset {

const std::vector<Family>& families() {
  using Ops = std::vector<std::string>;
  static const Ops binary = {"add", "sub", "mul", "div", "max", "min", "axpy"};
  static const Ops join = {"add", "sub", "mul", "max", "min"};
  static const Ops scalar = {"adds", "muls", "maxs", "mins", "clamp"};
  static const Ops affine = {"adds", "muls"};
  static const Ops activation = {"relu", "leaky_relu", "sigmoid", "tanh", "silu", "gelu", "softplus", "hardswish"};
  // gelu with two inputs is too long for the compact style.
  static const Ops joined_activation = {"relu", "leaky_relu", "sigmoid", "tanh", "silu", "softplus", "hardswish"};
  static const Ops short_activation = {"relu", "leaky_relu", "sigmoid", "silu", "softplus"};
  static const Ops math = {"abs", "square", "neg", "exp", "ln", "sqrt", "rsqrt", "reciprocal"};
  static const Ops compare = {"threshold", "step", "greater", "less", "select_gt", "select_lt"};
  static const Ops reduce = {"reduce_sum", "reduce_mean", "reduce_max", "reduce_min"};
  static const Ops normalise = {"softmax", "log_softmax", "layer_norm", "rms_norm", "row_center", "row_scale_max"};
  // clang-format off
  static const std::vector<Family> table = {
      {"binary", "arithmetic", {binary}, 99},
      {"scalar", "arithmetic", {scalar}, 99},
      {"scalar_chain", "arithmetic", {scalar, affine}, 8},
      {"binary_scalar", "arithmetic", {binary, scalar}, 20},
      {"activation", "activation", {activation}, 99},
      {"activation_scalar", "activation", {activation, scalar}, 14},
      {"scalar_activation", "activation", {affine, activation}, 14},
      {"binary_activation", "activation", {binary, joined_activation}, 30},
      {"gated", "activation", {joined_activation, join}, 20},
      {"binary_scalar_activation", "activation", {join, affine, short_activation}, 16},
      {"unary", "math", {math}, 99},
      {"unary_chain", "math", {math, math}, 20},
      {"binary_unary", "math", {join, math}, 20},
      {"unary_binary", "math", {math, binary}, 20},
      {"compare", "comparison", {compare}, 99},
      {"compare_scalar", "comparison", {compare, affine}, 8},
      {"exact_compare", "comparison", {{"abs", "neg", "max", "min"}, {"threshold", "step"}}, 8},
      {"reduce", "reduction", {reduce}, 99},
      {"map_reduce", "reduction", {{"abs", "square", "exp", "sqrt", "adds", "muls", "relu", "silu"}, reduce}, 18},
      {"pair_reduce", "reduction", {join, reduce}, 14},
      {"normalise", "normalisation", {normalise}, 99},
      {"map_normalise", "normalisation", {{"muls", "abs", "square", "exp", "relu", "sqrt"}, normalise}, 14},
      {"residual_normalise", "normalisation", {{"add", "sub", "mul"}, {"softmax", "log_softmax", "rms_norm", "row_center", "row_scale_max"}}, 10},
      {"normalise_scalar", "normalisation", {normalise, affine}, 8},
  };
  // clang-format on
  return table;
}

}  // namespace kg::dataset
