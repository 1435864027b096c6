#include <map>

#include "dataset/translation/composites.h"

namespace kg::dataset::translation {
namespace {

int with_reduction(NodeMaker& make, int value, const std::string& how) {
  if (how == "none") return value;
  if (how == "sum") return make.reduce("sum", value, make.all_axes(value), false);
  if (how != "mean") throw Unknown{"a loss reduced by " + how};
  return make.mean(value, make.all_axes(value), false);
}

// Minus the element that the target names along the classes; then what is left of the axes.
int nll_loss(const LineReader& line, NodeMaker& make) {
  const int x = line.node(0), target = line.node(1);
  if (line.has(2)) throw Unknown{"nll_loss with weights"};
  const int axis = make.rank(x) == 1 ? 0 : 1;
  const int taken = make.gather(x, make.unsqueeze(target, axis), axis);
  return with_reduction(make, make.pointwise("-$1", {make.squeeze(taken, axis)}), line.text(3, "reduction", "mean"));
}

// Of numbers before the sigmoid. The lines leave out weights that are not given.
int logits_loss(const LineReader& line, NodeMaker& make) {
  const std::string& last = line.line().given.back();
  const bool named = last == "none" || last == "mean" || last == "sum";
  if (line.count() != (named ? 3u : 2u) || line.flag("pos_weight"))
    throw Unknown{"binary_cross_entropy_with_logits with weights"};
  const int made = make.pointwise("max($1, 0) - $1 * $2 + softplus(-abs($1))", {line.node(0), line.node(1)});
  return with_reduction(make, made, named ? last : "mean");
}

}  // namespace

int lost(const LineReader& line, NodeMaker& make) {
  static const std::map<std::string, std::string> known = {
      {"mse_loss", "($1 - $2) * ($1 - $2)"},
      {"l1_loss", "abs($1 - $2)"},
      {"binary_cross_entropy", "-($2 * log($1) + (1 - $2) * log(1 - $1))"},
      {"soft_margin_loss", "log(1 + exp(-$1 * $2))"}};
  const std::string& op = line.op();
  if (op == "nll_loss" || op == "nll_loss2d") return nll_loss(line, make);
  if (op == "binary_cross_entropy_with_logits") return logits_loss(line, make);
  if (op == "smooth_l1_loss" || op == "huber_loss") {
    const bool smooth = op == "smooth_l1_loss";
    const std::string width = line.text(3, smooth ? "beta" : "delta", "1");
    const int apart = make.pointwise("abs($1 - $2)", {line.node(0), line.node(1)});
    const int near = make.pointwise("min($1, " + width + ")", {apart});
    const int made = make.pointwise(smooth ? "$1 * ($2 - $1 * 0.5) / " + width : "$1 * ($2 - $1 * 0.5)", {near, apart});
    return with_reduction(make, made, line.text(2, "reduction", "mean"));
  }
  const auto found = known.find(op);
  if (found == known.end()) return -1;
  const std::size_t place = op == "binary_cross_entropy" ? 3 : 2;
  if (place == 3 && line.has(2)) throw Unknown{"binary_cross_entropy with weights"};
  const int made = make.pointwise(found->second, {line.node(0), line.node(1)});
  return with_reduction(make, made, line.text(place, "reduction", "mean"));
}

}  // namespace kg::dataset::translation
