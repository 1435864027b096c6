#include "dataset/cot/modules/vocabulary.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr Word kActivations[] = {
    {"relu", 1, "", kExact | kCommon, "relu($x)", "relu", "relu(x) ~ max(x, 0) ~ max(0, x)",
     "torch.relu(@x) ~ F.relu(@x) ~ $x.relu() ~ $x.clamp(min=0) ~ torch.clamp(@x, min=0.0) ~ M:nn.ReLU() ~ "
     "torch.maximum(@x, torch.zeros_like(@x)) ~ $x * ($x > 0) ~ F.threshold(@x, 0, 0) ~ torch.clamp_min(@x, 0) ~ "
     "torch.where($x > 0, @x, torch.zeros_like(@x)) ~ ($x + $x.abs()) / 2"},
    {"sigmoid", 1, "", kGivesPositive | kGivesBounded | kCommon, "sigmoid($x)", "sigmoid",
     "sigmoid(x) ~ 1 / (1 + exp(-x))",
     "torch.sigmoid(@x) ~ F.sigmoid(@x) ~ $x.sigmoid() ~ M:nn.Sigmoid() ~ 1 / (1 + torch.exp(-$x)) ~ "
     "1.0 / (1.0 + (-$x).exp()) ~ torch.reciprocal(1 + torch.exp(-$x)) ~ torch.special.expit(@x) ~ "
     "0.5 * (1 + torch.tanh($x / 2)) ~ (1 + torch.exp(-$x)).pow(-1) ~ torch.exp(F.logsigmoid(@x))"},
    {"tanh", 1, "", kGivesBounded | kCommon, "tanh($x)", "tanh",
     "tanh(x) ~ tanh(x) ~ (exp(x) - exp(-x)) / (exp(x) + exp(-x))",
     "torch.tanh(@x) ~ F.tanh(@x) ~ $x.tanh() ~ M:nn.Tanh() ~ 2 * torch.sigmoid(2 * $x) - 1 ~ "
     "(torch.exp(2 * $x) - 1) / (torch.exp(2 * $x) + 1)"},
    {"silu", 1, "", kCommon, "silu($x)", "silu", "silu(x) ~ x * sigmoid(x) ~ x / (1 + exp(-x))",
     "F.silu(@x) ~ M:nn.SiLU() ~ $x * torch.sigmoid(@x) ~ $x * $x.sigmoid() ~ $x / (1 + torch.exp(-$x)) ~ "
     "torch.mul(@x, torch.sigmoid(@x)) ~ torch.sigmoid(@x) * $x ~ $x * F.sigmoid(@x)"},
    {"gelu_tanh", 1, "", kCommon, "gelu($x)", "gelu tanh",
     "0.5 * x * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x ** 3))) ~ gelu(x)",
     "F.gelu(@x, approximate=\"tanh\") ~ M:nn.GELU(approximate='tanh') ~ "
     "0.5 * $x * (1.0 + torch.tanh(math.sqrt(2.0 / math.pi) * ($x + 0.044715 * torch.pow(@x, 3.0)))) ~ "
     "0.5 * $x * (1 + torch.tanh(0.7978845608 * ($x + 0.044715 * $x ** 3))) ~ "
     "$x * 0.5 * (1 + torch.tanh(math.sqrt(2 / math.pi) * ($x + 0.044715 * $x * $x * $x)))"},
    {"gelu_erf", 1, "", kCommon, "$x * 0.5 * (1 + erf($x * 0.70710678))", "gelu erf",
     "0.5 * x * (1 + erf(x / sqrt(2))) ~ x / 2 * (1 + erf(x / sqrt(2)))",
     "F.gelu(@x) ~ M:nn.GELU() ~ torch.nn.functional.gelu(@x) ~ $x * 0.5 * (1.0 + torch.erf($x / math.sqrt(2.0))) ~ "
     "0.5 * $x * (1 + torch.erf($x / 2 ** 0.5)) ~ F.gelu(@x, approximate='none') ~ "
     "$x * torch.special.ndtr(@x)"},
    {"softplus", 1, "", kGivesPositive, "softplus($x)", "softplus", "log(1 + exp(x)) ~ softplus(x)",
     "F.softplus(@x) ~ M:nn.Softplus() ~ torch.log(1 + torch.exp(@x)) ~ torch.log1p(torch.exp(@x)) ~ "
     "$x.exp().log1p() ~ torch.logaddexp(@x, torch.zeros_like(@x)) ~ -F.logsigmoid(-$x)"},
    {"softplus_beta", 1, "p", kGivesPositive, "softplus($x * $a) / $a", "softplus beta $a",
     "log(1 + exp(a * x)) / a ~ 1 / a * log(1 + exp(a * x))",
     "F.softplus(@x, beta=$a) ~ M:nn.Softplus(beta=$a) ~ torch.log1p(torch.exp($a * $x)) / $a"},
    {"logsigmoid", 1, "", 0, "-softplus(-$x)", "logsigmoid",
     "-log(1 + exp(-x)) ~ log(sigmoid(x)) ~ log(1 / (1 + exp(-x)))",
     "F.logsigmoid(@x) ~ M:nn.LogSigmoid() ~ torch.log(torch.sigmoid(@x)) ~ -F.softplus(-$x)"},
    {"leaky_relu", 1, "s", kCommon, "leaky_relu($x, $a)", "leaky relu $a", "where(x > 0, x, a * x) ~ leaky_relu(x, a)",
     "F.leaky_relu(@x, $a) ~ F.leaky_relu(@x, negative_slope=$a) ~ M:nn.LeakyReLU($a) ~ "
     "M:nn.LeakyReLU(negative_slope=$a) ~ torch.where($x > 0, @x, $a * $x) ~ torch.where($x >= 0, @x, $x * $a) ~ "
     "torch.maximum(@x, $x * $a) ~ $x.clamp(min=0) + $a * $x.clamp(max=0) ~ F.relu(@x) - $a * F.relu(-$x)"},
    {"elu", 1, "p", kCommon, "max($x, 0) + $a * (exp(min($x, 0)) - 1)", "elu $a", "where(x > 0, x, a * (exp(x) - 1))",
     "F.elu(@x, alpha=$a) ~ M:nn.ELU($a) ~ M:nn.ELU(alpha=$a) ~ F.elu(@x, $a) ~ "
     "torch.where($x > 0, @x, $a * (torch.exp(@x) - 1)) ~ torch.where($x > 0, @x, $a * torch.expm1(@x)) ~ "
     "F.relu(@x) + $a * (torch.exp($x.clamp(max=0)) - 1)"},
    {"elu_one", 1, "", 0, "max($x, 0) + (exp(min($x, 0)) - 1)", "elu 1", "where(x > 0, x, exp(x) - 1)",
     "F.elu(@x) ~ M:nn.ELU() ~ torch.where($x > 0, @x, torch.exp(@x) - 1) ~ F.relu(@x) + "
     "torch.expm1($x.clamp(max=0)) ~ "
     "F.celu(@x)"},
    {"celu", 1, "p", 0, "max($x, 0) + $a * (exp(min($x, 0) / $a) - 1)", "celu $a",
     "where(x > 0, x, a * (exp(x / a) - 1)) ~ max(x, 0) + min(a * (exp(x / a) - 1), 0)",
     "F.celu(@x, alpha=$a) ~ M:nn.CELU($a) ~ F.celu(@x, $a) ~ torch.where($x > 0, @x, $a * torch.expm1($x / $a))"},
    {"selu", 1, "", 0, "1.050701 * (max($x, 0) + 1.6732632 * (exp(min($x, 0)) - 1))", "selu",
     "1.0507 * where(x > 0, x, 1.67326 * (exp(x) - 1))",
     "F.selu(@x) ~ torch.selu(@x) ~ M:nn.SELU() ~ "
     "1.0507009873554805 * torch.where($x > 0, @x, 1.6732632423543772 * (torch.exp(@x) - 1))"},
    {"hardsigmoid", 1, "", kGivesBounded, "clamp($x / 6 + 0.5, 0, 1)", "hardsigmoid",
     "min(max(x / 6 + 0.5, 0), 1) ~ clamp(x / 6 + 0.5, 0, 1) ~ min(max(x + 3, 0), 6) / 6",
     "F.hardsigmoid(@x) ~ M:nn.Hardsigmoid() ~ F.relu6($x + 3) / 6 ~ torch.clamp($x / 6 + 0.5, 0, 1) ~ "
     "torch.clamp($x + 3, 0, 6) / 6 ~ ($x + 3).clamp(0, 6) / 6"},
    {"hardswish", 1, "", kCommon, "$x * clamp($x / 6 + 0.5, 0, 1)", "hardswish",
     "x * min(max(x / 6 + 0.5, 0), 1) ~ x * min(max(x + 3, 0), 6) / 6",
     "F.hardswish(@x) ~ M:nn.Hardswish() ~ $x * F.relu6($x + 3) / 6 ~ $x * F.hardsigmoid(@x) ~ "
     "$x * torch.clamp($x + 3.0, min=0.0, max=6.0) / 6.0"},
    {"hardtanh", 1, "gh", kGivesBounded | kExact, "clamp($x, $a, $b)", "clamp $a $b",
     "min(max(x, a), b) ~ clamp(x, a, b)",
     "F.hardtanh(@x, min_val=$a, max_val=$b) ~ M:nn.Hardtanh($a, $b) ~ torch.clamp(@x, $a, $b) ~ "
     "torch.clamp(@x, min=$a, max=$b) ~ $x.clamp($a, $b) ~ torch.clip(@x, $a, $b) ~ $x.clamp(min=$a).clamp(max=$b) ~ "
     "M:nn.Hardtanh(min_val=$a, max_val=$b) ~ F.hardtanh(@x, $a, $b) ~ $x.clip($a, $b)"},
    {"hardtanh_one", 1, "", kGivesBounded | kExact, "clamp($x, -1, 1)", "clamp -1 1",
     "min(max(x, -1), 1) ~ clamp(x, -1, 1)",
     "F.hardtanh(@x) ~ M:nn.Hardtanh() ~ torch.clamp(@x, -1, 1) ~ $x.clamp(min=-1.0, max=1.0)"},
    {"relu6", 1, "", kGivesBounded | kExact, "clamp($x, 0, 6)", "clamp 0 6", "min(max(x, 0), 6) ~ clamp(x, 0, 6)",
     "F.relu6(@x) ~ M:nn.ReLU6() ~ torch.clamp(@x, 0, 6) ~ torch.clamp(F.relu(@x), max=6) ~ $x.clamp(0.0, 6.0)"},
    {"softsign", 1, "", kGivesBounded, "$x / (1 + abs($x))", "softsign", "",
     "F.softsign(@x) ~ M:nn.Softsign() ~ $x / (1 + torch.abs(@x)) ~ $x / (1 + $x.abs()) ~ "
     "torch.div(@x, torch.abs(@x) + 1) ~ $x / ($x.abs() + 1.0)"},
    {"mish", 1, "", kCommon, "$x * tanh(softplus($x))", "mish", "x * tanh(log(1 + exp(x))) ~ x * tanh(softplus(x))",
     "F.mish(@x) ~ M:nn.Mish() ~ $x * torch.tanh(F.softplus(@x)) ~ $x * F.softplus(@x).tanh() ~ "
     "$x * torch.tanh(torch.log(1 + torch.exp(@x)))"},
    {"quick_gelu", 1, "", 0, "$x * sigmoid(1.702 * $x)", "quick gelu",
     "x * sigmoid(1.702 * x) ~ x / (1 + exp(-1.702 * x))",
     "$x * torch.sigmoid(1.702 * $x) ~ $x * torch.sigmoid($x * 1.702) ~ torch.sigmoid(1.702 * $x) * $x"},
    {"swish_beta", 1, "p", 0, "$x * sigmoid($a * $x)", "swish beta $a", "x * sigmoid(a * x) ~ x / (1 + exp(-a * x))",
     "$x * torch.sigmoid($a * $x) ~ torch.sigmoid($x * $a) * $x ~ $x / (1 + torch.exp(-$a * $x))"},
    {"tanhshrink", 1, "", 0, "$x - tanh($x)", "tanhshrink", "",
     "F.tanhshrink(@x) ~ M:nn.Tanhshrink() ~ $x - torch.tanh(@x) ~ torch.sub(@x, torch.tanh(@x))"},
    {"softshrink", 1, "p", kExact, "where($x > $a, $x - $a, where($x < -$a, $x + $a, 0))", "softshrink $a",
     "sign(x) * max(abs(x) - a, 0) ~ where(x > a, x - a, where(x < -a, x + a, 0))",
     "F.softshrink(@x, lambd=$a) ~ M:nn.Softshrink($a) ~ F.softshrink(@x, $a) ~ "
     "torch.sign(@x) * F.relu(torch.abs(@x) - $a) ~ torch.sign(@x) * torch.clamp($x.abs() - $a, min=0)"},
    {"hardshrink", 1, "p", kExact | kJumps, "where(abs($x) > $a, $x, 0)", "hardshrink $a", "",
     "F.hardshrink(@x, lambd=$a) ~ M:nn.Hardshrink($a) ~ torch.where(torch.abs(@x) > $a, @x, torch.zeros_like(@x)) ~ "
     "$x * ($x.abs() > $a)"},
    {"threshold", 1, "tc", kExact | kJumps, "where($x > $a, $x, $b)", "threshold $a else $b", "",
     "F.threshold(@x, $a, $b) ~ M:nn.Threshold($a, $b) ~ torch.where($x > $a, @x, torch.full_like(@x, $b)) ~ "
     "$x.masked_fill($x <= $a, $b)"},
    {"squared_relu", 1, "", 0, "$1 = relu($x); $1 * $1", "relu; square", "max(x, 0) ** 2 ~ relu(x) ** 2",
     "torch.square(F.relu(@x)) ~ F.relu(@x) ** 2 ~ torch.relu(@x).pow(2) ~ F.relu(@x).square()"},
    {"exp_gauss", 1, "", kGivesPositive | kGivesBounded, "exp(-$x * $x)", "exp of -x^2", "exp(-x ** 2)",
     "torch.exp(-$x ** 2) ~ torch.exp(-$x * $x) ~ torch.exp(-torch.square(@x)) ~ (-$x.pow(2)).exp()"},
};

}  // namespace

std::span<const Word> activation_words() { return kActivations; }

std::vector<std::string> ways_of(const char* torch) {
  std::vector<std::string> ways;
  const std::string all = torch, between = " ~ ";
  std::size_t from = 0;
  for (std::size_t at; (at = all.find(between, from)) != std::string::npos; from = at + between.size())
    ways.push_back(all.substr(from, at - from));
  ways.push_back(all.substr(from));
  return ways;
}

}  // namespace kg::dataset::cot::modules
