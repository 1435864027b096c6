#include "dataset/cot/modules/composite_lines.h"

#include "dataset/cot/modules/pass_domain.h"

namespace kg::dataset::cot::modules {
namespace {

// Writes lines whose results are called after the composite's.
class Expansion {
 public:
  Expansion(const translation::TracedLine& line, const std::string& elements, std::size_t rank)
      : line_(line), elements_(elements), rank_(rank) {}

  std::vector<translation::TracedLine> lines() {
    const std::string& op = line_.op;
    if (op == "var" || op == "std") spread();
    if (op == "softmax" || op == "_softmax") softmax();
    if (op == "log_softmax" || op == "_log_softmax") log_softmax();
    if (op == "logsumexp") logsumexp();
    if (op == "vector_norm" || op == "norm") norm();
    if (op == "batch_norm") batch_norm();
    if (op == "mse_loss" || op == "huber_loss" || op == "smooth_l1_loss" || op == "binary_cross_entropy") loss();
    if (lines_.empty()) return {line_};
    lines_.back().results = line_.results;
    return lines_;
  }

 private:
  const std::string& x() const { return line_.given[0]; }
  std::string keyword(const std::string& name, const std::string& otherwise) const {
    const auto found = line_.keywords.find(name);
    return found == line_.keywords.end() ? otherwise : found->second;
  }

  std::string add(const std::string& op, std::vector<std::string> given) {
    const std::string name = line_.results[0] + static_cast<char>('a' + lines_.size());
    lines_.push_back({.results = {name}, .given = std::move(given), .keywords = {}, .op = op, .shape = {}});
    return name;
  }
  // Along the axes of the composite.
  std::string reduce(const std::string& op, const std::string& of) {
    const std::size_t place = line_.op == "vector_norm" || line_.op == "norm" ? 2 : 1;
    const std::string name = add(op, {of});
    if (line_.given.size() > place) lines_.back().given.push_back(line_.given[place]);
    if (const auto dim = line_.keywords.find("dim"); dim != line_.keywords.end()) lines_.back().keywords.insert(*dim);
    return name;
  }

  void spread() {
    const std::string correction = keyword("correction", "1");
    if (correction != "0" && correction != "1") return;
    const std::string centred = add("sub", {x(), reduce("mean", x())}), squares = add("mul", {centred, centred});
    std::string variance = reduce(correction == "0" ? "mean" : "sum", squares);
    if (correction == "1") variance = add("div", {variance, "(" + elements_ + " - 1)"});
    if (line_.op == "std") add("sqrt", {variance});
  }

  void softmax() {
    const std::string powers = add("exp", {add("sub", {x(), reduce("amax", x())})});
    add("div", {powers, reduce("sum", powers)});
  }

  void log_softmax() {
    const std::string below = add("sub", {x(), reduce("amax", x())});
    add("sub", {below, add("log", {reduce("sum", add("exp", {below}))})});
  }

  void logsumexp() {
    const std::string most = reduce("amax", x());
    add("add", {most, add("log", {reduce("sum", add("exp", {add("sub", {x(), most})}))})});
  }

  void norm() {
    const std::string order = line_.given.size() > 1 ? line_.given[1] : "2";
    if (order == "2") add("sqrt", {reduce("sum", add("mul", {x(), x()}))});
    if (order == "1") reduce("sum", add("abs", {x()}));
    if (order == "inf") reduce("amax", add("abs", {x()}));
  }

  // In training: batch_norm(x, weight, bias, running mean, running variance, training, momentum, eps).
  void batch_norm() {
    if (line_.given.size() != 8 || line_.given[5] != "training") return;
    std::string axes;
    for (const std::int64_t axis : batch_norm_axes(rank_)) axes += (axes.empty() ? "[" : ", ") + std::to_string(axis);
    const std::string mean = add("mean", {x(), axes + "]"}), centred = add("sub", {x(), mean}),
                      variance = add("mean", {add("mul", {centred, centred}), axes + "]"});
    std::string made = add("mul", {centred, add("rsqrt", {add("add", {variance, line_.given[7]})})});
    if (line_.given[1] != "None") made = add("mul", {made, line_.given[1]});
    if (line_.given[2] != "None") add("add", {made, line_.given[2]});
  }

  // For elements; then no reduction, the mean or the sum.
  void loss() {
    if (line_.given.size() < 2) return;
    const std::string& y = line_.given[1];
    std::size_t place = 2;
    if (line_.op == "mse_loss") {
      const std::string apart = add("sub", {x(), y});
      add("mul", {apart, apart});
    } else if (line_.op == "binary_cross_entropy") {
      if (line_.given.size() > 2 && line_.given[2] != "None") return;
      place = 3;
      const std::string yes = add("mul", {y, add("log", {x()})});
      const std::string no = add("mul", {add("sub", {"1", y}), add("log", {add("sub", {"1", x()})})});
      add("neg", {add("add", {yes, no})});
    } else {
      const bool smooth = line_.op == "smooth_l1_loss";
      const std::string width = keyword(smooth ? "beta" : "delta", line_.given.size() > 3 ? line_.given[3] : "1");
      const std::string apart = add("abs", {add("sub", {x(), y})}), near = add("clamp_max", {apart, width});
      const std::string made = add("mul", {near, add("sub", {apart, add("mul", {near, "0.5"})})});
      if (smooth) add("div", {made, width});
    }
    const std::string how = keyword("reduction", line_.given.size() > place ? line_.given[place] : "mean");
    if (how != "none") add(how, {lines_.back().results[0]});
  }

  const translation::TracedLine& line_;
  const std::string& elements_;
  const std::size_t rank_;
  std::vector<translation::TracedLine> lines_;
};

}  // namespace

std::vector<translation::TracedLine> simple_lines(const translation::TracedLine& line, const std::string& elements,
                                                  std::size_t rank) {
  if (line.results.size() != 1) return {line};
  return Expansion(line, elements, rank).lines();
}

}  // namespace kg::dataset::cot::modules
