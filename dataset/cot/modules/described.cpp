#include "dataset/cot/modules/described.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "dataset/cot/modules/formula.h"
#include "dataset/cot/modules/surface.h"
#include "dataset/cot/modules/vocabulary.h"

namespace kg::dataset::cot::modules {
namespace {

// Operators of rows and their results as they are written in formulas; others are written as in the DSL.
const std::map<std::string, const char*>& row_formulas() {
  static const std::map<std::string, const char*> formulas = {
      {"norm", "sqrt(sum(x ** 2)) ~ sqrt(sum(x * x))"},
      {"mean_square", "mean(x ** 2)"},
      {"variance", "var(x) ~ mean((x - mean(x)) ** 2)"},
      {"variance_1", "sum((x - mean(x)) ** 2) / (n - 1)"},
      {"std", "sqrt(sum((x - mean(x)) ** 2) / (n - 1))"},
      {"std_0", "sqrt(var(x)) ~ sqrt(mean((x - mean(x)) ** 2))"},
      {"logsumexp", "log(sum(exp(x)))"},
      {"softmax", "softmax(x) ~ exp(x) / sum(exp(x)) ~ exp(x - max(x)) / sum(exp(x - max(x)))"},
      {"log_softmax", "log_softmax(x) ~ x - log(sum(exp(x))) ~ log(exp(x) / sum(exp(x)))"},
      {"softmin", "softmax(-x) ~ exp(-x) / sum(exp(-x))"},
      {"softmax_scaled", "softmax(x / a) ~ exp(x / a) / sum(exp(x / a))"},
      {"layer_norm", "(x - mean(x)) / sqrt(var(x) + a)"},
      {"layer_norm_default", "(x - mean(x)) / sqrt(var(x) + 1e-5)"},
      {"rms_norm", "x / sqrt(mean(x ** 2) + a)"},
      {"l2_normalise", "x / max(sqrt(sum(x ** 2)), a)"},
      {"l2_normalise_plain", "x / sqrt(sum(x ** 2))"},
  };
  return formulas;
}

std::string form_of(const Node& node, Draw& draw) {
  std::string name = node.name;
  if (name.ends_with("_keep")) name.resize(name.size() - 5);
  const auto found = row_formulas().find(name);
  const std::string ways = !node.formula.empty() ? node.formula : found != row_formulas().end() ? found->second : "";
  return ways.empty() ? node.dsl : draw.of(ways_of(ways.c_str()));
}

struct Definition {
  std::string name;
  dsl::ExprPtr formula;
  int output = -1;
};

std::string name_of(int value) { return "v" + std::to_string(value); }

// The value whose variance this is, as the mean square of its distances from its mean; -1: none.
int varying_value(const Graph& graph, const Node& node) {
  const Node* const centred = node.name == "mean_square" ? graph.node(node.operands[0]) : nullptr;
  if (centred == nullptr || centred->name != "sub_number") return -1;
  const Node* const mean = graph.node(centred->operands[1]);
  return mean != nullptr && mean->name == "mean" && mean->operands[0] == centred->operands[0] ? mean->operands[0] : -1;
}

// A node's definitions: its own, after those of its temporaries. Empty: it cannot be said. closed: a variance as such.
std::vector<Definition> definitions_of(const Graph& graph, int value, bool closed, Draw& draw) {
  const Node& node = *graph.node(value);
  if (const int varying = varying_value(graph, node); varying >= 0 && (closed || draw.chance(0.3)))
    return {{name_of(value), with_operands(*parse_formula("var(x)"), {{"x", formula_name(name_of(varying))}})}};
  std::map<std::string, dsl::ExprPtr> operands;
  for (std::size_t i = 0; i < node.operands.size(); ++i)
    operands[std::string(1, kOperandLetters[i])] = formula_name(name_of(node.operands[i]));
  // Of the operators of halves, x and y are the halves.
  if (graph.nest == "halves" && value == 1) operands = {{"x", formula_name("h1")}, {"y", formula_name("h2")}};
  for (std::size_t i = 0; i < node.constants.size(); ++i) {
    const int constant = node.constants[i];
    const std::string& text = graph.constants[static_cast<std::size_t>(constant)].text;
    operands[std::string(1, static_cast<char>('a' + i))] =
        text.starts_with("-") ? *parse_formula(text) : formula_name("c" + std::to_string(constant));
  }
  std::vector<Definition> made;
  std::string rest = form_of(node, draw);
  if (rest.empty()) return {};
  while (!rest.empty()) {
    const std::size_t end = rest.find("; ");
    std::string one = rest.substr(0, end), name = name_of(value);
    rest = end == std::string::npos ? "" : rest.substr(end + 2);
    if (!rest.empty()) {
      const std::size_t equals = one.find(" = ");
      name += "s" + one.substr(1, equals - 1);
      operands["s" + one.substr(1, equals - 1)] = formula_name(name);
      one = one.substr(equals + 3);
    }
    const auto formula = parse_formula(one);
    if (!formula) return {};
    made.push_back({name, with_operands(*formula, operands)});
  }
  return made;
}

// Puts a definition that is used once, or is short, where it is used.
void put_in_place(std::vector<Definition>& definitions, bool all, Draw& draw) {
  const double share = all || draw.chance(0.35) ? 1 : draw.chance(0.6) ? 0.6 : 0;
  for (std::size_t i = 0; i + 1 < definitions.size();) {
    const Definition one = definitions[i];
    int uses = 0;
    for (std::size_t k = i + 1; k < definitions.size(); ++k) uses += uses_of(*definitions[k].formula, one.name);
    const int size = size_of(*one.formula);
    const bool fits = uses == 1 ? draw.chance(share) : size * uses <= 12 && draw.chance(share / 2);
    if (one.output >= 0 || !fits || uses == 0) {
      ++i;
      continue;
    }
    for (std::size_t k = i + 1; k < definitions.size(); ++k)
      definitions[k].formula = with_operands(definitions[k].formula, {{one.name, one.formula}});
    definitions.erase(definitions.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// What an author calls the steps between.
class StepNames {
 public:
  StepNames(Draw& draw, bool latex, const Symbols& symbols) : draw_(draw), latex_(latex) {
    form_ = static_cast<int>(draw.below(6));
    for (const auto* list : {&symbols.inputs, &symbols.constants, &symbols.outputs})
      for (const std::string& one : *list) taken_.insert(letters_of(one));
  }

  std::string next(const std::string& step) {
    const std::string number = std::to_string(++count_);
    static const std::vector<std::string> letters = {"u", "h", "s", "r", "p", "q", "g", "z"};
    std::string name = form_ == 0   ? "t_" + number
                       : form_ == 1 ? "tmp" + number
                       : form_ == 2 ? (latex_ ? "\\text{" + step + "_res}" : step + "_res")
                       : form_ == 3 ? draw_.of(letters)
                       : form_ == 4 ? "res" + std::to_string(count_ - 1)
                       : latex_     ? "x_{" + step + "}"
                                    : step + number;  // a step's name alone may be a function's
    while (!taken_.insert(letters_of(name)).second) name += latex_ ? "'" : "_" + number;
    return name;
  }

 private:
  // A reader takes t1 and t_1 for the same.
  static std::string letters_of(const std::string& name) {
    std::string letters;
    for (const char c : name)
      if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '\'') letters += c;
    return letters;
  }

  Draw& draw_;
  bool latex_;
  int form_ = 0, count_ = 0;
  std::set<std::string> taken_;
};

// Names the halves of the only input, h1 and h2; the line that says so, if one does.
std::string say_halves(const Symbols& symbols, std::map<std::string, std::string>& said, Draw& draw) {
  const std::string& whole = symbols.inputs[0];
  const bool letters = whole.find_first_of("_0123456789") != std::string::npos || whole == "e" || draw.chance(0.15);
  said["h1"] = letters ? draw.any({"A", "X_1"}) : whole + "_1";
  said["h2"] = letters ? said["h1"] == "A" ? "B" : "X_2" : whole + "_2";
  if (draw.chance(0.6)) return "";
  return said["h1"] + ", " + said["h2"] + " = " + draw.any({"chunk(", "split(", "\\mathrm{chunk}("}) + whole +
         draw.any({")", ", 2)"});
}

// nullopt: an operator of this graph has no formula, or its axes are not those that a reader expects.
std::optional<std::string> described_by_formulas(const Graph& graph, const Symbols& symbols, Draw& draw) {
  if (!formulas_say_all(graph)) return std::nullopt;
  const int first = static_cast<int>(graph.inputs.size());
  std::map<std::string, std::string> said;
  for (int i = 0; i < first; ++i) said[name_of(i)] = symbols.inputs[static_cast<std::size_t>(i)];
  const std::string halved = graph.nest == "halves" ? say_halves(symbols, said, draw) : "";
  for (std::size_t i = 0; i < graph.constants.size(); ++i) said["c" + std::to_string(i)] = symbols.constants[i];
  // Statistics that are results may be left to their names: "y, rstd" and a formula of y.
  const bool closed = !graph.out_roles.empty() && draw.chance(0.45);
  static const std::set<std::string> statistics = {"mean", "rstd", "variance"};
  std::vector<Definition> definitions;
  std::map<std::string, std::string> steps;  // the node's name, of each definition
  for (int value = first; value < graph.value_count(); ++value) {
    std::vector<Definition> made = definitions_of(graph, value, closed, draw);
    if (made.empty()) return std::nullopt;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      if (graph.outputs[i] == value && !(closed && statistics.contains(graph.out_roles[i])))
        made.back().output = static_cast<int>(i);
    for (Definition& one : made) {
      steps[one.name] = graph.node(value)->name;
      definitions.push_back(std::move(one));
    }
  }
  put_in_place(definitions, closed, draw);
  const FormulaStyle style(draw);
  StepNames names(draw, style.latex, symbols);
  std::string text = halved;
  for (const Definition& one : definitions) {
    std::string& name = said[one.name];
    name = one.output >= 0 ? symbols.outputs[static_cast<std::size_t>(one.output)] : names.next(steps[one.name]);
    text += (text.empty() ? "" : "\n") + name + (style.wide ? " = " : "=") + formula_text(*one.formula, style, said);
  }
  // A formula that stands alone may be said twice.
  if (definitions.size() == 1 && draw.chance(0.2)) {
    const FormulaStyle other(draw);
    text += (draw.chance(0.5) ? " = " : "\n" + said[definitions[0].name] + " = ") +
            formula_text(*definitions[0].formula, other, said);
  }
  return text;
}

// nullopt: the graph has several outputs.
std::optional<std::string> described_by_words(const Graph& graph, const Symbols& symbols) {
  if (graph.outputs.size() > 1) return std::nullopt;
  std::vector<std::string> said = symbols.inputs;
  std::string text;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const auto named = [&](int value) { return said[static_cast<std::size_t>(value)]; };
    const std::string made = i + 1 == graph.nodes.size() ? symbols.outputs[0] : "t_" + std::to_string(i + 1);
    text += (text.empty() ? "" : "\n") + made + " = " + named(node.operands[0]) + ", " +
            filled(node.words, [&](char, char letter) -> std::string {
              const std::size_t at = kOperandLetters.find(letter);
              return at != std::string::npos ? named(node.operands.at(at))
                                             : symbols.constants[static_cast<std::size_t>(
                                                   node.constants.at(static_cast<std::size_t>(letter - 'a')))];
            });
    said.push_back(made);
  }
  return text;
}

}  // namespace

Symbols symbols_of(const Graph& graph, const std::vector<std::string>& inputs) {
  Symbols symbols{.inputs = inputs, .constants = {}, .outputs = {}};
  for (const Constant& one : graph.constants) symbols.constants.push_back(one.text);
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) symbols.outputs.push_back(graph.out_name(i));
  return symbols;
}

bool formulas_say_all(const Graph& graph) {
  static const std::set<std::string> nests = {"flat",        "flat_outputs", "flat_tree", "compared",  "rows",  "total",
                                              "rows_affine", "rows_outputs", "row_tree",  "rows_norm", "halves"};
  return nests.contains(graph.nest) &&
         std::all_of(graph.nodes.begin(), graph.nodes.end(), [](const Node& node) { return node.axes.size() <= 1; });
}

std::optional<std::string> described(const Graph& graph, const Symbols& symbols, Draw& draw) {
  auto text = draw.chance(0.93) ? described_by_formulas(graph, symbols, draw) : std::nullopt;
  return text ? text : described_by_words(graph, symbols);
}

}  // namespace kg::dataset::cot::modules
