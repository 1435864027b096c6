#include "dataset/cot/modules/maker.h"

namespace kg::dataset::cot::modules {
namespace {

constexpr Reduction kReductions[] = {
    {"sum", "sum", "sum($x)", "torch.sum(@x, dim=$d$k) ~ $x.sum(dim=$d$k) ~ $x.sum($d$k) ~ torch.sum(@x, $d$k)"},
    {"mean", "mean", "mean($x)", "torch.mean(@x, dim=$d$k) ~ $x.mean(dim=$d$k) ~ $x.mean($d$k) ~ torch.mean(@x, $d$k)"},
    {"max", "max", "max($x)",
     "torch.amax(@x, dim=$d$k) ~ $x.amax(dim=$d$k) ~ $x.amax($d$k) ~ 1:torch.max(@x, dim=$d$k)[0] ~ "
     "1:$x.max(dim=$d$k).values ~ 1:torch.max(@x, dim=$d$k).values ~ 1:$x.max($d$k)[0]"},
    {"min", "min", "min($x)",
     "torch.amin(@x, dim=$d$k) ~ $x.amin(dim=$d$k) ~ 1:torch.min(@x, dim=$d$k)[0] ~ 1:$x.min(dim=$d$k).values ~ "
     "1:torch.min(@x, $d$k)[0]"},
    {"norm", "l2 norm", "sqrt(sum($x * $x))",
     "torch.norm(@x, p=2, dim=$d$k) ~ $x.norm(dim=$d$k) ~ torch.linalg.vector_norm(@x, dim=$d$k) ~ "
     "torch.sqrt(torch.sum($x ** 2, dim=$d$k)) ~ $x.pow(2).sum(dim=$d$k).sqrt() ~ torch.linalg.norm(@x, dim=$d$k)"},
    {"norm1", "l1 norm", "sum(abs($x))",
     "torch.norm(@x, p=1, dim=$d$k) ~ torch.sum(torch.abs(@x), dim=$d$k) ~ $x.abs().sum(dim=$d$k)"},
    {"mean_square", "mean square", "mean($x * $x)",
     "torch.mean($x ** 2, dim=$d$k) ~ $x.pow(2).mean($d$k) ~ torch.mean(torch.square(@x), dim=$d$k) ~ "
     "($x * $x).mean(dim=$d$k)",
     true, true},
    {"variance", "variance", "$1 = $x - mean($x); mean($1 * $1)",
     "torch.var(@x, dim=$d, unbiased=False$k) ~ $x.var(dim=$d, unbiased=False$k) ~ torch.var(@x, dim=$d, "
     "correction=0$k) ~ "
     "$x.var($d, correction=0$k)",
     true, true},
    {"variance_1", "variance (n - 1)", "$1 = $x - mean($x); sum($1 * $1) / (len($1) - 1)",
     "torch.var(@x, dim=$d$k) ~ $x.var(dim=$d$k) ~ $x.var($d$k) ~ torch.var(@x, dim=$d, unbiased=True$k)", true, true},
    {"std", "std (n - 1)", "$1 = $x - mean($x); sqrt(sum($1 * $1) / (len($1) - 1))",
     "torch.std(@x, dim=$d$k) ~ $x.std(dim=$d$k) ~ $x.std($d$k)", true, true},
    {"std_0", "std", "$1 = $x - mean($x); sqrt(mean($1 * $1))",
     "torch.std(@x, dim=$d, unbiased=False$k) ~ $x.std(dim=$d, correction=0$k)", true, true},
    {"logsumexp", "logsumexp", "$1 = max($x); $1 + log(sum(exp($x - $1)))",
     "torch.logsumexp(@x, dim=$d$k) ~ $x.logsumexp(dim=$d$k) ~ $x.exp().sum(dim=$d$k).log()"},
    {"range", "max minus min", "max($x) - min($x)",
     "torch.amax(@x, dim=$d$k) - torch.amin(@x, dim=$d$k) ~ "
     "$x.amax(dim=$d$k) - $x.amin(dim=$d$k)"},
    {"max_abs", "max of abs", "max(abs($x))",
     "$x.abs().amax(dim=$d$k) ~ torch.amax(torch.abs(@x), dim=$d$k) ~ torch.norm(@x, p=float(\"inf\"), dim=$d$k) ~ "
     "1:$x.abs().max(dim=$d$k).values"},
    {"mean_abs", "mean of abs", "mean(abs($x))", "$x.abs().mean(dim=$d$k) ~ torch.mean(torch.abs(@x), dim=$d$k)"},
    {"count_positive", "count above 0", "sum(where($x > 0, 1, 0))",
     "($x > 0).sum(dim=$d$k).float() ~ torch.sum(($x > 0).float(), dim=$d$k)"},
};

}  // namespace

std::span<const Reduction> reductions() { return kReductions; }

std::vector<std::string> around(const std::vector<std::string>& outer, const std::vector<std::string>& inner) {
  std::vector<std::string> ways;
  for (const std::string& out : outer) {
    const bool atom = out.find("@x") == std::string::npos;
    const std::string mark = atom ? "$x" : "@x";
    const std::size_t at = out.find(mark);
    if (out.find(mark, at + 2) != std::string::npos) continue;  // it would repeat the inner one
    for (const std::string& in : inner) {
      std::string way = out;
      way.replace(at, 2, atom && in.find(' ') != std::string::npos ? "(" + in + ")" : in);
      ways.push_back(way);
    }
  }
  return ways;
}

Node reduction_node(const Reduction& reduction, int operand, std::vector<int> axes, int rank, bool keep,
                    const std::string& letters) {
  Node node;
  node.name = std::string(reduction.name) + (keep ? "_keep" : "");
  node.operands = {operand};
  node.dsl = reduction.dsl;
  node.words = std::string(reduction.words) + " over " + letters;
  node.rank = rank;
  for (std::string way : ways_of(reduction.torch)) {
    if (way.starts_with("1:")) {
      if (axes.size() > 1) continue;
      way = way.substr(2);
    }
    // keepdim, or the axis put back where there is one
    std::string kept = keep ? ", keepdim=True" : "";
    for (std::size_t at; (at = way.find("$k")) != std::string::npos;) way.replace(at, 2, kept);
    node.torch.push_back(way);
  }
  // All but the first axis: as one row.
  if (!keep && static_cast<int>(axes.size()) == rank - 1 && axes.front() == 1 && rank > 2 &&
      (node.name == "sum" || node.name == "mean")) {
    node.torch.push_back("$x.flatten(1)." + node.name + "(1)");
    node.torch.push_back("$x.reshape($x.shape[0], -1)." + node.name + "(dim=1)");
    node.torch.push_back("$x.view($x.size(0), -1)." + node.name + "(dim=-1)");
    node.torch.push_back("torch.flatten(@x, start_dim=1)." + node.name + "(dim=-1)");
  }
  node.axes = std::move(axes);
  return node;
}

}  // namespace kg::dataset::cot::modules
