#include "dataset/cot/composition.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <unordered_set>

#include "base/check.h"
#include "base/hash.h"
#include "dataset/cot/compose.h"
#include "dataset/cot/soundness.h"
#include "operators/operators.h"

namespace kg::dataset::cot {
namespace {

constexpr int kHeldoutPercent = 20;  // share of compositions; single operators are always for training

std::string operand_text(const Structure& structure, int operand, int before) {
  const int inputs = static_cast<int>(structure.inputs.size());
  if (operand == before) return "";
  if (operand >= inputs) return "." + std::to_string(operand - inputs);
  if (operand == 0) return ".x";
  return structure.inputs[static_cast<std::size_t>(operand)].kind == InputKind::kVector ? ".v" : "";
}

// Operators in order. An operand is named unless it is the chain's value or a new whole tensor.
std::string name_of(const Structure& structure) {
  std::string name;
  int before = 0;
  for (std::size_t i = 0; i < structure.nodes.size(); ++i) {
    const Node& node = structure.nodes[i];
    name += (name.empty() ? "" : "-") + node.op;
    for (std::size_t k = 0; k < node.operands.size(); ++k) {
      const std::string text = operand_text(structure, node.operands[k], before);
      if (!text.empty()) name += (k == 0 ? "@" : "") + text;
    }
    before = static_cast<int>(structure.inputs.size() + i);
  }
  return name;
}

std::string category_of(const Structure& structure) {
  static const std::vector<std::string> order = {"optimiser", "matmul", "loss",      "normalisation", "pooling",
                                                 "reduction", "scan",   "index",     "activation",    "comparison",
                                                 "cast",      "math",   "arithmetic"};
  std::size_t best = order.size() - 1;
  for (const Node& node : structure.nodes) {
    const auto at = std::find(order.begin(), order.end(), operators::operator_info(node.op).category);
    if (at != order.end()) best = std::min(best, static_cast<std::size_t>(at - order.begin()));
  }
  return order[best];
}

std::string family_of(const Structure& structure) {
  static const std::map<Walk, std::string> names = {{Walk::kFlat, "flat"},     {Walk::kRows, "rows"},
                                                    {Walk::kTotal, "total"},   {Walk::kColumns, "columns"},
                                                    {Walk::kGather, "gather"}, {Walk::kMatmul, "matmul"}};
  return structure.outputs.size() > 1 || category_of(structure) == "optimiser" ? "optimiser" : names.at(structure.walk);
}

void finish(Structure& structure) {
  structure.name = name_of(structure);
  structure.category = category_of(structure);
  structure.family = family_of(structure);
  const bool composed = structure.nodes.size() > 1;
  structure.split = composed && hash64("cot split:" + structure.name) % 100 < kHeldoutPercent ? "heldout" : "train";
  const bool plain = structure.walk == Walk::kFlat || structure.walk == Walk::kRows;
  structure.level = std::min<int>(5, static_cast<int>(structure.nodes.size()) + (plain ? 0 : 1));
  structure.whole = structure.walk == Walk::kFlat;
  for (const Node& node : structure.nodes) {
    const auto& info = operators::operator_info(node.op);
    structure.rounding_steps += info.cost.simple + info.cost.slow;
    structure.whole = structure.whole && (info.word->flags & operators::kWhole) != 0;
    for (const double attribute : node.attributes)
      structure.whole = structure.whole && attribute == std::floor(attribute);
  }
}

}  // namespace

const Node* Structure::node(int value) const {
  const int index = value - static_cast<int>(inputs.size());
  return index < 0 ? nullptr : &nodes[static_cast<std::size_t>(index)];
}

std::span<const Structure> structures(std::size_t count) {
  static std::mutex mutex;
  static std::vector<Structure> known;
  static std::unordered_set<std::string> names;
  static std::uint64_t next = 0;
  const std::lock_guard lock(mutex);
  // References stay valid: the list never grows beyond its reservation.
  constexpr std::size_t kMost = 40000;
  KG_CHECK(count <= kMost);
  known.reserve(kMost);
  for (; known.size() < count; ++next) {
    Structure made = compose(next);
    if (made.nodes.empty() || !make_sound(made)) continue;
    finish(made);
    if (names.insert(made.name).second) known.push_back(std::move(made));
  }
  return {known.data(), count};
}

bool is_number(const Structure& structure, int value) {
  const Node* node = structure.node(value);
  if (node == nullptr) return false;
  const auto& info = operators::operator_info(node->op);
  if (info.shape == operators::OperatorShape::kRowReduce) return true;
  if (info.shape != operators::OperatorShape::kElementwise) return false;
  return std::all_of(node->operands.begin(), node->operands.end(),
                     [&](int each) { return is_number(structure, each); });
}

proto::OperatorGraph graph_of(const Structure& structure) {
  proto::OperatorGraph graph;
  const int inputs = static_cast<int>(structure.inputs.size());
  graph.set_input_count(inputs);
  std::vector<int> number(static_cast<std::size_t>(structure.value_count()));  // for each value in the graph
  for (int i = 0; i < inputs; ++i) number[static_cast<std::size_t>(i)] = i;
  std::map<int, int> widened;
  for (std::size_t i = 0; i < structure.nodes.size(); ++i) {
    const Node& node = structure.nodes[i];
    const int value = inputs + static_cast<int>(i);
    const bool wide = operators::operator_info(node.op).shape == operators::OperatorShape::kElementwise &&
                      !is_number(structure, value);
    std::vector<int> operands;
    for (const int operand : node.operands) {
      if (wide && is_number(structure, operand)) {
        if (!widened.contains(operand)) {
          proto::GraphNode& unsqueeze = *graph.add_nodes();
          unsqueeze.set_op("unsqueeze");
          unsqueeze.add_inputs(number[static_cast<std::size_t>(operand)]);
          widened[operand] = inputs + graph.nodes_size() - 1;
        }
        operands.push_back(widened[operand]);
      } else {
        operands.push_back(number[static_cast<std::size_t>(operand)]);
      }
    }
    proto::GraphNode& made = *graph.add_nodes();
    made.set_op(node.op);
    for (const int operand : operands) made.add_inputs(operand);
    for (const double attribute : node.attributes) made.add_attributes(attribute);
    number[static_cast<std::size_t>(value)] = inputs + graph.nodes_size() - 1;
  }
  for (const int output : structure.outputs) graph.add_outputs(number[static_cast<std::size_t>(output)]);
  return graph;
}

}  // namespace kg::dataset::cot
