#include "dataset/translation/operator_forms.h"

#include <algorithm>
#include <map>
#include <string_view>

#include "dataset/translation/filled.h"

namespace kg::dataset::translation {
namespace {

using Table = std::map<std::string_view, const char*>;

// By name and number of arguments by place.
const std::map<std::size_t, Table> kElements = {
    {1,
     {{"neg", "-$1"},
      {"abs", "abs($1)"},
      {"exp", "exp($1)"},
      {"expm1", "exp($1) - 1"},
      {"exp2", "exp($1 * 0.69314718)"},
      {"log", "log($1)"},
      {"log2", "log($1) * 1.44269504"},
      {"log10", "log($1) * 0.43429448"},
      {"log1p", "log($1 + 1)"},
      {"sqrt", "sqrt($1)"},
      {"rsqrt", "rsqrt($1)"},
      {"reciprocal", "reciprocal($1)"},
      {"square", "$1 * $1"},
      {"sin", "sin($1)"},
      {"cos", "cos($1)"},
      {"sinh", "(exp($1) - exp(-$1)) * 0.5"},
      {"cosh", "(exp($1) + exp(-$1)) * 0.5"},
      {"tanh", "tanh($1)"},
      {"sigmoid", "sigmoid($1)"},
      {"relu", "relu($1)"},
      {"relu6", "clamp($1, 0, 6)"},
      {"silu", "silu($1)"},
      {"erf", "erf($1)"},
      {"erfc", "1 - erf($1)"},
      {"floor", "floor($1)"},
      {"ceil", "ceil($1)"},
      {"round", "round($1)"},
      {"trunc", "trunc($1)"},
      {"fix", "trunc($1)"},
      {"frac", "$1 - trunc($1)"},
      {"sign", "where($1 > 0, 1, where($1 < 0, -1, 0))"},
      {"sgn", "where($1 > 0, 1, where($1 < 0, -1, 0))"},
      {"softplus", "softplus($1)"},
      {"log_sigmoid", "-softplus(-$1)"},
      {"gelu", "$1 * 0.5 * (1 + erf($1 * 0.70710678))"},
      {"leaky_relu", "leaky_relu($1, 0.01)"},
      {"elu", "max($1, 0) + (exp(min($1, 0)) - 1)"},
      {"celu", "max($1, 0) + (exp(min($1, 0)) - 1)"},
      {"selu", "1.050701 * (max($1, 0) + 1.6732632 * (exp(min($1, 0)) - 1))"},
      {"hardtanh", "clamp($1, -1, 1)"},
      {"hardsigmoid", "clamp($1 / 6 + 0.5, 0, 1)"},
      {"hardswish", "$1 * clamp($1 / 6 + 0.5, 0, 1)"},
      {"mish", "$1 * tanh(softplus($1))"},
      {"softshrink", "where($1 > 0.5, $1 - 0.5, where($1 < -0.5, $1 + 0.5, 0))"},
      {"hardshrink", "where(abs($1) > 0.5, $1, 0)"},
      {"logit", "log($1 / (1 - $1))"},
      {"special_ndtr", "0.5 * (1 + erf($1 * 0.70710678))"}}},
    {2,
     {{"add", "$1 + $2"},
      {"sub", "$1 - $2"},
      {"mul", "$1 * $2"},
      {"div", "$1 / $2"},
      {"maximum", "max($1, $2)"},
      {"minimum", "min($1, $2)"},
      {"fmax", "max($1, $2)"},
      {"fmin", "min($1, $2)"},
      {"clamp_min", "max($1, $2)"},
      {"clamp_max", "min($1, $2)"},
      {"clamp", "max($1, $2)"},
      {"floor_divide", "floor($1 / $2)"},
      {"fmod", "$1 - trunc($1 / $2) * $2"},
      {"remainder", "$1 - floor($1 / $2) * $2"},
      {"hypot", "sqrt($1 * $1 + $2 * $2)"},
      {"leaky_relu", "leaky_relu($1, $2)"},
      {"elu", "max($1, 0) + $2 * (exp(min($1, 0)) - 1)"},
      {"celu", "max($1, 0) + $2 * (exp(min($1, 0) / $2) - 1)"},
      {"softplus", "softplus($1 * $2) / $2"},
      {"softshrink", "where($1 > $2, $1 - $2, where($1 < -$2, $1 + $2, 0))"},
      {"hardshrink", "where(abs($1) > $2, $1, 0)"},
      {"logaddexp", "max($1, $2) + log(1 + exp(-abs($1 - $2)))"},
      {"prelu", "max($1, 0) + $2 * min($1, 0)"},
      {"xlogy", "$1 * log($2)"}}},
    {3,
     {{"clamp", "clamp($1, $2, $3)"},
      {"hardtanh", "clamp($1, $2, $3)"},
      {"threshold", "where($1 > $2, $1, $3)"},
      {"lerp", "$1 + $3 * ($2 - $1)"},
      {"addcmul", "$1 + $2 * $3"},
      {"addcdiv", "$1 + $2 / $3"},
      {"elu", "$3 * (max($1, 0) + $2 * (exp(min($1, 0)) - 1))"}}}};

const Table kComparisons = {{"gt", "$1 > $2"},  {"lt", "$1 < $2"},  {"ge", "$1 >= $2"},
                            {"le", "$1 <= $2"}, {"eq", "$1 == $2"}, {"ne", "$1 != $2"}};
const Table kJoined = {
    {"logical_and", "$1 & $2"}, {"bitwise_and", "$1 & $2"}, {"logical_or", "$1 | $2"}, {"bitwise_or", "$1 | $2"}};

const Table kTests = {{"isnan", "$1 != $1"},
                      {"isinf", "abs($1) == inf"},
                      {"isfinite", "abs($1) < inf"},
                      {"isposinf", "$1 == inf"},
                      {"isneginf", "$1 == -inf"}};
// Of two masks.
constexpr const char* kEither = "($1 & not $2) | ($2 & not $1)";
const Table kOfMasks = {{"mul", "$1 & $2"},
                        {"logical_xor", kEither},
                        {"bitwise_xor", kEither},
                        {"ne", kEither},
                        {"eq", "($1 & $2) | not ($1 | $2)"}};

const Table kReductionForms = {{"sum", "sum($1)"},
                               {"mean", "mean($1)"},
                               {"amax", "max($1)"},
                               {"amin", "min($1)"},
                               {"max", "max($1)"},
                               {"min", "min($1)"},
                               {"logsumexp", "$a = max($1); $a + log(sum(exp($1 - $a)))"}};
const Table kRows = {{"cumsum", "cumsum($1)"},
                     {"cumprod", "cumprod($1)"},
                     {"flip", "flip($1)"},
                     {"softmax", "$a = exp($1 - max($1)); $a / sum($a)"},
                     {"_softmax", "$a = exp($1 - max($1)); $a / sum($a)"},
                     {"log_softmax", "$a = $1 - max($1); $a - log(sum(exp($a)))"},
                     {"_log_softmax", "$a = $1 - max($1); $a - log(sum(exp($a)))"}};

std::optional<std::string> found(const Table& table, const std::string& op) {
  const auto at = table.find(op);
  if (at == table.end()) return std::nullopt;
  return at->second;
}

Kind joined(const std::vector<Kind>& kinds) {
  return std::all_of(kinds.begin(), kinds.end(), [](Kind kind) { return kind == Kind::kNumber; }) ? Kind::kNumber
                                                                                                  : Kind::kTile;
}

std::string keyword(const TracedLine& line, const std::string& name, const std::string& otherwise) {
  const auto at = line.keywords.find(name);
  return at == line.keywords.end() ? otherwise : at->second;
}

std::optional<std::string> power(const TracedLine& line) {
  const std::string& of = line.given[1];
  if (of == "2") return "$1 * $1";
  if (of == "3" || of == "4") return "$1 ** " + of;
  if (of == "0.5") return "sqrt($1)";
  if (of == "-0.5") return "rsqrt($1)";
  if (of == "-1") return "reciprocal($1)";
  return "exp(log($1) * $2)";
}

std::optional<std::string> spread(const TracedLine& line) {
  const std::string correction = keyword(line, "correction", "1");
  const std::string sum = correction == "0" ? "mean($a * $a)" : correction == "1" ? "sum($a * $a) / (len($a) - 1)" : "";
  if (sum.empty()) return std::nullopt;
  return "$a = $1 - mean($1); " + (line.op == "std" ? "sqrt(" + sum + ")" : sum);
}

std::optional<std::string> norm(const TracedLine& line) {
  const std::string order = line.given.size() > 1 ? line.given[1] : "2";
  if (order == "2") return "sqrt(sum($1 * $1))";
  if (order == "1") return "sum(abs($1))";
  if (order == "inf") return "max(abs($1))";
  return std::nullopt;
}

std::optional<std::string> layer_norm(const TracedLine& line) {
  if (line.given.size() != 5) return std::nullopt;
  std::string text = "$a = $1 - mean($1); $a * rsqrt(mean($a * $a) + $5)";
  if (line.given[2] != "None") text += " * $3";
  if (line.given[3] != "None") text += " + $4";
  return text;
}

std::optional<OperatorForm> of_mask(const TracedLine& line, const std::vector<Kind>& kinds) {
  const std::size_t count = kinds.size();
  if (count == 1)
    if (const auto text = found(kTests, line.op)) return OperatorForm{*text, Kind::kMask};
  if (count == 2 && kinds[0] == Kind::kMask && kinds[1] == Kind::kMask)
    if (const auto text = found(kOfMasks, line.op)) return OperatorForm{*text, Kind::kMask};
  if (count == 2)
    for (const Table* table : {&kComparisons, &kJoined})
      if (const auto text = found(*table, line.op)) return OperatorForm{*text, Kind::kMask};
  if (count == 1 && line.op == "bitwise_not") return OperatorForm{"not $1", Kind::kMask};
  if (count == 3 && line.op == "where" && kinds[0] == Kind::kMask)
    return OperatorForm{"where($1, $2, $3)", Kind::kTile};
  if (count == 3 && line.op == "masked_fill" && kinds[1] == Kind::kMask)
    return OperatorForm{"where($2, $3, $1)", Kind::kTile};
  if (count == 1 && line.op == "_to_copy" && kinds[0] == Kind::kMask)
    return OperatorForm{"where($1, 1, 0)", Kind::kTile};
  if (count == 2 && line.op == "mul" && kinds[1] == Kind::kMask) return OperatorForm{"where($2, $1, 0)", Kind::kTile};
  if (count == 2 && line.op == "mul" && kinds[0] == Kind::kMask) return OperatorForm{"where($1, $2, 0)", Kind::kTile};
  return std::nullopt;
}

// A number counts as true where it is not 0.
std::optional<OperatorForm> of_truths(const TracedLine& line, const std::vector<Kind>& kinds) {
  std::vector<std::string> truths;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const std::string given = "$" + std::to_string(i + 1);
    truths.push_back(kinds[i] == Kind::kMask ? given : "(" + given + " != 0)");
  }
  if (kinds.size() == 1 && line.op == "logical_not") return OperatorForm{"not " + truths[0], Kind::kMask};
  if (kinds.size() != 2) return std::nullopt;
  for (const Table* table : {&kOfMasks, &kJoined})
    if (const auto text = found(*table, line.op)) return OperatorForm{with_arguments(*text, truths), Kind::kMask};
  return std::nullopt;
}

std::optional<std::string> of_elements(const TracedLine& line) {
  if (line.keywords.contains("rounding_mode")) return std::nullopt;
  if (line.op == "pow" && line.given.size() == 2) return power(line);
  if (line.op == "gelu" && keyword(line, "approximate", "none") == "tanh") return "gelu($1)";
  if (line.op == "clamp" && line.keywords.contains("max")) return "min($1, " + line.keywords.at("max") + ")";
  if (line.op == "clamp" && line.given.size() == 3 && line.given[1] == "None") return "min($1, $3)";
  const auto table = kElements.find(line.given.size());
  if (table == kElements.end()) return std::nullopt;
  std::optional<std::string> text = found(table->second, line.op);
  const std::string factor = keyword(line, "alpha", keyword(line, "value", ""));
  if (text && !factor.empty()) {
    const std::size_t at = line.op == "add" || line.op == "sub" ? text->find("$2")
                           : line.op.starts_with("addc")        ? text->find("$2")
                                                                : std::string::npos;
    if (at == std::string::npos) return std::nullopt;
    text->insert(at, factor + " * ");
  } else if (!line.keywords.empty()) {
    return std::nullopt;
  }
  return text;
}

}  // namespace

std::optional<OperatorForm> operator_form(const TracedLine& line, const std::vector<Kind>& kinds) {
  const bool masked = std::find(kinds.begin(), kinds.end(), Kind::kMask) != kinds.end();
  if (line.op.starts_with("logical_")) return of_truths(line, kinds);
  if (masked || kComparisons.contains(line.op) || kTests.contains(line.op)) return of_mask(line, kinds);
  const auto as = [](const std::optional<std::string>& text, Kind kind) {
    return text ? std::optional(OperatorForm{*text, kind}) : std::nullopt;
  };
  if (line.op == "clamp" && kinds.size() == 3 && (kinds[1] == Kind::kTile || kinds[2] == Kind::kTile))
    return OperatorForm{"min(max($1, $2), $3)", Kind::kTile};
  if (const auto text = of_elements(line)) return OperatorForm{*text, joined(kinds)};
  if (kinds.empty() || kinds[0] != Kind::kTile) return std::nullopt;
  if (const auto text = found(kReductionForms, line.op)) return OperatorForm{*text, Kind::kNumber};
  if (line.op == "var" || line.op == "std") return as(spread(line), Kind::kNumber);
  if (line.op == "vector_norm" || line.op == "norm") return as(norm(line), Kind::kNumber);
  // Minus the element that the index names.
  if (line.op == "nll_loss" && line.given.size() > 3 && line.given[2] == "None" && line.given[3] == "none")
    return OperatorForm{"-$1[$2]", Kind::kNumber};
  if (line.op == "layer_norm") return as(layer_norm(line), Kind::kTile);
  return as(found(kRows, line.op), Kind::kTile);
}

std::string with_arguments(const std::string& dsl, const std::vector<std::string>& given) {
  return filled(dsl, [&](char, char letter) { return given.at(static_cast<std::size_t>(letter - '1')); });
}

}  // namespace kg::dataset::translation
