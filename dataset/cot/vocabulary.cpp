#include "dataset/cot/vocabulary.h"

#include <unordered_map>

#include "base/check.h"

namespace kg::dataset::cot {
namespace {

std::vector<Word> make_words() {
  constexpr unsigned exact = Word::kExact, step = Word::kStep, whole = Word::kWhole, positive = Word::kPositive,
                     cast = Word::kCast, mean = Word::kMean, adds = Word::kAccumulates;
  return {
      // Elementwise.
      {"add", "$x + $y", whole},
      {"sub", "$x - $y", whole},
      {"mul", "$x * $y", whole},
      {"div", "$x / $y", positive},
      {"max", "max($x, $y)", exact | whole},
      {"min", "min($x, $y)", exact | whole},
      {"axpy", "$a * $x + $y", 0, {{0.5, 2, -1.5, 0.25}}},
      {"adds", "$x + $a", whole, {{1, -2, 3, 5}}},
      {"muls", "$x * $a", whole, {{2, 3, -2, -3}}},
      {"maxs", "max($x, $a)", exact | whole, {{-1, 0, 1}}},
      {"mins", "min($x, $a)", exact | whole, {{-1, 0, 1}}},
      {"clamp", "clamp($x, $a, $b)", exact | whole, {{-1, -0.5, -2}, {0.5, 1, 2}}, "max(min($x, $b), $a)"},
      {"neg", "-$x", exact | whole},
      {"abs", "abs($x)", exact | whole, {}, "max($x, -$x)"},
      {"square", "$x * $x", whole},
      {"cube", "$x ** 3", whole},
      {"pow4", "$x ** 4"},
      {"exp", "exp($x)"},
      {"expm1", "exp($x) - 1"},
      {"ln", "log($x)", positive},
      {"ln1p", "log($x + 1)", positive},
      {"sqrt", "sqrt($x)", positive},
      {"rsqrt", "rsqrt($x)", positive},
      {"reciprocal", "reciprocal($x)", positive},
      {"erf", "erf($x)"},
      {"sin", "sin($x)"},
      {"cos", "cos($x)"},
      {"floor", "floor($x)", step | exact},
      {"ceil", "ceil($x)", step | exact},
      {"trunc", "trunc($x)", step | exact},
      {"round", "round($x)", step | exact},
      {"sign", "where($x > 0, 1, where($x < 0, -1, 0))", step | exact},
      {"relu", "relu($x)", exact | whole, {}, "max($x, 0)"},
      {"leaky_relu", "leaky_relu($x, $a)", 0, {{0.125, 0.25, 0.0625, 0.5}}},
      {"sigmoid", "sigmoid($x)"},
      {"tanh", "tanh($x)"},
      {"silu", "silu($x)"},
      {"gelu", "gelu($x)"},
      {"softplus", "softplus($x)"},
      {"hardswish", "$x * clamp($x + 3, 0, 6) / 6"},
      {"hardsigmoid", "clamp($x / 6 + 0.5, 0, 1)"},
      {"hardtanh", "clamp($x, -1, 1)", exact},
      {"relu6", "clamp($x, 0, 6)", exact},
      {"elu", "where($x > 0, $x, $a * (exp($x) - 1))", 0, {{1, 0.5, 0.25}}},
      {"selu", "1.0507 * where($x > 0, $x, 1.67326 * (exp($x) - 1))"},
      {"softsign", "$x / (abs($x) + 1)"},
      {"mish", "$x * tanh(softplus($x))"},
      {"quick_gelu", "$x * sigmoid(1.702 * $x)"},
      {"swiglu", "silu($x) * $y"},
      {"squared_difference", "($x - $y) ** 2"},
      {"hypot", "sqrt($x * $x + $y * $y)"},
      {"lerp", "$x + $a * ($y - $x)", 0, {{0.25, 0.5, 0.75}}},
      {"abs_max", "max(abs($x), abs($y))", exact},
      {"muladd", "$x * $y + $w", whole},
      {"addcmul", "$x + $a * $y * $w", 0, {{0.5, 2, -1}}},
      {"addcdiv", "$x + $a * $y / $w", positive, {{0.5, 2, 0.25}}},
      // Comparison and choice.
      {"threshold", "where($x > $a, $x, $b)", step | exact, {{0, 0.5, -0.5}, {-1, 2, 0.25}}},
      {"step", "where($x > $a, 1, 0)", step | exact, {{0, 0.5, -0.5, 1}}},
      {"greater", "where($x > $y, 1, 0)", step | exact},
      {"less", "where($x < $y, 1, 0)", step | exact},
      {"greater_equal", "where($x >= $y, 1, 0)", step | exact},
      {"less_equal", "where($x <= $y, 1, 0)", step | exact},
      {"select_gt", "where($x > $y, $x, $w)", step | exact},
      {"select_lt", "where($x < $y, $x, $w)", step | exact},
      {"inside", "where(($x > $a) & ($x < $b), 1, 0)", step | exact, {{-1, -0.5}, {0.5, 1}}},
      {"select_positive", "where($x > 0, $y, $w)", step | exact},
      {"masked_fill", "where($y > 0, $a, $x)", step | exact, {{-8, 0.5, 4}}},
      // Casts.
      {"to_float", "$x", cast | exact},
      {"to_half", "$x", cast | exact},
      {"to_bfloat16", "$x", cast | exact},
      {"to_int32", "int32($x)", cast | step | exact},
      {"to_int8", "$x", cast | step | exact},
      // Optimisers.
      {"momentum", "$a * $x + $y", 0, {{0.875, 0.75, 0.5}}},
      {"ema", "$a * $x + (1 - $a) * $y", 0, {{0.875, 0.75, 0.9375}}},
      {"ema_square", "$a * $x + (1 - $a) * $y * $y", 0, {{0.875, 0.75, 0.9375}}},
      {"accumulate_square", "$x + $y * $y"},
      {"descend", "$x - $a * $y", 0, {{0.125, 0.0625, 0.25}}},
      {"descend_root", "$x - $a * $y / (sqrt($w) + 0.001)", 0, {{0.125, 0.0625, 0.03125}}},
      {"decay", "$x * (1 - $a)", 0, {{0.125, 0.0625}}},
      {"sign_descend", "$x - $a * where($y > 0, 1, where($y < 0, -1, 0))", step, {{0.125, 0.0625}}},
      // Along rows, to a number.
      {"reduce_sum", "sum($x)", adds},
      {"reduce_mean", "mean($x)", adds | mean},
      {"reduce_max", "max($x)", exact},
      {"reduce_min", "min($x)", exact},
      {"reduce_l1", "sum(abs($x))", adds},
      {"reduce_l2", "sqrt(sum($x * $x))", adds | mean},
      {"reduce_square_sum", "sum($x * $x)", adds},
      {"reduce_range", "max($x) - min($x)"},
      {"reduce_variance", "$1 = $x - mean($x); mean($1 * $1)", adds | mean},
      {"logsumexp", "$1 = max($x); $1 + log(sum(exp($x - $1)))"},
      {"row_dot", "sum($x * $y)", adds},
      {"row_mse", "mean(($x - $y) ** 2)", adds | mean},
      {"cosine_similarity", "sum($x * $y) * rsqrt(sum($x * $x) * sum($y * $y))"},
      {"row_cross_entropy", "$1 = $x - max($x); $2 = log(sum(exp($1))); -sum($y * ($1 - $2))", adds | positive},
      {"pick", "", exact},
      // Along rows, the shape stays or the last axis changes.
      {"softmax", "$1 = exp($x - max($x)); $1 / sum($1)"},
      {"softmin", "$1 = exp(min($x) - $x); $1 / sum($1)"},
      {"log_softmax", "$1 = $x - max($x); $1 - log(sum(exp($1)))"},
      {"layer_norm", "$1 = $x - mean($x); $1 * rsqrt(mean($1 * $1) + $a)", 0, {{1e-5, 1e-3}}},
      {"rms_norm", "$x * rsqrt(mean($x * $x) + $a)", 0, {{1e-5, 1e-3, 1e-6}}},
      {"row_center", "$x - mean($x)"},
      {"row_scale_max", "$x / max($x)", positive},
      {"l1_normalise", "$x / sum(abs($x))"},
      {"l2_normalise", "$x * rsqrt(sum($x * $x) + 1e-6)"},
      {"min_max_normalise", "$1 = min($x); ($x - $1) / (max($x) - $1)"},
      {"cumsum", "cumsum($x)", adds},
      {"cumprod", "cumprod($x)"},
      {"flip", "flip($x)", exact},
      {"max_pool", "", exact, {{2, 3}, {1, 2, 3}}},
      {"min_pool", "", exact, {{2, 3}, {1, 2}}},
      {"avg_pool", "", 0, {{2, 3, 4}, {1, 2}}},
      {"slice", "", exact, {{0, 3, 8}, {5, 16, 33}}},
      {"stride_slice", "$x[::$a]", exact, {{2, 3, 4}}},
      {"take", "", exact},
      // Over the last axis but one, and over all.
      {"col_sum", "", adds},
      {"col_mean", "", adds | mean},
      {"col_max", "", exact},
      {"col_min", "", exact},
      {"sum_all", "$x", adds},
      {"mean_all", "$x", adds | mean},
      {"max_all", "", exact},
      {"min_all", "", exact},
      {"mse_loss", "($x - $y) ** 2", adds | mean},
      {"l1_loss", "abs($x - $y)", adds | mean},
      {"hinge_loss", "max(1 - $x * $y, 0)", adds | mean},
      {"kl_div_loss", "$y * (log($y) - $x)", adds | mean | positive},
      {"bce_logits_loss", "max($x, 0) - $x * $y + log(1 + exp(-abs($x)))", adds | mean | positive},
      {"soft_margin_loss", "softplus(-($x * $y))", adds | mean},
      {"huber_loss", "$1 = abs($x - $y); $2 = min($1, $a); $2 * ($1 - 0.5 * $2)", adds | mean, {{0.5, 1}}},
      {"gather_rows", "", exact},
      {"matmul", "", adds},
  };
}

}  // namespace

const std::vector<Word>& vocabulary() {
  static const std::vector<Word> words = make_words();
  return words;
}

const Word& word(std::string_view op) {
  static const auto by_name = [] {
    std::unordered_map<std::string_view, const Word*> map;
    for (const Word& each : vocabulary()) map.emplace(each.op, &each);
    return map;
  }();
  const auto found = by_name.find(op);
  KG_CHECK(found != by_name.end());
  return *found->second;
}

}  // namespace kg::dataset::cot
