#include "operators/operators.h"

#include <cmath>
#include <numbers>
#include <unordered_map>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"
#include "operators/shaped_operators.h"

namespace kg::operators {
namespace {

using Inputs = std::vector<Values>;
using Attributes = std::vector<double>;

constexpr auto kElementwise = OperatorShape::kElementwise;
constexpr auto kRowwise = OperatorShape::kRowwise;
constexpr auto kRowReduce = OperatorShape::kRowReduce;

Values row_sum(const Values& x) { return x.rowwise().sum(); }
Values row_max(const Values& x) { return x.rowwise().maxCoeff(); }
Values spread(const Values& column, Eigen::Index columns) { return column.replicate(1, columns); }

Values softmax(const Values& x) {
  const Values e = (x - spread(row_max(x), x.cols())).exp();
  return e / spread(row_sum(e), x.cols());
}

Values layer_norm(const Values& x, double epsilon) {
  const auto n = static_cast<double>(x.cols());
  const Values centred = x - spread(row_sum(x) / n, x.cols());
  const Values variance = row_sum(centred.square()) / n;
  return centred / spread((variance + epsilon).sqrt(), x.cols());
}

Values rms_norm(const Values& x, double epsilon) {
  const Values mean_square = row_sum(x.square()) / static_cast<double>(x.cols());
  return x / spread((mean_square + epsilon).sqrt(), x.cols());
}

Values sigmoid(const Values& x) { return 1.0 / (1.0 + (-x).exp()); }

Values gelu_tanh(const Values& x) {
  return 0.5 * x * (1.0 + (std::sqrt(2.0 / std::numbers::pi) * (x + 0.044715 * x.cube())).tanh());
}

Values where(const Eigen::Array<bool, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>& mask, const Values& yes,
             const Values& no) {
  return mask.select(yes, no);
}

Values constant_like(const Values& x, double value) { return Values::Constant(x.rows(), x.cols(), value); }

// A NaN operand gives NaN, as the device's Max and Min do.
Values larger(const Values& x, const Values& y) { return (x > y || x.isNaN()).select(x, y); }
Values smaller(const Values& x, const Values& y) { return (x < y || x.isNaN()).select(x, y); }

template <typename Combine>
Values running(Values x, Combine combine) {
  for (Eigen::Index c = 1; c < x.cols(); ++c)
    for (Eigen::Index r = 0; r < x.rows(); ++r) x(r, c) = combine(x(r, c - 1), x(r, c));
  return x;
}

std::vector<OperatorInfo> make_table() {
  // clang-format off
  return {
    // name, category, arity, attributes, shape, formula, simple and slow instructions, value
    {"add", "arithmetic", 2, 0, kElementwise, "x + y", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] + in[1]; }},
    {"sub", "arithmetic", 2, 0, kElementwise, "x - y", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] - in[1]; }},
    {"mul", "arithmetic", 2, 0, kElementwise, "x * y", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] * in[1]; }},
    {"div", "arithmetic", 2, 0, kElementwise, "x / y", 0, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0] / in[1]; }},
    {"max", "arithmetic", 2, 0, kElementwise, "max(x, y)", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return larger(in[0], in[1]); }},
    {"min", "arithmetic", 2, 0, kElementwise, "min(x, y)", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return smaller(in[0], in[1]); }},
    {"axpy", "arithmetic", 2, 1, kElementwise, "a * x + y", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return a[0] * in[0] + in[1]; }},
    {"adds", "arithmetic", 1, 1, kElementwise, "x + a", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] + a[0]; }},
    {"muls", "arithmetic", 1, 1, kElementwise, "x * a", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] * a[0]; }},
    {"maxs", "arithmetic", 1, 1, kElementwise, "max(x, a)", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return larger(in[0], constant_like(in[0], a[0])); }},
    {"mins", "arithmetic", 1, 1, kElementwise, "min(x, a)", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return smaller(in[0], constant_like(in[0], a[0])); }},
    {"clamp", "arithmetic", 1, 2, kElementwise, "min(max(x, a), b)", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return smaller(larger(in[0], constant_like(in[0], a[0])), constant_like(in[0], a[1])); }},
    {"neg", "arithmetic", 1, 0, kElementwise, "-x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return -in[0]; }},
    {"abs", "math", 1, 0, kElementwise, "|x|", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].abs(); }},
    {"square", "math", 1, 0, kElementwise, "x * x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].square(); }},
    {"exp", "math", 1, 0, kElementwise, "exp(x)", 0, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0].exp(); }},
    {"ln", "math", 1, 0, kElementwise, "ln(x)", 0, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0].log(); }},
    {"sqrt", "math", 1, 0, kElementwise, "sqrt(x)", 0, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0].sqrt(); }},
    {"rsqrt", "math", 1, 0, kElementwise, "1 / sqrt(x)", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].sqrt().inverse(); }},
    {"reciprocal", "math", 1, 0, kElementwise, "1 / x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].inverse(); }},
    {"relu", "activation", 1, 0, kElementwise, "max(x, 0)", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return larger(in[0], constant_like(in[0], 0.0)); }},
    {"leaky_relu", "activation", 1, 1, kElementwise, "x > 0 ? x : a * x", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return where(in[0] > 0.0, in[0], in[0] * a[0]); }},
    {"sigmoid", "activation", 1, 0, kElementwise, "1 / (1 + exp(-x))", 2, 2, [](const Inputs& in, const Attributes&) -> Values { return sigmoid(in[0]); }},
    {"tanh", "activation", 1, 0, kElementwise, "tanh(x)", 3, 2, [](const Inputs& in, const Attributes&) -> Values { return in[0].tanh(); }},
    {"silu", "activation", 1, 0, kElementwise, "x / (1 + exp(-x))", 2, 2, [](const Inputs& in, const Attributes&) -> Values { return in[0] * sigmoid(in[0]); }},
    {"gelu", "activation", 1, 0, kElementwise, "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3)))", 7, 2, [](const Inputs& in, const Attributes&) -> Values { return gelu_tanh(in[0]); }},
    {"softplus", "activation", 1, 0, kElementwise, "ln(1 + exp(x))", 1, 2, [](const Inputs& in, const Attributes&) -> Values { return larger(in[0], constant_like(in[0], 0.0)) + (-in[0].abs()).exp().log1p(); }},
    {"hardswish", "activation", 1, 0, kElementwise, "x * min(max(x + 3, 0), 6) / 6", 5, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] * smaller(larger(in[0] + 3.0, constant_like(in[0], 0.0)), constant_like(in[0], 6.0)) / 6.0; }},
    {"threshold", "comparison", 1, 2, kElementwise, "x > a ? x : b", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return where(in[0] > a[0], in[0], constant_like(in[0], a[1])); }},
    {"step", "comparison", 1, 1, kElementwise, "x > a ? 1 : 0", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return where(in[0] > a[0], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"greater", "comparison", 2, 0, kElementwise, "x > y ? 1 : 0", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] > in[1], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"less", "comparison", 2, 0, kElementwise, "x < y ? 1 : 0", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] < in[1], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"select_gt", "comparison", 3, 0, kElementwise, "x > y ? x : z", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] > in[1], in[0], in[2]); }},
    {"select_lt", "comparison", 3, 0, kElementwise, "x < y ? x : z", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] < in[1], in[0], in[2]); }},
    {"reduce_sum", "reduction", 1, 0, kRowReduce, "sum of each row of x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0]); }},
    {"reduce_mean", "reduction", 1, 0, kRowReduce, "mean of each row of x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0]) / static_cast<double>(in[0].cols()); }},
    {"reduce_max", "reduction", 1, 0, kRowReduce, "maximum of each row of x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return row_max(in[0]); }},
    {"reduce_min", "reduction", 1, 0, kRowReduce, "minimum of each row of x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].rowwise().minCoeff(); }},
    {"softmax", "normalisation", 1, 0, kRowwise, "softmax over each row of x", 3, 2, [](const Inputs& in, const Attributes&) -> Values { return softmax(in[0]); }},
    {"log_softmax", "normalisation", 1, 0, kRowwise, "ln of the softmax over each row of x", 4, 2, [](const Inputs& in, const Attributes&) -> Values { const Values shifted = in[0] - spread(row_max(in[0]), in[0].cols()); return shifted - spread(row_sum(shifted.exp()).log(), in[0].cols()); }},
    {"layer_norm", "normalisation", 1, 1, kRowwise, "(x - mean) / sqrt(variance + a) over each row of x", 6, 0, [](const Inputs& in, const Attributes& a) -> Values { return layer_norm(in[0], a[0]); }},
    {"rms_norm", "normalisation", 1, 1, kRowwise, "x / sqrt(mean(x * x) + a) over each row of x", 4, 0, [](const Inputs& in, const Attributes& a) -> Values { return rms_norm(in[0], a[0]); }},
    {"row_center", "normalisation", 1, 0, kRowwise, "x - mean of each row of x", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] - spread(row_sum(in[0]) / static_cast<double>(in[0].cols()), in[0].cols()); }},
    {"erf", "math", 1, 0, kElementwise, "erf(x)", 20, 2, [](const Inputs& in, const Attributes&) -> Values { return in[0].unaryExpr([](double v) { return std::erf(v); }); }},
    {"sin", "math", 1, 0, kElementwise, "sin(x)", 12, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].sin(); }},
    {"cos", "math", 1, 0, kElementwise, "cos(x)", 12, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].cos(); }},
    {"floor", "math", 1, 0, kElementwise, "largest whole number at most x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].floor(); }},
    {"ceil", "math", 1, 0, kElementwise, "smallest whole number at least x", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].ceil(); }},
    {"trunc", "math", 1, 0, kElementwise, "x without its fraction", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].unaryExpr([](double v) { return std::trunc(v); }); }},
    {"round", "math", 1, 0, kElementwise, "nearest whole number, ties to even", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].unaryExpr([](double v) { return std::nearbyint(v); }); }},
    {"sign", "math", 1, 0, kElementwise, "x > 0 ? 1 : x < 0 ? -1 : 0", 4, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].sign(); }},
    {"cube", "math", 1, 0, kElementwise, "x^3", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].cube(); }},
    {"pow4", "math", 1, 0, kElementwise, "x^4", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].square().square(); }},
    {"expm1", "math", 1, 0, kElementwise, "exp(x) - 1", 1, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0].expm1(); }},
    {"ln1p", "math", 1, 0, kElementwise, "ln(1 + x)", 1, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0].log1p(); }},
    {"elu", "activation", 1, 1, kElementwise, "x > 0 ? x : a * (exp(x) - 1)", 4, 1, [](const Inputs& in, const Attributes& a) -> Values { return where(in[0] > 0.0, in[0], a[0] * in[0].expm1()); }},
    {"selu", "activation", 1, 0, kElementwise, "1.0507 * (x > 0 ? x : 1.67326 * (exp(x) - 1))", 5, 1, [](const Inputs& in, const Attributes&) -> Values { return 1.0507 * where(in[0] > 0.0, in[0], 1.67326 * in[0].expm1()); }},
    {"hardsigmoid", "activation", 1, 0, kElementwise, "min(max(x / 6 + 0.5, 0), 1)", 4, 0, [](const Inputs& in, const Attributes&) -> Values { return smaller(larger(in[0] / 6.0 + 0.5, constant_like(in[0], 0.0)), constant_like(in[0], 1.0)); }},
    {"hardtanh", "activation", 1, 0, kElementwise, "min(max(x, -1), 1)", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return smaller(larger(in[0], constant_like(in[0], -1.0)), constant_like(in[0], 1.0)); }},
    {"relu6", "activation", 1, 0, kElementwise, "min(max(x, 0), 6)", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return smaller(larger(in[0], constant_like(in[0], 0.0)), constant_like(in[0], 6.0)); }},
    {"softsign", "activation", 1, 0, kElementwise, "x / (1 + |x|)", 2, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0] / (1.0 + in[0].abs()); }},
    {"mish", "activation", 1, 0, kElementwise, "x * tanh(ln(1 + exp(x)))", 6, 4, [](const Inputs& in, const Attributes&) -> Values { return in[0] * in[0].exp().log1p().tanh(); }},
    {"quick_gelu", "activation", 1, 0, kElementwise, "x / (1 + exp(-1.702 * x))", 2, 2, [](const Inputs& in, const Attributes&) -> Values { return in[0] / (1.0 + (-1.702 * in[0]).exp()); }},
    {"swiglu", "activation", 2, 0, kElementwise, "x / (1 + exp(-x)) * y", 3, 2, [](const Inputs& in, const Attributes&) -> Values { return in[0] * sigmoid(in[0]) * in[1]; }},
    {"squared_difference", "arithmetic", 2, 0, kElementwise, "(x - y)^2", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return (in[0] - in[1]).square(); }},
    {"hypot", "arithmetic", 2, 0, kElementwise, "sqrt(x * x + y * y)", 3, 1, [](const Inputs& in, const Attributes&) -> Values { return (in[0].square() + in[1].square()).sqrt(); }},
    {"lerp", "arithmetic", 2, 1, kElementwise, "x + a * (y - x)", 3, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] + a[0] * (in[1] - in[0]); }},
    {"abs_max", "arithmetic", 2, 0, kElementwise, "max(|x|, |y|)", 3, 0, [](const Inputs& in, const Attributes&) -> Values { return larger(in[0].abs(), in[1].abs()); }},
    {"muladd", "arithmetic", 3, 0, kElementwise, "x * y + z", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] * in[1] + in[2]; }},
    {"addcmul", "arithmetic", 3, 1, kElementwise, "x + a * y * z", 3, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] + a[0] * in[1] * in[2]; }},
    {"addcdiv", "arithmetic", 3, 1, kElementwise, "x + a * y / z", 2, 1, [](const Inputs& in, const Attributes& a) -> Values { return in[0] + a[0] * in[1] / in[2]; }},
    {"greater_equal", "comparison", 2, 0, kElementwise, "x >= y ? 1 : 0", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] >= in[1], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"less_equal", "comparison", 2, 0, kElementwise, "x <= y ? 1 : 0", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] <= in[1], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"inside", "comparison", 1, 2, kElementwise, "a < x and x < b ? 1 : 0", 4, 0, [](const Inputs& in, const Attributes& a) -> Values { return where(in[0] > a[0] && in[0] < a[1], constant_like(in[0], 1.0), constant_like(in[0], 0.0)); }},
    {"select_positive", "comparison", 3, 0, kElementwise, "x > 0 ? y : z", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return where(in[0] > 0.0, in[1], in[2]); }},
    {"masked_fill", "comparison", 2, 1, kElementwise, "y > 0 ? a : x", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return where(in[1] > 0.0, constant_like(in[0], a[0]), in[0]); }},
    {"to_float", "cast", 1, 0, kElementwise, "x as float", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0]; }},
    {"to_half", "cast", 1, 0, kElementwise, "x as half", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0]; }},
    {"to_bfloat16", "cast", 1, 0, kElementwise, "x as bfloat16", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0]; }},
    {"to_int32", "cast", 1, 0, kElementwise, "x as int32, toward zero", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].unaryExpr([](double v) { return std::trunc(v); }); }},
    {"to_int8", "cast", 1, 0, kElementwise, "x as int8, to the nearest", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].unaryExpr([](double v) { return std::nearbyint(v); }); }},
    {"momentum", "optimiser", 2, 1, kElementwise, "a * x + y", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return a[0] * in[0] + in[1]; }},
    {"ema", "optimiser", 2, 1, kElementwise, "a * x + (1 - a) * y", 3, 0, [](const Inputs& in, const Attributes& a) -> Values { return a[0] * in[0] + (1.0 - a[0]) * in[1]; }},
    {"ema_square", "optimiser", 2, 1, kElementwise, "a * x + (1 - a) * y * y", 4, 0, [](const Inputs& in, const Attributes& a) -> Values { return a[0] * in[0] + (1.0 - a[0]) * in[1].square(); }},
    {"accumulate_square", "optimiser", 2, 0, kElementwise, "x + y * y", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] + in[1].square(); }},
    {"descend", "optimiser", 2, 1, kElementwise, "x - a * y", 2, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] - a[0] * in[1]; }},
    {"descend_root", "optimiser", 3, 1, kElementwise, "x - a * y / (sqrt(z) + 0.001)", 4, 2, [](const Inputs& in, const Attributes& a) -> Values { return in[0] - a[0] * in[1] / (in[2].sqrt() + 1e-3); }},
    {"decay", "optimiser", 1, 1, kElementwise, "x * (1 - a)", 1, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] * (1.0 - a[0]); }},
    {"sign_descend", "optimiser", 2, 1, kElementwise, "x - a * sign(y)", 6, 0, [](const Inputs& in, const Attributes& a) -> Values { return in[0] - a[0] * in[1].sign(); }},
    {"reduce_l1", "reduction", 1, 0, kRowReduce, "sum of |x| of each row", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0].abs()); }},
    {"reduce_l2", "reduction", 1, 0, kRowReduce, "sqrt of the sum of x * x of each row", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0].square()).sqrt(); }},
    {"reduce_square_sum", "reduction", 1, 0, kRowReduce, "sum of x * x of each row", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0].square()); }},
    {"reduce_range", "reduction", 1, 0, kRowReduce, "maximum - minimum of each row", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return row_max(in[0]) - in[0].rowwise().minCoeff(); }},
    {"reduce_variance", "reduction", 1, 0, kRowReduce, "variance of each row", 4, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum((in[0] - spread(row_sum(in[0]) / static_cast<double>(in[0].cols()), in[0].cols())).square()) / static_cast<double>(in[0].cols()); }},
    {"logsumexp", "reduction", 1, 0, kRowReduce, "ln of the sum of exp(x) of each row", 3, 1, [](const Inputs& in, const Attributes&) -> Values { return row_max(in[0]) + row_sum((in[0] - spread(row_max(in[0]), in[0].cols())).exp()).log(); }},
    {"row_dot", "loss", 2, 0, kRowReduce, "sum of x * y of each row", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0] * in[1]); }},
    {"row_mse", "loss", 2, 0, kRowReduce, "mean of (x - y)^2 of each row", 3, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum((in[0] - in[1]).square()) / static_cast<double>(in[0].cols()); }},
    {"cosine_similarity", "loss", 2, 0, kRowReduce, "sum(x * y) / sqrt(sum(x * x) * sum(y * y)) of each row", 6, 0, [](const Inputs& in, const Attributes&) -> Values { return row_sum(in[0] * in[1]) / (row_sum(in[0].square()) * row_sum(in[1].square())).sqrt(); }},
    {"row_cross_entropy", "loss", 2, 0, kRowReduce, "-sum(y * log_softmax(x)) of each row", 5, 1, [](const Inputs& in, const Attributes&) -> Values { return -row_sum(in[1] * (in[0] - spread(row_max(in[0]) + row_sum((in[0] - spread(row_max(in[0]), in[0].cols())).exp()).log(), in[0].cols()))); }},
    {"l1_normalise", "normalisation", 1, 0, kRowwise, "x / sum of |x| of each row", 3, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0] / spread(row_sum(in[0].abs()), in[0].cols()); }},
    {"l2_normalise", "normalisation", 1, 0, kRowwise, "x / sqrt(sum of x * x of each row + 1e-6)", 3, 1, [](const Inputs& in, const Attributes&) -> Values { return in[0] / spread((row_sum(in[0].square()) + 1e-6).sqrt(), in[0].cols()); }},
    {"min_max_normalise", "normalisation", 1, 0, kRowwise, "(x - minimum) / (maximum - minimum) of each row", 4, 1, [](const Inputs& in, const Attributes&) -> Values { return (in[0] - spread(Values(in[0].rowwise().minCoeff()), in[0].cols())) / spread((row_max(in[0]) - Values(in[0].rowwise().minCoeff())), in[0].cols()); }},
    {"softmin", "normalisation", 1, 0, kRowwise, "softmax over each row of -x", 4, 2, [](const Inputs& in, const Attributes&) -> Values { return softmax(-in[0]); }},
    {"cumsum", "scan", 1, 0, kRowwise, "running sum along each row of x", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return running(in[0], [](double s, double v) { return s + v; }); }},
    {"cumprod", "scan", 1, 0, kRowwise, "running product along each row of x", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return running(in[0], [](double s, double v) { return s * v; }); }},
    {"flip", "index", 1, 0, kRowwise, "each row of x backwards", 1, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0].rowwise().reverse(); }},
    {"row_scale_max", "normalisation", 1, 0, kRowwise, "x / maximum of each row of x", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] / spread(row_max(in[0]), in[0].cols()); }},
  };
  // clang-format on
}

}  // namespace

const std::vector<OperatorInfo>& operator_table() {
  static const std::vector<OperatorInfo> table = [] {
    std::vector<OperatorInfo> rows = make_table();
    for (OperatorInfo& row : shaped_operators()) rows.push_back(std::move(row));
    return rows;
  }();
  return table;
}

const OperatorInfo& operator_info(const std::string& name) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const OperatorInfo*> map;
    for (const auto* table : {&operator_table(), &hyper_connection_operators()})
      for (const OperatorInfo& row : *table) map.emplace(row.name, &row);
    return map;
  }();
  if (const auto found = by_name.find(name); found != by_name.end()) return *found->second;
  std::vector<std::string> known;
  for (const OperatorInfo& row : operator_table()) known.push_back(row.name);
  const std::string near = nearest_name(name, known);
  throw Error("unknown operator \"" + name + "\"", "operator graph",
              near.empty() ? "the operator table is in operators/operators.cpp" : "did you mean \"" + near + "\"?");
}

}  // namespace kg::operators
