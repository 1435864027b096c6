#include "dataset/cot/modules/row_steps.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr RowStep kRowSteps[] = {
    {"softmax", "softmax", "", "$1 = exp($x - max($x)); $1 / sum($1)",
     "1:torch.softmax(@x, dim=$d) ~ 1:F.softmax(@x, dim=$d) ~ 1:$x.softmax(dim=$d) ~ 1:M:nn.Softmax(dim=$d) ~ "
     "torch.exp($x - torch.amax(@x, dim=$d, keepdim=True)) / torch.exp($x - torch.amax(@x, dim=$d, "
     "keepdim=True)).sum(dim=$d, keepdim=True) ~ "
     "torch.exp(@x) / torch.exp(@x).sum(dim=$d, keepdim=True)",
     false, true, false},
    {"log_softmax", "log softmax", "", "$1 = $x - max($x); $1 - log(sum(exp($1)))",
     "1:torch.log_softmax(@x, dim=$d) ~ 1:F.log_softmax(@x, dim=$d) ~ 1:M:nn.LogSoftmax(dim=$d) ~ "
     "$x - torch.logsumexp(@x, dim=$d, keepdim=True) ~ 1:torch.log(torch.softmax(@x, dim=$d)) ~ "
     "1:$x.log_softmax($d)"},
    {"softmin", "softmin", "", "$1 = exp(min($x) - $x); $1 / sum($1)",
     "1:F.softmin(@x, dim=$d) ~ 1:torch.softmax(-$x, dim=$d) ~ 1:M:nn.Softmin(dim=$d)", false, true, true},
    {"softmax_scaled", "softmax of it div $a", "p", "$1 = $x / $a; $2 = exp($1 - max($1)); $2 / sum($2)",
     "1:torch.softmax($x / $a, dim=$d) ~ 1:F.softmax($x / $a, dim=$d) ~ 1:($x / $a).softmax(dim=$d)", false, true,
     true},
    {"layer_norm", "layer norm $a", "e", "$1 = $x - mean($x); $1 * rsqrt(mean($1 * $1) + $a)",
     "F.layer_norm(@x, ({C},), eps=$a) ~ M:nn.LayerNorm({C}, eps=$a, elementwise_affine=False) ~ "
     "($x - $x.mean(dim=$d, keepdim=True)) / torch.sqrt($x.var(dim=$d, keepdim=True, unbiased=False) + $a) ~ "
     "($x - torch.mean(@x, dim=$d, keepdim=True)) * torch.rsqrt(torch.var(@x, dim=$d, keepdim=True, unbiased=False) "
     "+ $a)"},
    {"layer_norm_default", "layer norm 1e-5", "", "$1 = $x - mean($x); $1 * rsqrt(mean($1 * $1) + 1e-5)",
     "F.layer_norm(@x, ({C},)) ~ M:nn.LayerNorm({C}, elementwise_affine=False) ~ F.layer_norm(@x, "
     "normalized_shape=({C},))"},
    {"rms_norm", "rms norm $a", "e", "$x * rsqrt(mean($x * $x) + $a)",
     "$x * torch.rsqrt($x.pow(2).mean($d, keepdim=True) + $a) ~ $x / torch.sqrt(torch.mean($x ** 2, dim=$d, "
     "keepdim=True) + $a) ~ "
     "F.rms_norm(@x, ({C},), eps=$a) ~ $x * ($x.pow(2).mean(dim=$d, keepdim=True) + $a).rsqrt()"},
    {"standardise", "standardise (n - 1) $a", "e", "$1 = $x - mean($x); $1 / (sqrt(sum($1 * $1) / (len($1) - 1)) + $a)",
     "($x - $x.mean(dim=$d, keepdim=True)) / ($x.std(dim=$d, keepdim=True) + $a) ~ "
     "($x - torch.mean(@x, dim=$d, keepdim=True)) / (torch.std(@x, dim=$d, keepdim=True) + $a)"},
    {"l2_normalise", "l2 normalise, at least $a", "e", "$x / max(sqrt(sum($x * $x)), $a)",
     "1:F.normalize(@x, p=2, dim=$d, eps=$a) ~ $x / torch.norm(@x, p=2, dim=$d, keepdim=True).clamp(min=$a) ~ "
     "$x / torch.clamp($x.norm(dim=$d, keepdim=True), min=$a) ~ 1:F.normalize(@x, dim=$d, eps=$a)"},
    {"l2_normalise_default", "l2 normalise, at least 1e-12", "", "$x / max(sqrt(sum($x * $x)), 1e-12)",
     "1:F.normalize(@x, dim=$d) ~ 1:F.normalize(@x, p=2, dim=$d) ~ 1:F.normalize(@x, p=2.0, dim=$d)", false, false,
     true},
    {"l2_normalise_plain", "l2 normalise", "", "$x * rsqrt(sum($x * $x))",
     "$x / torch.norm(@x, p=2, dim=$d, keepdim=True) ~ $x / $x.norm(dim=$d, keepdim=True) ~ "
     "$x / torch.sqrt(torch.sum($x * $x, dim=$d, keepdim=True))"},
    {"l1_normalise", "l1 normalise", "", "$x / sum(abs($x))",
     "$x / torch.sum(torch.abs(@x), dim=$d, keepdim=True) ~ $x / $x.abs().sum(dim=$d, keepdim=True) ~ "
     "$x / torch.norm(@x, p=1, dim=$d, keepdim=True)"},
    {"l1_normalise_eps", "l1 normalise, plus $a", "e", "$x / (sum(abs($x)) + $a)",
     "$x / ($x.abs().sum(dim=$d, keepdim=True) + $a) ~ $x / (torch.sum(torch.abs(@x), dim=$d, keepdim=True) + $a)"},
    {"mean_abs_normalise", "div by mean of abs", "", "$x / mean(abs($x))",
     "$x / torch.mean(torch.abs(@x), dim=$d, keepdim=True) ~ $x / $x.abs().mean(dim=$d, keepdim=True)"},
    {"min_max", "min max normalise $a", "e", "$1 = min($x); ($x - $1) / (max($x) - $1 + $a)",
     "($x - torch.amin(@x, dim=$d, keepdim=True)) / (torch.amax(@x, dim=$d, keepdim=True) - torch.amin(@x, dim=$d, "
     "keepdim=True) + $a) ~ "
     "($x - $x.amin($d, keepdim=True)) / ($x.amax($d, keepdim=True) - $x.amin($d, keepdim=True) + $a)"},
    {"center", "sub mean", "", "$x - mean($x)",
     "$x - $x.mean(dim=$d, keepdim=True) ~ $x - torch.mean(@x, dim=$d, keepdim=True) ~ 1:$x - "
     "$x.mean($d).unsqueeze($d)"},
    {"sub_max", "sub max", "", "$x - max($x)",
     "$x - $x.amax(dim=$d, keepdim=True) ~ 1:$x - torch.max(@x, dim=$d, keepdim=True)[0] ~ 1:$x - $x.max(dim=$d, "
     "keepdim=True).values"},
    {"share", "div by sum", "", "$x / sum($x)",
     "$x / $x.sum(dim=$d, keepdim=True) ~ torch.div(@x, torch.sum(@x, dim=$d, keepdim=True)) ~ 1:F.normalize(@x, "
     "p=1, dim=$d)",
     true, true},
    {"quantise_rows", "quantise by max of abs", "", "round($x * (127 / max(abs($x))))",
     "torch.round($x * (127 / $x.abs().amax(dim=$d, keepdim=True))) ~ ($x * (127.0 / torch.amax(torch.abs(@x), "
     "dim=$d, keepdim=True))).round()"},
    {"flip", "flip", "", "flip($x)", "1:torch.flip(@x, dims=[$d]) ~ 1:$x.flip($d)", false, false, true},
};

constexpr RowLoss kRowLosses[] = {
    {"cross_entropy",
     "cross entropy of index $y",
     "ni",
     {"pred", "index"},
     "",
     "$1 = max($x); log(sum(exp($x - $1))) + $1 - $x[$y]",
     "F.cross_entropy(@x, @y, reduction=\"none\") ~ torch.logsumexp(@x, dim=$d) - $x.gather(1, "
     "$y.unsqueeze(1)).squeeze(1) ~ "
     "-torch.log_softmax(@x, dim=$d).gather(1, $y[:, None])[:, 0] ~ F.nll_loss(F.log_softmax(@x, dim=$d), @y, "
     "reduction=\"none\")",
     "F.cross_entropy(@x, @y) ~ M:nn.CrossEntropyLoss() ~ F.nll_loss(F.log_softmax(@x, dim=$d), @y) ~ "
     "F.cross_entropy(@x, @y, reduction=\"mean\")"},
    {"nll",
     "minus element $y",
     "ni",
     {"pred", "index"},
     "",
     "-$x[$y]",
     "F.nll_loss(@x, @y, reduction=\"none\") ~ -$x.gather(1, $y.unsqueeze(1)).squeeze(1)",
     "F.nll_loss(@x, @y) ~ M:nn.NLLLoss()"},
    {"soft_cross_entropy",
     "cross entropy of probabilities $y",
     "np",
     {"pred", "target"},
     "",
     "$1 = $x - max($x); log(sum(exp($1))) * sum($y) - sum($y * $1)",
     "-($y * torch.log_softmax(@x, dim=$d)).sum(dim=$d) ~ -(F.log_softmax(@x, dim=$d) * $y).sum($d) ~ torch.sum(-$y "
     "* F.log_softmax(@x, $d), dim=$d)",
     "F.cross_entropy(@x, @y) ~ M:nn.CrossEntropyLoss()"},
    {"cosine",
     "cosine similarity with $y, at least $a",
     "nn",
     {"pred", "target"},
     "e",
     "sum($x * $y) / (max(sqrt(sum($x * $x)), $a) * max(sqrt(sum($y * $y)), $a))",
     "F.cosine_similarity(@x, @y, dim=$d, eps=$a)"},
    {"cosine_distance",
     "1 minus cosine similarity with $y",
     "nn",
     {"pred", "target"},
     "",
     "1 - sum($x * $y) / sqrt(sum($x * $x) * sum($y * $y))",
     "1 - F.cosine_similarity(@x, @y, dim=$d) ~ 1 - ($x * $y).sum($d) / ($x.norm(dim=$d) * $y.norm(dim=$d)) ~ 1.0 - "
     "torch.cosine_similarity(@x, @y, dim=$d)"},
    {"distance",
     "l2 distance to $y",
     "nn",
     {"pred", "target"},
     "",
     "$1 = $x - $y; sqrt(sum($1 * $1))",
     "torch.norm($x - $y, dim=$d) ~ ($x - $y).pow(2).sum(dim=$d).sqrt() ~ torch.sqrt((($x - $y) ** 2).sum(dim=$d)) ~ "
     "torch.linalg.vector_norm($x - $y, dim=$d)"},
    {"pairwise_distance",
     "l2 distance to $y plus $a",
     "nn",
     {"pred", "target"},
     "e",
     "$1 = $x - $y + $a; sqrt(sum($1 * $1))",
     "F.pairwise_distance(@x, @y, eps=$a) ~ F.pairwise_distance(@x, @y, p=2.0, eps=$a)"},
    {"manhattan",
     "l1 distance to $y",
     "nn",
     {"pred", "target"},
     "",
     "sum(abs($x - $y))",
     "torch.abs($x - $y).sum(dim=$d) ~ ($x - $y).abs().sum($d) ~ torch.norm($x - $y, p=1, dim=$d)"},
    {"dot",
     "dot with $y",
     "nn",
     {"pred", "target"},
     "",
     "sum($x * $y)",
     "($x * $y).sum(dim=$d) ~ torch.sum($x * $y, dim=$d) ~ torch.einsum(\"ij,ij->i\", @x, @y)"},
    {"contrast",
     "l2 distance of squares margin $a",
     "nnn",
     {"anchor", "near", "far"},
     "m",
     "$1 = $x - $y; $2 = $x - $w; relu(sum($1 * $1) - sum($2 * $2) + $a)",
     "F.relu((($x - $y) ** 2).sum(dim=$d) - (($x - $w) ** 2).sum(dim=$d) + $a) ~ torch.clamp(($x - "
     "$y).pow(2).sum($d) - ($x - $w).pow(2).sum($d) + $a, min=0)"},
    {"triplet",
     "triplet margin $a",
     "nnn",
     {"anchor", "near", "far"},
     "m",
     "$1 = $x - $y + 1e-6; $2 = $x - $w + 1e-6; relu(sqrt(sum($1 * $1)) - sqrt(sum($2 * $2)) + $a)",
     "F.triplet_margin_loss(@x, @y, @w, margin=$a, reduction=\"none\") ~ F.relu(F.pairwise_distance(@x, @y) - "
     "F.pairwise_distance(@x, @w) + $a)",
     "F.triplet_margin_loss(@x, @y, @w, margin=$a) ~ M:nn.TripletMarginLoss(margin=$a)"},
    {"triplet_plain",
     "triplet of l2 distances margin $a",
     "nnn",
     {"anchor", "near", "far"},
     "m",
     "$1 = $x - $y; $2 = $x - $w; relu(sqrt(sum($1 * $1)) - sqrt(sum($2 * $2)) + $a)",
     "F.relu(torch.norm($x - $y, dim=$d) - torch.norm($x - $w, dim=$d) + $a) ~ torch.clamp(($x - "
     "$y).pow(2).sum($d).sqrt() - ($x - $w).pow(2).sum($d).sqrt() + $a, min=0)"},
    {"kl_logs",
     "kl from $y of log probabilities",
     "np",
     {"pred", "target"},
     "",
     "sum($y * (log($y) - $x))",
     "F.kl_div(@x, @y, reduction=\"none\").sum(dim=$d) ~ ($y * (torch.log(@y) - $x)).sum(dim=$d)",
     "F.kl_div(@x, @y, reduction=\"batchmean\") ~ M:nn.KLDivLoss(reduction=\"batchmean\")"},
    {"cosine_triplet",
     "cosine margin $a",
     "nnn",
     {"anchor", "near", "far"},
     "m",
     "$1 = rsqrt(sum($x * $x)); relu($a - sum($x * $y) * $1 * rsqrt(sum($y * $y)) + sum($x * $w) * $1 * rsqrt(sum($w "
     "* $w)))",
     "F.relu($a - F.cosine_similarity(@x, @y, dim=$d) + F.cosine_similarity(@x, @w, dim=$d)) ~ "
     "torch.clamp(F.cosine_similarity(@x, @w, dim=$d) - F.cosine_similarity(@x, @y, dim=$d) + $a, min=0)"},
    {"kl_rows",
     "kl of softmax from $y",
     "np",
     {"pred", "target"},
     "",
     "$1 = $x - max($x); sum($y * (log($y) - $1)) + log(sum(exp($1))) * sum($y)",
     "F.kl_div(F.log_softmax(@x, dim=$d), @y, reduction=\"none\").sum(dim=$d) ~ ($y * (torch.log(@y) - "
     "F.log_softmax(@x, dim=$d))).sum($d)",
     "F.kl_div(F.log_softmax(@x, dim=$d), @y, reduction=\"batchmean\")"},
    {"entropy",
     "entropy",
     "p",
     {"pred"},
     "",
     "-sum($x * log($x))",
     "-($x * torch.log(@x)).sum(dim=$d) ~ -torch.sum($x * $x.log(), dim=$d)"},
    {"entropy_logits",
     "entropy of softmax",
     "n",
     {"pred"},
     "",
     "$1 = $x - max($x); $2 = exp($1); $3 = sum($2); log($3) - sum($2 * $1) / $3",
     "-(torch.softmax(@x, dim=$d) * torch.log_softmax(@x, dim=$d)).sum(dim=$d) ~ "
     "torch.distributions.Categorical(logits=$x).entropy()"},
    {"dice",
     "dice $a with $y",
     "++",
     {"pred", "target"},
     "e",
     "1 - (2 * sum($x * $y) + $a) / (sum($x) + sum($y) + $a)",
     "1 - (2 * ($x * $y).sum(dim=$d) + $a) / ($x.sum(dim=$d) + $y.sum(dim=$d) + $a) ~ 1 - (2.0 * torch.sum($x * $y, "
     "$d) + $a) / (torch.sum(@x, $d) + torch.sum(@y, $d) + $a)"},
    {"smooth_cross_entropy",
     "cross entropy of index $y smoothed $a",
     "ni",
     {"pred", "index"},
     "u",
     "$1 = max($x); log(sum(exp($x - $1))) + $1 - (1 - $a) * $x[$y] - $a * mean($x)",
     "F.cross_entropy(@x, @y, reduction=\"none\", label_smoothing=$a)",
     "F.cross_entropy(@x, @y, label_smoothing=$a) ~ M:nn.CrossEntropyLoss(label_smoothing=$a)"},
    {"multi_margin",
     "relu of $a plus it minus element $y, summed, minus $a",
     "ni",
     {"pred", "index"},
     "m",
     "sum(relu($x - $x[$y] + $a)) - $a",
     "torch.clamp($x - $x.gather(1, $y.unsqueeze(1)) + $a, min=0).sum(dim=$d) - $a ~ F.relu($x - $x.gather(1, $y[:, "
     "None]) + $a).sum($d) - $a"},
};

constexpr RowLoss kRowGradients[] = {
    {"softmax_grad",
     "softmax grad from output $y",
     "np",
     {"grad", "saved"},
     "",
     "$y * ($x - sum($x * $y))",
     "$y * ($x - ($x * $y).sum(dim=$d, keepdim=True)) ~ $x * $y - $y * torch.sum($x * $y, dim=$d, keepdim=True)"},
    {"log_softmax_grad",
     "log softmax grad from output $y",
     "nn",
     {"grad", "saved"},
     "",
     "$x - exp($y) * sum($x)",
     "$x - torch.exp(@y) * $x.sum(dim=$d, keepdim=True) ~ $x - $y.exp() * torch.sum(@x, dim=$d, keepdim=True)"},
    {"rms_grad",
     "rms norm grad $a at $y",
     "nn",
     {"grad", "saved"},
     "e",
     "$1 = rsqrt(mean($y * $y) + $a); $1 * ($x - $y * ($1 * $1 * mean($x * $y)))",
     "torch.rsqrt($y.pow(2).mean($d, keepdim=True) + $a) * ($x - $y * ($x * $y).mean($d, keepdim=True) / "
     "($y.pow(2).mean($d, keepdim=True) + $a))"},
    {"layer_norm_grad",
     "layer norm grad $a at $y",
     "nn",
     {"grad", "saved"},
     "e",
     "$1 = $y - mean($y); $2 = rsqrt(mean($1 * $1) + $a); $3 = $1 * $2; $2 * ($x - mean($x) - $3 * mean($x * $3))",
     "torch.rsqrt($y.var($d, unbiased=False, keepdim=True) + $a) * ($x - $x.mean($d, keepdim=True) - ($y - "
     "$y.mean($d, keepdim=True)) * "
     "(($x * ($y - $y.mean($d, keepdim=True))).mean($d, keepdim=True) / ($y.var($d, unbiased=False, keepdim=True) + "
     "$a)))"},
    {"cross_entropy_grad",
     "softmax minus $y",
     "np",
     {"saved", "target"},
     "",
     "$1 = exp($x - max($x)); $1 / sum($1) - $y",
     "torch.softmax(@x, dim=$d) - $y ~ F.softmax(@x, $d) - $y"},
    {"normalise_grad",
     "l2 normalise grad at $y",
     "nn",
     {"grad", "saved"},
     "",
     "$1 = sum($y * $y); ($x - $y * (sum($x * $y) / $1)) * rsqrt($1)",
     "($x - $y * (($x * $y).sum($d, keepdim=True) / $y.pow(2).sum($d, keepdim=True))) / $y.norm(dim=$d, "
     "keepdim=True)"},
    {"center_grad", "sub mean", "n", {"grad"}, "", "$x - mean($x)", "$x - $x.mean(dim=$d, keepdim=True)"},
};

}  // namespace

std::span<const RowStep> row_steps() { return kRowSteps; }

std::span<const RowLoss> row_losses() { return kRowLosses; }

std::span<const RowLoss> row_gradients() { return kRowGradients; }

}  // namespace kg::dataset::cot::modules
