#include "dataset/synthesis/operator_forms.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unordered_map>
#include <utility>

#include "base/check.h"

namespace kg::dataset {
namespace {

using Result = std::optional<Range>;
using Rule = std::function<Result(const Ranges&, const Attributes&)>;

constexpr double kLargest = 64;  // of an intermediate value: squares and sums of rows still fit half
constexpr double kSmallestDivisor = 0.25;
constexpr double kLargestExponent = 5;

double magnitude(const Range& range) { return std::max(std::abs(range.low), std::abs(range.high)); }

Result bounded(double low, double high) {
  if (!(low < high) || std::max(std::abs(low), std::abs(high)) > kLargest) return std::nullopt;
  return Range{low, high};
}

// A monotonic function of one input within a domain.
Rule monotonic(double (*f)(double), double domain_low, double domain_high) {
  return [=](const Ranges& in, const Attributes&) -> Result {
    if (in[0].low < domain_low || in[0].high > domain_high) return std::nullopt;
    const double a = f(in[0].low), b = f(in[0].high);
    return bounded(std::min(a, b), std::max(a, b));
  };
}

Rule needs_both_signs(Rule rule) {
  return [rule](const Ranges& in, const Attributes& a) -> Result {
    if (in[0].low >= 0 || in[0].high <= 0) return std::nullopt;  // the operator would be the identity or a constant
    return rule(in, a);
  };
}

Result product(const Range& x, const Range& y) {
  const double corners[] = {x.low * y.low, x.low * y.high, x.high * y.low, x.high * y.high};
  return bounded(*std::min_element(corners, corners + 4), *std::max_element(corners, corners + 4));
}

Rule row_rule(double largest_input, Range result) {
  return [=](const Ranges& in, const Attributes&) -> Result {
    if (magnitude(in[0]) > largest_input) return std::nullopt;
    return result;
  };
}

Result hull(const Ranges& in) {
  Range all = in[0];
  for (const Range& range : in) all = {std::min(all.low, range.low), std::max(all.high, range.high)};
  return bounded(all.low, all.high);
}

Result compared(const Ranges& in, const Attributes&) {
  if (in[0].low >= in[1].high || in[0].high <= in[1].low) return std::nullopt;
  return Range{0, 1};
}

bool inside(const Range& range, double value) { return range.low < value && value < range.high; }

double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

std::vector<OperatorForm> make_forms() {
  const std::vector<double> factors = {0.5, 2, 0.25, 1.5, 3}, offsets = {1, 0.5, 2, -1, 1.5},
                            low_bounds = {-1, -0.5, 0.5}, high_bounds = {1, 1.5, 0.75}, slopes = {0.125, 0.25, 0.0625},
                            thresholds = {0.5, 0.25, 1, -0.5}, replacements = {0, -1, 2};
  const std::vector<std::string> sigmoid_code = {"Muls($x, $x, T(-1), $n);", "Exp($x, $x, $n);",
                                                 "Adds($x, $x, T(1), $n);", "Duplicate($t, T(1), $n);",
                                                 "Div($d, $t, $x, $n);"};
  // The shared end of the two norms: $x over the root of its mean square. $d is scratch until the last statement.
  const std::vector<std::string> norm_code = {"Mul($d, $x, $x, $n);",
                                              "ReduceSum($t, $d, $t[8], $n);",
                                              "Muls($t, $t, T(1) / $n, 1);",
                                              "Adds($t, $t, $a, 1);",
                                              "Sqrt($t, $t, 1);",
                                              "Muls($d, $x, T(1) / $t.GetValue(0), $n);"};
  std::vector<std::string> layer_norm_code = {"ReduceSum($t, $x, $t[8], $n);",
                                              "Adds($x, $x, -$t.GetValue(0) / $n, $n);"};
  layer_norm_code.insert(layer_norm_code.end(), norm_code.begin(), norm_code.end());
  const std::string mask = "auto m = $t.ReinterpretCast<uint8_t>();";
  const std::string one_or_zero = "Select($d, m, $x, T(0), SELMODE::VSEL_TENSOR_SCALAR_MODE, $n);";

  // clang-format off
  return {
      // Two inputs.
      {"add", "$x + $y", {"Add($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) { return bounded(in[0].low + in[1].low, in[0].high + in[1].high); }},
      {"sub", "$x - $y", {"Sub($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) { return bounded(in[0].low - in[1].high, in[0].high - in[1].low); }},
      {"mul", "$x * $y", {"Mul($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) { return product(in[0], in[1]); }},
      {"div", "$x / $y", {"Div($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (in[1].low < kSmallestDivisor) return std::nullopt;
         return product(in[0], {1 / in[1].high, 1 / in[1].low});
       }},
      {"max", "max($x, $y)", {"Max($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (!inside(in[0], in[1].low) && !inside(in[0], in[1].high) && in[0].low != in[1].low) return std::nullopt;
         return bounded(std::max(in[0].low, in[1].low), std::max(in[0].high, in[1].high));
       }, false, true},
      {"min", "min($x, $y)", {"Min($d, $x, $y, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (!inside(in[0], in[1].low) && !inside(in[0], in[1].high) && in[0].low != in[1].low) return std::nullopt;
         return bounded(std::min(in[0].low, in[1].low), std::min(in[0].high, in[1].high));
       }, false, true},
      {"axpy", "$a * $x + $y", {"Muls($x, $x, $a, $n);", "Add($d, $x, $y, $n);"}, {{0.5, 2, 1.5, 0.25}}, [](const Ranges& in, const Attributes& a) { return bounded(a[0] * in[0].low + in[1].low, a[0] * in[0].high + in[1].high); }},
      // A scalar.
      {"adds", "$x + $a", {"Adds($d, $x, $a, $n);"}, {offsets}, [](const Ranges& in, const Attributes& a) { return bounded(in[0].low + a[0], in[0].high + a[0]); }},
      {"muls", "$x * $a", {"Muls($d, $x, $a, $n);"}, {factors}, [](const Ranges& in, const Attributes& a) { return bounded(in[0].low * a[0], in[0].high * a[0]); }},
      {"maxs", "max($x, $a)", {"Maxs($d, $x, $a, $n);"}, {low_bounds}, [](const Ranges& in, const Attributes& a) -> Result {
         if (!inside(in[0], a[0])) return std::nullopt;
         return bounded(a[0], in[0].high);
       }, false, true},
      {"mins", "min($x, $a)", {"Mins($d, $x, $a, $n);"}, {high_bounds}, [](const Ranges& in, const Attributes& a) -> Result {
         if (!inside(in[0], a[0])) return std::nullopt;
         return bounded(in[0].low, a[0]);
       }, false, true},
      {"clamp", "min(max($x, $a), $b)", {"Maxs($x, $x, $a, $n);", "Mins($d, $x, $b, $n);"}, {low_bounds, high_bounds}, [](const Ranges& in, const Attributes& a) -> Result {
         if (!inside(in[0], a[0]) || !inside(in[0], a[1])) return std::nullopt;
         return bounded(a[0], a[1]);
       }, false, true},
      // One input.
      {"neg", "-$x", {"Muls($d, $x, T(-1), $n);"}, {}, [](const Ranges& in, const Attributes&) { return bounded(-in[0].high, -in[0].low); }, false, true},
      {"abs", "abs($x)", {"Abs($d, $x, $n);"}, {}, needs_both_signs([](const Ranges& in, const Attributes&) { return bounded(0, magnitude(in[0])); }), false, true},
      {"square", "$x * $x", {"Mul($d, $x, $x, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         const double a = in[0].low * in[0].low, b = in[0].high * in[0].high;
         return bounded(in[0].low < 0 && in[0].high > 0 ? 0 : std::min(a, b), std::max(a, b));
       }},
      {"exp", "exp($x)", {"Exp($d, $x, $n);"}, {}, monotonic([](double x) { return std::exp(x); }, -8, kLargestExponent)},
      {"ln", "ln($x)", {"Ln($d, $x, $n);"}, {}, monotonic([](double x) { return std::log(x); }, 0.25, kLargest)},
      {"sqrt", "sqrt($x)", {"Sqrt($d, $x, $n);"}, {}, monotonic([](double x) { return std::sqrt(x); }, 0.0625, kLargest)},
      {"rsqrt", "1 / sqrt($x)", {"Sqrt($x, $x, $n);", "Duplicate($t, T(1), $n);", "Div($d, $t, $x, $n);"}, {}, monotonic([](double x) { return 1 / std::sqrt(x); }, 0.0625, kLargest)},
      {"reciprocal", "1 / $x", {"Duplicate($t, T(1), $n);", "Div($d, $t, $x, $n);"}, {}, monotonic([](double x) { return 1 / x; }, kSmallestDivisor, kLargest)},
      {"relu", "relu($x)", {"Relu($d, $x, $n);"}, {}, needs_both_signs([](const Ranges& in, const Attributes&) { return bounded(0, in[0].high); }), false, true},
      {"leaky_relu", "leaky_relu($x, $a)", {"LeakyRelu($d, $x, $a, $n);"}, {slopes}, needs_both_signs([](const Ranges& in, const Attributes& a) { return bounded(in[0].low * a[0], in[0].high); })},
      {"sigmoid", "sigmoid($x)", sigmoid_code, {}, monotonic(sigmoid, -8, 8)},
      {"tanh", "tanh($x)", {"Muls($x, $x, T(2), $n);", "Exp($x, $x, $n);", "Adds($x, $x, T(1), $n);", "Duplicate($t, T(-2), $n);", "Div($t, $t, $x, $n);", "Adds($d, $t, T(1), $n);"}, {}, monotonic([](double x) { return std::tanh(x); }, -4, 4)},
      {"silu", "silu($x)", {"Muls($t, $x, T(-1), $n);", "Exp($t, $t, $n);", "Adds($t, $t, T(1), $n);", "Div($d, $x, $t, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (magnitude(in[0]) > 8) return std::nullopt;
         return bounded(in[0].low < 0 ? -0.279 : 0, in[0].high);
       }},
      {"gelu", "gelu($x)", {"Mul($t, $x, $x, $n);", "Mul($t, $t, $x, $n);", "Muls($t, $t, T(0.044715), $n);", "Add($t, $t, $x, $n);", "Muls($t, $t, T(-1.5957691), $n);", "Exp($t, $t, $n);", "Adds($t, $t, T(1), $n);", "Div($d, $x, $t, $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (magnitude(in[0]) > 3) return std::nullopt;  // exp(-2u) of half: at -3 about exp(6.7)
         return bounded(in[0].low < 0 ? -0.171 : 0, in[0].high);
       }},
      {"softplus", "softplus($x)", {"Exp($x, $x, $n);", "Adds($x, $x, T(1), $n);", "Ln($d, $x, $n);"}, {}, monotonic([](double x) { return std::log1p(std::exp(x)); }, -8, 8)},
      {"hardswish", "hardswish($x)", {"Adds($t, $x, T(3), $n);", "Maxs($t, $t, T(0), $n);", "Mins($t, $t, T(6), $n);", "Mul($x, $x, $t, $n);", "Muls($d, $x, T(0.16666667), $n);"}, {}, needs_both_signs([](const Ranges& in, const Attributes&) { return bounded(-0.375, in[0].high); })},
      // Comparison and selection: a bit mask in the scratch tensor.
      {"threshold", "$x > $a ? $x : $b", {mask, "CompareScalar(m, $x, $a, CMPMODE::GT, $s);", "Select($d, m, $x, $b, SELMODE::VSEL_TENSOR_SCALAR_MODE, $n);"}, {thresholds, replacements}, [](const Ranges& in, const Attributes& a) -> Result {
         if (!inside(in[0], a[0])) return std::nullopt;
         return bounded(std::min(a[0], a[1]), std::max(in[0].high, a[1]));
       }, true, true},
      {"step", "$x > $a ? 1 : 0", {mask, "CompareScalar(m, $x, $a, CMPMODE::GT, $s);", "Duplicate($x, T(1), $n);", one_or_zero}, {thresholds}, [](const Ranges& in, const Attributes& a) -> Result {
         if (!inside(in[0], a[0])) return std::nullopt;
         return Range{0, 1};
       }, true, true},
      {"greater", "$x > $y ? 1 : 0", {mask, "Compare(m, $x, $y, CMPMODE::GT, $s);", "Duplicate($x, T(1), $n);", one_or_zero}, {}, compared, true, true},
      {"less", "$x < $y ? 1 : 0", {mask, "Compare(m, $x, $y, CMPMODE::LT, $s);", "Duplicate($x, T(1), $n);", one_or_zero}, {}, compared, true, true},
      {"select_gt", "$x > $y ? $x : $w", {mask, "Compare(m, $x, $y, CMPMODE::GT, $s);", "Select($d, m, $x, $w, SELMODE::VSEL_TENSOR_TENSOR_MODE, $n);"}, {}, [](const Ranges& in, const Attributes&) { return hull(in); }, true, true},
      {"select_lt", "$x < $y ? $x : $w", {mask, "Compare(m, $x, $y, CMPMODE::LT, $s);", "Select($d, m, $x, $w, SELMODE::VSEL_TENSOR_TENSOR_MODE, $n);"}, {}, [](const Ranges& in, const Attributes&) { return hull(in); }, true, true},
      // Along rows, in float. The first block of the scratch tensor holds the result, the rest is the reduction's work space.
      {"reduce_sum", "row_sum($x)", {"ReduceSum($d, $x, $t[8], $n);"}, {}, row_rule(16, {-kLargest, kLargest})},
      {"reduce_mean", "row_mean($x)", {"ReduceSum($t, $x, $t[8], $n);", "Muls($d, $t, T(1) / $n, 1);"}, {}, row_rule(kLargest, {-kLargest, kLargest})},
      {"reduce_max", "row_max($x)", {"ReduceMax($d, $x, $t, $n);"}, {}, row_rule(kLargest, {-kLargest, kLargest})},
      {"reduce_min", "row_min($x)", {"ReduceMin($d, $x, $t, $n);"}, {}, row_rule(kLargest, {-kLargest, kLargest})},
      {"softmax", "row_softmax($x)", {"ReduceMax($t, $x, $d, $n);", "Adds($x, $x, -$t.GetValue(0), $n);", "Exp($x, $x, $n);", "ReduceSum($t, $x, $t[8], $n);", "Muls($d, $x, T(1) / $t.GetValue(0), $n);"}, {}, row_rule(8, {0, 1})},
      {"log_softmax", "row_log_softmax($x)", {"ReduceMax($t, $x, $d, $n);", "Adds($x, $x, -$t.GetValue(0), $n);", "Exp($d, $x, $n);", "ReduceSum($t, $d, $t[8], $n);", "Ln($t, $t, 1);", "Adds($d, $x, -$t.GetValue(0), $n);"}, {}, row_rule(8, {-32, 0})},
      {"layer_norm", "row_layer_norm($x, $a)", layer_norm_code, {{0.0009765625}}, row_rule(16, {-8, 8})},
      {"rms_norm", "row_rms_norm($x, $a)", norm_code, {{0.0009765625}}, row_rule(16, {-8, 8})},
      {"row_center", "$x - row_mean($x)", {"ReduceSum($t, $x, $t[8], $n);", "Adds($d, $x, -$t.GetValue(0) / $n, $n);"}, {}, [](const Ranges& in, const Attributes&) { return bounded(in[0].low - in[0].high, in[0].high - in[0].low); }},
      {"row_scale_max", "$x / row_max($x)", {"ReduceMax($t, $x, $d, $n);", "Muls($d, $x, T(1) / $t.GetValue(0), $n);"}, {}, [](const Ranges& in, const Attributes&) -> Result {
         if (in[0].low < kSmallestDivisor) return std::nullopt;
         return bounded(0, 1);
       }},
  };
  // clang-format on
}

}  // namespace

const std::vector<OperatorForm>& operator_forms() {
  static const std::vector<OperatorForm> forms = make_forms();
  return forms;
}

const OperatorForm& operator_form(const std::string& op) {
  static const auto by_name = [] {
    std::unordered_map<std::string, const OperatorForm*> map;
    for (const OperatorForm& form : operator_forms()) map.emplace(form.op, &form);
    return map;
  }();
  const auto found = by_name.find(op);
  KG_CHECK(found != by_name.end());
  return *found->second;
}

std::string number_text(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%.10g", value);
  return text;
}

std::string fill(const std::string& pattern, const std::vector<std::pair<char, std::string>>& values) {
  std::string result;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const auto match = [&](const auto& entry) { return i + 1 < pattern.size() && entry.first == pattern[i + 1]; };
    const auto found = pattern[i] == '$' ? std::find_if(values.begin(), values.end(), match) : values.end();
    if (found == values.end()) {
      result += pattern[i];
    } else {
      result += found->second;
      ++i;
    }
  }
  return result;
}

}  // namespace kg::dataset
