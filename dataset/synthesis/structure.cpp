#include "dataset/synthesis/structure.h"

#include <algorithm>
#include <cmath>
#include <unordered_set>

#include "base/check.h"
#include "base/hash.h"
#include "dataset/synthesis/families.h"
#include "operators/operators.h"

namespace kg::dataset {
namespace {

constexpr char kInputNames[] = {'x', 'y', 'w'};
constexpr int kHeldoutPercent = 22;  // of compositions; single operators are always for training

bool works_along_rows(const std::string& op) {
  return operators::operator_info(op).shape != operators::OperatorShape::kElementwise;
}

// Pairs that cancel or repeat, and would be tasks in name only.
bool pointless(const std::vector<std::string>& ops) {
  static const std::vector<std::pair<std::string, std::string>> pairs = {{"exp", "ln"},
                                                                         {"ln", "exp"},
                                                                         {"square", "sqrt"},
                                                                         {"sqrt", "square"},
                                                                         {"square", "abs"},
                                                                         {"neg", "square"},
                                                                         {"neg", "abs"},
                                                                         {"abs", "square"},
                                                                         {"sqrt", "rsqrt"},
                                                                         {"rsqrt", "reciprocal"},
                                                                         {"reciprocal", "rsqrt"},
                                                                         {"reciprocal", "sqrt"},
                                                                         {"sqrt", "reciprocal"},
                                                                         {"row_center", "reduce_sum"},
                                                                         {"row_scale_max", "muls"}};
  for (std::size_t i = 1; i < ops.size(); ++i) {
    if (ops[i] == ops[i - 1]) return true;
    if (std::find(pairs.begin(), pairs.end(), std::pair(ops[i - 1], ops[i])) != pairs.end()) return true;
  }
  return false;
}

// The steps with attributes chosen by `pick`; empty if the composition is ill-conditioned for these inputs.
std::vector<Step> try_steps(const std::vector<std::string>& ops, const std::vector<Range>& inputs, std::uint64_t pick) {
  std::vector<Step> steps;
  Range value = inputs[0];
  char current = 'x';
  std::size_t used = 1;
  bool exact = true;
  for (std::size_t i = 0; i < ops.size(); ++i) {
    const OperatorForm& form = operator_form(ops[i]);
    Step step{.op = ops[i]};
    for (const auto& choices : form.attribute_choices) {
      step.attributes.push_back(choices[pick % choices.size()]);
      pick /= choices.size();
    }
    Ranges ranges = {value};
    step.sources = {current};
    for (int k = 1; k < operators::operator_info(ops[i]).arity; ++k, ++used) {
      if (used >= inputs.size()) return {};
      ranges.push_back(inputs[used]);
      step.sources.push_back(kInputNames[used]);
    }
    if (form.discontinuous && !exact) return {};
    const auto result = form.range(ranges, step.attributes);
    if (!result) return {};
    exact = exact && form.exact;
    value = *result;
    if (i + 1 == ops.size() || works_along_rows(ops[i])) current = 'z';
    step.destination = current;
    steps.push_back(std::move(step));
  }
  return steps;
}

std::string join_names(const std::vector<std::string>& ops) {
  std::string name;
  for (const std::string& op : ops) name += (name.empty() ? "" : "-") + op;
  return name;
}

// Wide inputs first, then positive divisors, then positive inputs.
bool complete(Structure& structure, const std::vector<std::string>& ops) {
  std::size_t inputs = 1;
  for (const std::string& op : ops) inputs += static_cast<std::size_t>(operators::operator_info(op).arity) - 1;
  if (inputs > std::size(kInputNames)) return false;
  const Range wide{-2, 2}, positive{0.5, 2};
  const std::uint64_t pick = hash64("attributes:" + structure.name) >> 8;
  for (const auto& [first, others] :
       {std::pair(wide, wide), std::pair(wide, positive), std::pair(positive, positive)}) {
    structure.inputs.assign(inputs, others);
    structure.inputs[0] = first;
    for (std::uint64_t attempt = 0; attempt < 60; ++attempt) {
      structure.steps = try_steps(ops, structure.inputs, pick + attempt);
      if (!structure.steps.empty()) return true;
    }
  }
  return false;
}

void add_family(const Family& family, std::unordered_set<std::string>& known, std::vector<Structure>& all) {
  std::vector<Structure> found;
  std::vector<std::size_t> choice(family.slots.size(), 0);
  for (bool more = true; more;) {
    std::vector<std::string> ops;
    for (std::size_t i = 0; i < choice.size(); ++i) ops.push_back(family.slots[i][choice[i]]);
    Structure structure{.name = join_names(ops), .family = family.name, .category = family.category};
    if (!pointless(ops) && !known.contains(structure.name) && complete(structure, ops))
      found.push_back(std::move(structure));
    more = false;
    for (std::size_t i = choice.size(); i-- > 0 && !more;) {
      more = ++choice[i] < family.slots[i].size();
      if (!more) choice[i] = 0;
    }
  }
  std::stable_sort(found.begin(), found.end(), [](const Structure& a, const Structure& b) {
    return hash64("choice:" + a.name) < hash64("choice:" + b.name);
  });
  if (found.size() > family.limit) found.resize(family.limit);
  for (Structure& structure : found) {
    known.insert(structure.name);
    const bool composed = structure.steps.size() > 1;
    structure.split = composed && hash64("split:" + structure.name) % 100 < kHeldoutPercent ? "heldout" : "train";
    for (const Step& step : structure.steps) {
      const auto shape = operators::operator_info(step.op).shape;
      structure.rowwise |= shape != operators::OperatorShape::kElementwise;
      structure.reduces |= shape == operators::OperatorShape::kRowReduce;
      structure.rounding_steps += static_cast<double>(operator_form(step.op).code.size());
    }
    all.push_back(std::move(structure));
  }
}

std::vector<std::pair<char, std::string>> operands(const Step& step) {
  std::vector<std::pair<char, std::string>> values;
  for (std::size_t i = 0; i < step.sources.size(); ++i)
    values.emplace_back(kInputNames[i], std::string(1, step.sources[i]));
  return values;
}

}  // namespace

const std::vector<Structure>& builtin_structures() {
  static const std::vector<Structure> structures = [] {
    std::vector<Structure> all;
    std::unordered_set<std::string> known;
    for (const Family& family : families()) add_family(family, known, all);
    return all;
  }();
  return structures;
}

proto::OperatorGraph operator_graph(const Structure& structure) {
  proto::OperatorGraph graph;
  const int inputs = static_cast<int>(structure.inputs.size());
  graph.set_input_count(inputs);
  const auto input_index = [](char name) {
    return static_cast<int>(std::find(kInputNames, std::end(kInputNames), name) - kInputNames);
  };
  int last = 0;  // the value that the chain carries; input x at first
  for (const Step& step : structure.steps) {
    proto::GraphNode& node = *graph.add_nodes();
    node.set_op(step.op);
    node.add_inputs(last);
    for (std::size_t i = 1; i < step.sources.size(); ++i) node.add_inputs(input_index(step.sources[i]));
    for (const double attribute : step.attributes) node.add_attributes(attribute);
    last = inputs + graph.nodes_size() - 1;
  }
  graph.add_outputs(last);
  return graph;
}

std::vector<std::string> step_texts(const Structure& structure) {
  std::vector<std::string> texts;
  for (const Step& step : structure.steps) {
    auto values = operands(step);
    for (std::size_t i = 0; i < step.attributes.size(); ++i)
      values.emplace_back(static_cast<char>('a' + i), number_text(step.attributes[i]));
    texts.push_back(std::string(1, step.destination) + " = " + fill(operator_form(step.op).phrase, values));
  }
  return texts;
}

std::vector<std::string> compute_statements(const Structure& structure, const std::string& count,
                                            const std::string& slot) {
  std::vector<std::string> statements;
  for (const Step& step : structure.steps) {
    auto values = operands(step);
    for (std::size_t i = 0; i < step.attributes.size(); ++i)
      values.emplace_back(static_cast<char>('a' + i), "T(" + number_text(step.attributes[i]) + ")");
    values.insert(values.end(), {{'d', std::string(1, step.destination)}, {'t', "t"}, {'n', count}, {'s', slot}});
    for (const std::string& pattern : operator_form(step.op).code) statements.push_back(fill(pattern, values));
  }
  return statements;
}

}  // namespace kg::dataset
