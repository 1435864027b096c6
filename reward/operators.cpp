#include "reward/operators.h"

#include <cmath>
#include <numbers>
#include <unordered_map>

#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"

namespace kg::reward {
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
    {"row_scale_max", "normalisation", 1, 0, kRowwise, "x / maximum of each row of x", 2, 0, [](const Inputs& in, const Attributes&) -> Values { return in[0] / spread(row_max(in[0]), in[0].cols()); }},
  };
  // clang-format on
}

}  // namespace

const std::vector<OperatorInfo>& operator_table() {
  static const std::vector<OperatorInfo> table = make_table();
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
              near.empty() ? "the operator table is in reward/operators.cpp" : "did you mean \"" + near + "\"?");
}

}  // namespace kg::reward
