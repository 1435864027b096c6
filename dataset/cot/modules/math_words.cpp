#include "dataset/cot/modules/vocabulary.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr Word kMath[] = {
    {"adds", 1, "c", kCommon, "$x + $a", "add $a", "",
     "$x + $a ~ $a + $x ~ torch.add(@x, $a) ~ $x.add($a) ~ $x - (-$a)"},
    {"subs", 1, "c", kCommon, "$x - $a", "sub $a", "", "$x - $a ~ torch.sub(@x, $a) ~ $x.sub($a) ~ -$a + $x"},
    {"rsubs", 1, "c", 0, "$a - $x", "$a minus it", "", "$a - $x ~ torch.rsub(@x, $a) ~ -($x - $a) ~ -$x + $a"},
    {"muls", 1, "c", kCommon, "$x * $a", "mul $a", "a * x ~ x * a",
     "$x * $a ~ $a * $x ~ torch.mul(@x, $a) ~ $x.mul($a) ~ torch.multiply(@x, $a)"},
    {"divs", 1, "p", kCommon, "$x / $a", "div $a", "",
     "$x / $a ~ torch.div(@x, $a) ~ $x.div($a) ~ torch.true_divide(@x, $a)"},
    {"neg", 1, "", kExact, "-$x", "neg", "", "-$x ~ torch.neg(@x) ~ $x.neg() ~ $x * -1 ~ torch.negative(@x) ~ 0 - $x"},
    {"abs", 1, "", kExact | kCommon, "abs($x)", "abs", "",
     "torch.abs(@x) ~ $x.abs() ~ abs(@x) ~ torch.absolute(@x) ~ torch.maximum(@x, -$x) ~ torch.sqrt($x ** 2)"},
    {"square", 1, "", kCommon, "$x * $x", "square", "x ** 2 ~ x * x",
     "$x ** 2 ~ $x.pow(2) ~ torch.square(@x) ~ $x * $x ~ torch.pow(@x, 2) ~ $x.square() ~ torch.mul(@x, @x)"},
    {"cube", 1, "", 0, "$x ** 3", "cube", "", "$x ** 3 ~ $x.pow(3) ~ torch.pow(@x, 3) ~ $x * $x * $x"},
    {"pow4", 1, "", 0, "$x ** 4", "power 4", "", "$x ** 4 ~ $x.pow(4) ~ torch.pow(@x, 4) ~ torch.square($x ** 2)"},
    {"exp", 1, "", kGrows | kGivesPositive | kCommon, "exp($x)", "exp", "", "torch.exp(@x) ~ $x.exp() ~ math.e ** $x"},
    {"expm1", 1, "", kGrows, "exp($x) - 1", "exp; sub 1", "", "torch.expm1(@x) ~ torch.exp(@x) - 1 ~ $x.exp() - 1"},
    {"exp2", 1, "", kGrows | kGivesPositive, "exp($x * 0.69314718)", "exp2", "2 ** x",
     "torch.exp2(@x) ~ 2 ** $x ~ torch.pow(2, @x)"},
    {"log", 1, "", kWantsPositive | kCommon, "log($x)", "log", "", "torch.log(@x) ~ $x.log()"},
    {"log2", 1, "", kWantsPositive, "log($x) * 1.44269504", "log2", "log2(x)",
     "torch.log2(@x) ~ $x.log2() ~ torch.log(@x) / math.log(2)"},
    {"log10", 1, "", kWantsPositive, "log($x) * 0.43429448", "log10", "log10(x)",
     "torch.log10(@x) ~ $x.log10() ~ torch.log(@x) / math.log(10.0)"},
    {"log1p", 1, "", kWantsPositive, "log($x + 1)", "log1p", "log(1 + x) ~ log(x + 1)",
     "torch.log1p(@x) ~ $x.log1p() ~ torch.log(1 + $x) ~ torch.log($x + 1)"},
    {"sqrt", 1, "", kWantsPositive | kGivesPositive | kCommon, "sqrt($x)", "sqrt", "",
     "torch.sqrt(@x) ~ $x.sqrt() ~ $x ** 0.5 ~ $x.pow(0.5) ~ torch.pow(@x, 0.5)"},
    {"rsqrt", 1, "", kWantsPositive | kGivesPositive, "rsqrt($x)", "rsqrt", "1 / sqrt(x)",
     "torch.rsqrt(@x) ~ $x.rsqrt() ~ 1 / torch.sqrt(@x) ~ $x ** -0.5 ~ torch.pow(@x, -0.5) ~ 1.0 / $x.sqrt()"},
    {"reciprocal", 1, "", kWantsPositive | kGivesPositive, "reciprocal($x)", "reciprocal", "1 / x",
     "torch.reciprocal(@x) ~ 1 / $x ~ 1.0 / $x ~ $x.reciprocal() ~ $x ** -1"},
    {"pows", 1, "q", kWantsPositive | kGivesPositive, "exp(log($x) * $a)", "power $a", "x ** a",
     "$x ** $a ~ torch.pow(@x, $a) ~ $x.pow($a)"},
    {"erf", 1, "", kGivesBounded, "erf($x)", "erf", "", "torch.erf(@x) ~ $x.erf() ~ torch.special.erf(@x)"},
    {"erfc", 1, "", 0, "1 - erf($x)", "erfc", "1 - erf(x) ~ erfc(x)",
     "torch.erfc(@x) ~ $x.erfc() ~ 1 - torch.erf(@x) ~ 1.0 - $x.erf()"},
    {"sin", 1, "", kGivesBounded, "sin($x)", "sin", "", "torch.sin(@x) ~ $x.sin()"},
    {"cos", 1, "", kGivesBounded, "cos($x)", "cos", "", "torch.cos(@x) ~ $x.cos()"},
    {"sinh", 1, "", kGrows, "(exp($x) - exp(-$x)) * 0.5", "sinh", "sinh(x) ~ (exp(x) - exp(-x)) / 2",
     "torch.sinh(@x) ~ $x.sinh() ~ (torch.exp(@x) - torch.exp(-$x)) / 2"},
    {"cosh", 1, "", kGrows | kGivesPositive, "(exp($x) + exp(-$x)) * 0.5", "cosh", "cosh(x) ~ (exp(x) + exp(-x)) / 2",
     "torch.cosh(@x) ~ $x.cosh() ~ (torch.exp(@x) + torch.exp(-$x)) / 2"},
    {"floor", 1, "", kJumps | kExact, "floor($x)", "floor", "", "torch.floor(@x) ~ $x.floor()"},
    {"ceil", 1, "", kJumps | kExact, "ceil($x)", "ceil", "", "torch.ceil(@x) ~ $x.ceil()"},
    {"round", 1, "", kJumps | kExact, "round($x)", "round", "", "torch.round(@x) ~ $x.round()"},
    {"trunc", 1, "", kJumps | kExact, "trunc($x)", "trunc", "", "torch.trunc(@x) ~ $x.trunc() ~ torch.fix(@x)"},
    {"frac", 1, "", kJumps, "$x - trunc($x)", "frac", "", "torch.frac(@x) ~ $x.frac() ~ $x - torch.trunc(@x)"},
    {"sign", 1, "", kJumps | kExact, "where($x > 0, 1, where($x < 0, -1, 0))", "sign",
     "sign(x) ~ where(x > 0, 1, where(x < 0, -1, 0))", "torch.sign(@x) ~ $x.sign() ~ torch.sgn(@x)"},
    {"step_above", 1, "t", kJumps | kExact, "where($x > $a, 1, 0)", "1 where above $a", "",
     "($x > $a).float() ~ torch.where($x > $a, 1.0, 0.0) ~ torch.gt(@x, $a).float() ~ ($x > $a).to(torch.float32)"},
    {"maxs", 1, "t", kExact, "max($x, $a)", "max with $a", "max(x, a) ~ max(a, x)",
     "torch.clamp(@x, min=$a) ~ $x.clamp(min=$a) ~ torch.clamp_min(@x, $a) ~ $x.clamp_min($a) ~ "
     "torch.maximum(@x, torch.full_like(@x, $a))"},
    {"mins", 1, "t", kExact, "min($x, $a)", "min with $a", "min(x, a) ~ min(a, x)",
     "torch.clamp(@x, max=$a) ~ $x.clamp(max=$a) ~ torch.clamp_max(@x, $a) ~ $x.clip(max=$a)"},
    {"affine", 1, "cc", 0, "$x * $a + $b", "mul $a; add $b", "a * x + b ~ x * a + b",
     "$x * $a + $b ~ $a * $x + $b ~ torch.add($x * $a, $b) ~ $x.mul($a).add($b) ~ $b + $a * $x"},
    {"clamp_tanh", 1, "p", kGivesBounded, "$a * tanh($x / $a)", "soft cap $a", "",
     "$a * torch.tanh($x / $a) ~ torch.tanh($x / $a) * $a ~ ($x / $a).tanh() * $a"},
    {"logit", 1, "", kWantsUnit, "log($x / (1 - $x))", "logit", "log(x / (1 - x)) ~ logit(x)",
     "torch.logit(@x) ~ torch.log($x / (1 - $x)) ~ torch.log(@x) - torch.log(1 - $x) ~ torch.special.logit(@x)"},
    {"quantise", 1, "p", kJumps, "clamp(round($x / $a), -128, 127)", "quantise by $a", "",
     "torch.clamp(torch.round($x / $a), -128, 127) ~ ($x / $a).round().clamp(-128, 127) ~ "
     "torch.clip(($x / $a).round(), min=-128, max=127)"},
    {"fake_quantise", 1, "p", kJumps, "clamp(round($x / $a), -128, 127) * $a", "quantise by $a; dequantise", "",
     "torch.clamp(torch.round($x / $a), -128, 127) * $a ~ ($x / $a).round().clamp(-128, 127) * $a ~ "
     "$a * torch.clip(torch.round($x / $a), -128, 127)"},
};

constexpr Word kJoining[] = {
    {"add", 2, "", kCommon, "$x + $y", "add $y", "", "$x + $y ~ torch.add(@x, @y) ~ $x.add(@y) ~ $y + $x"},
    {"sub", 2, "", kCommon, "$x - $y", "sub $y", "", "$x - $y ~ torch.sub(@x, @y) ~ $x.sub(@y) ~ -$y + $x"},
    {"mul", 2, "", kCommon, "$x * $y", "mul $y", "", "$x * $y ~ torch.mul(@x, @y) ~ $x.mul(@y) ~ $y * $x"},
    {"maximum", 2, "", kExact, "max($x, $y)", "max with $y", "",
     "torch.maximum(@x, @y) ~ torch.max(@x, @y) ~ torch.where($x > $y, @x, @y) ~ $x.maximum(@y) ~ torch.fmax(@x, "
     "@y)"},
    {"minimum", 2, "", kExact, "min($x, $y)", "min with $y", "",
     "torch.minimum(@x, @y) ~ torch.min(@x, @y) ~ $x.minimum(@y) ~ torch.where($x < $y, @x, @y)"},
    {"squared_difference", 2, "", 0, "($x - $y) ** 2", "squared difference with $y", "",
     "($x - $y) ** 2 ~ torch.square($x - $y) ~ ($x - $y).pow(2) ~ F.mse_loss(@x, @y, reduction=\"none\") ~ "
     "torch.pow($y - $x, 2)"},
    {"absolute_difference", 2, "", 0, "abs($x - $y)", "absolute difference with $y", "",
     "torch.abs($x - $y) ~ ($x - $y).abs() ~ F.l1_loss(@x, @y, reduction='none') ~ abs($y - $x)"},
    {"scaled_add", 2, "c", kCommon, "$x + $a * $y", "add $a times $y", "x + a * y ~ x + y * a",
     "$x + $a * $y ~ torch.add(@x, @y, alpha=$a) ~ $x.add(@y, alpha=$a) ~ $x + $y * $a ~ $a * $y + $x"},
    {"lerp", 2, "u", 0, "$x + $a * ($y - $x)", "lerp $y $a", "x + a * (y - x) ~ (1 - a) * x + a * y",
     "torch.lerp(@x, @y, $a) ~ $x + $a * ($y - $x) ~ (1 - $a) * $x + $a * $y ~ $x.lerp(@y, $a)"},
    {"ema", 2, "b", 0, "$a * $x + (1 - $a) * $y", "ema $a with $y", "",
     "$a * $x + (1 - $a) * $y ~ $x * $a + $y * (1 - $a) ~ $x.mul($a).add(@y, alpha=1 - $a) ~ $x.mul($a) + $y.mul(1 - "
     "$a)"},
    {"gated_silu", 2, "", kCommon, "silu($x) * $y", "silu; mul $y", "silu(x) * y ~ x * sigmoid(x) * y",
     "F.silu(@x) * $y ~ $y * F.silu(@x) ~ $x * torch.sigmoid(@x) * $y ~ torch.mul(F.silu(@x), @y)"},
    {"gated_sigmoid", 2, "", 0, "$x * sigmoid($y)", "mul sigmoid of $y", "",
     "$x * torch.sigmoid(@y) ~ torch.sigmoid(@y) * $x ~ $x / (1 + torch.exp(-$y)) ~ $x * $y.sigmoid()"},
    {"gated_gelu", 2, "", 0, "gelu($x) * $y", "gelu tanh; mul $y", "",
     "F.gelu(@x, approximate=\"tanh\") * $y ~ $y * F.gelu(@x, approximate='tanh')"},
    {"hypot", 2, "", 0, "sqrt($x * $x + $y * $y)", "hypot with $y", "",
     "torch.hypot(@x, @y) ~ torch.sqrt($x ** 2 + $y ** 2) ~ ($x * $x + $y * $y).sqrt() ~ torch.sqrt(torch.square(@x) "
     "+ torch.square(@y))"},
    {"select_positive", 2, "c", kJumps, "where($y > 0, $x, $x * $a)", "mul $a where $y is not positive", "",
     "torch.where($y > 0, @x, $x * $a) ~ torch.where($y <= 0, $a * $x, @x)"},
    {"addcmul", 3, "c", 0, "$x + $a * $y * $w", "add $a times $y times $w", "",
     "torch.addcmul(@x, @y, @w, value=$a) ~ $x + $a * $y * $w ~ $x.addcmul(@y, @w, value=$a)"},
    {"muladd", 3, "", 0, "$x * $y + $w", "mul $y; add $w", "",
     "$x * $y + $w ~ torch.addcmul(@w, @x, @y) ~ torch.add($x * $y, @w) ~ $w + $y * $x"},
    {"lerp_by", 3, "", 0, "$x + $w * ($y - $x)", "lerp $y by $w", "",
     "torch.lerp(@x, @y, @w) ~ $x + $w * ($y - $x) ~ (1 - $w) * $x + $w * $y"},
    {"gate_mix", 3, "", 0, "$1 = sigmoid($w); $1 * $x + (1 - $1) * $y", "mix with $y by sigmoid of $w",
     "sigmoid(w) * x + (1 - sigmoid(w)) * y",
     "torch.sigmoid(@w) * $x + (1 - torch.sigmoid(@w)) * $y ~ torch.lerp(@y, @x, torch.sigmoid(@w))"},
};

constexpr Word kGradients[] = {
    {"relu_grad", 2, "", 0, "where($y > 0, $x, 0)", "relu grad at $y", "",
     "$x * ($y > 0) ~ torch.where($y > 0, @x, torch.zeros_like(@x)) ~ $x.masked_fill($y <= 0, 0.0) ~ $x * ($y > "
     "0).float()"},
    {"sigmoid_grad", 2, "", 0, "$1 = sigmoid($y); $x * $1 * (1 - $1)", "sigmoid grad at $y", "",
     "$x * torch.sigmoid(@y) * (1 - torch.sigmoid(@y)) ~ $x * torch.sigmoid(@y) * torch.sigmoid(-$y)"},
    {"sigmoid_grad_out", 2, "", 0, "$x * $y * (1 - $y)", "sigmoid grad from output $y", "",
     "$x * $y * (1 - $y) ~ $x * (1 - $y) * $y ~ $x * ($y - $y * $y) ~ torch.mul(@x, $y * (1.0 - $y))"},
    {"tanh_grad", 2, "", 0, "$1 = tanh($y); $x * (1 - $1 * $1)", "tanh grad at $y", "x * (1 - tanh(y) ** 2)",
     "$x * (1 - torch.tanh(@y) ** 2) ~ $x * (1 - torch.tanh(@y).pow(2)) ~ $x - $x * torch.square(torch.tanh(@y))"},
    {"tanh_grad_out", 2, "", 0, "$x * (1 - $y * $y)", "tanh grad from output $y", "x * (1 - y ** 2)",
     "$x * (1 - $y ** 2) ~ $x * (1 - $y * $y) ~ $x * (1.0 - torch.square(@y)) ~ $x - $x * $y.pow(2)"},
    {"silu_grad", 2, "", 0, "$1 = sigmoid($y); $x * $1 * (1 + $y * (1 - $1))", "silu grad at $y", "",
     "$x * torch.sigmoid(@y) * (1 + $y * (1 - torch.sigmoid(@y)))"},
    {"softplus_grad", 2, "", 0, "$x * sigmoid($y)", "mul sigmoid of $y", "",
     "$x * torch.sigmoid(@y) ~ $x / (1 + torch.exp(-$y))"},
    {"leaky_grad", 2, "s", 0, "where($y > 0, $x, $x * $a)", "leaky relu grad $a at $y", "where(y > 0, x, a * x)",
     "torch.where($y > 0, @x, $a * $x) ~ torch.where($y > 0, @x, $x * $a) ~ $x * torch.where($y > 0, 1.0, $a)"},
    {"elu_grad", 2, "p", 0, "where($y > 0, $x, $x * $a * exp(min($y, 0)))", "elu grad $a at $y",
     "where(y > 0, x, a * x * exp(y))",
     "torch.where($y > 0, @x, $x * $a * torch.exp(@y)) ~ $x * torch.where($y > 0, torch.ones_like(@y), $a * "
     "torch.exp(@y))"},
    {"gelu_grad", 2, "", 0, "$x * (0.5 * (1 + erf($y * 0.70710678)) + $y * exp(-0.5 * $y * $y) * 0.39894228)",
     "gelu erf grad at $y", "",
     "$x * (0.5 * (1 + torch.erf($y / math.sqrt(2))) + $y * torch.exp(-0.5 * $y * $y) / math.sqrt(2 * math.pi)) ~ "
     "$x * (0.5 * (1 + torch.erf($y * 0.7071067811865476)) + $y * 0.3989422804014327 * torch.exp(-0.5 * $y ** 2))"},
    {"clamp_grad", 2, "gh", kJumps, "where(($y > $a) & ($y < $b), $x, 0)", "clamp grad $a $b at $y", "",
     "$x * (($y > $a) & ($y < $b)) ~ torch.where(($y > $a) & ($y < $b), @x, torch.zeros_like(@x))"},
    {"square_grad", 2, "", 0, "$x * 2 * $y", "mul 2 times $y", "2 * x * y",
     "2 * $x * $y ~ $x * 2 * $y ~ torch.mul(@x, 2 * $y)"},
    {"softsign_grad", 2, "", 0, "$1 = 1 + abs($y); $x / ($1 * $1)", "softsign grad at $y", "x / (1 + abs(y)) ** 2",
     "$x / (1 + torch.abs(@y)) ** 2 ~ $x / torch.square(1 + $y.abs())"},
    {"hardswish_grad", 2, "", kJumps, "$x * where($y > 3, 1, where($y < -3, 0, $y / 3 + 0.5))", "hardswish grad at $y",
     "", "$x * torch.where($y > 3, 1.0, torch.where($y < -3, 0.0, $y / 3 + 0.5))"},
};

}  // namespace

std::span<const Word> math_words() { return kMath; }

std::span<const Word> joining_words() { return kJoining; }

std::span<const Word> gradient_words() { return kGradients; }

}  // namespace kg::dataset::cot::modules
