#include "dataset/cot/soundness.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/hash.h"
#include "base/random.h"
#include "operators/golden.h"
#include "operators/operators.h"

namespace kg::dataset::cot {
namespace {

constexpr std::int64_t kRows = 6, kColumns = 48, kInner = 24;
constexpr double kLargest = 2000;  // largest value: far below the limit of half
constexpr double kLargestOutput = 400;
constexpr double kRounding = 1.0 / (1 << 21);  // a few units of float, for functions of several instructions

using operators::GoldenTensor;

unsigned flags_of(const Node& node) { return operators::operator_info(node.op).word->flags; }

std::vector<std::int64_t> shape_of(const Structure& structure, const Input& input) {
  switch (input.kind) {
    case InputKind::kVector:
      return {kColumns};
    case InputKind::kRowIndex:
    case InputKind::kColumnIndex:
      return {kRows};
    case InputKind::kPickIndex:
      return {kRows};
    case InputKind::kRight:
      return {kInner, kColumns};
    case InputKind::kFull:
      break;
  }
  if (structure.walk == Walk::kMatmul) return {kRows, kInner};
  return {kRows, kColumns};
}

std::vector<GoldenTensor> draw_inputs(const Structure& structure) {
  std::vector<GoldenTensor> tensors;
  for (std::size_t i = 0; i < structure.inputs.size(); ++i) {
    const Input& input = structure.inputs[i];
    Philox random(77, i);
    GoldenTensor& tensor = tensors.emplace_back(GoldenTensor{.shape = shape_of(structure, input), .values = {}});
    std::int64_t count = 1;
    for (const std::int64_t extent : tensor.shape) count *= extent;
    const std::uint64_t bound = input.kind == InputKind::kRowIndex ? kRows : kColumns;
    for (; count > 0; --count)
      tensor.values.push_back(is_index(input) ? static_cast<double>(random.next_below(bound))
                                              : input.low + (input.high - input.low) * random.next_double());
  }
  return tensors;
}

// Discontinuous operators may only see values that no rounding has changed.
bool exact_where_needed(const Structure& structure) {
  std::vector<bool> exact(structure.inputs.size(), true);
  for (const Node& node : structure.nodes) {
    bool all = true;
    for (const int operand : node.operands) all = all && exact[static_cast<std::size_t>(operand)];
    const unsigned flags = flags_of(node);
    if ((flags & operators::kStep) != 0 && !all) return false;
    exact.push_back(all && (flags & operators::kExact) != 0);
  }
  return true;
}

bool every_input_used(const Structure& structure) {
  std::vector<bool> used(static_cast<std::size_t>(structure.value_count()), false);
  for (const Node& node : structure.nodes)
    for (const int operand : node.operands) used[static_cast<std::size_t>(operand)] = true;
  for (const int output : structure.outputs) used[static_cast<std::size_t>(output)] = true;
  return std::all_of(used.begin(), used.end(), [](bool each) { return each; });
}

bool same(const GoldenTensor& a, const GoldenTensor& b) {
  if (a.values.size() != b.values.size()) return false;
  for (std::size_t i = 0; i < a.values.size(); ++i)
    if (std::abs(a.values[i] - b.values[i]) > 1e-9 * std::max(1.0, std::abs(a.values[i]))) return false;
  return true;
}

bool constant(const GoldenTensor& tensor) {
  const auto [low, high] = std::minmax_element(tensor.values.begin(), tensor.values.end());
  return tensor.values.size() > 1 && *high - *low < 1e-6 * std::max(1.0, std::abs(*high));
}

bool values_make_sense(const proto::OperatorGraph& graph, const std::vector<GoldenTensor>& values) {
  for (const GoldenTensor& tensor : values)
    for (const double value : tensor.values)
      if (!std::isfinite(value) || std::abs(value) > kLargest) return false;
  for (std::size_t i = static_cast<std::size_t>(graph.input_count()); i < values.size(); ++i) {
    const auto& info = operators::operator_info(graph.nodes(static_cast<int>(i) - graph.input_count()).op());
    if (constant(values[i])) return false;
    if (!info.word || (info.word->flags & operators::kCast) != 0 || info.name == "flip") continue;
    for (std::size_t earlier = 0; earlier < i; ++earlier)
      if (same(values[earlier], values[i])) return false;
  }
  for (const std::int32_t output : graph.outputs())
    for (const double value : values[static_cast<std::size_t>(output)].values)
      if (std::abs(value) > kLargestOutput) return false;
  return true;
}

// Rounding as float does it must stay far below what the judge allows, which is a thousandth.
bool well_conditioned(const proto::OperatorGraph& graph, const std::vector<GoldenTensor>& inputs,
                      const std::vector<GoldenTensor>& values) {
  Philox random(78, 0);
  const auto rounded = golden_values(graph, inputs, [&](GoldenTensor& result) {
    for (double& value : result.values) value *= 1 + kRounding * (2 * random.next_double() - 1);
  });
  for (const std::int32_t output : graph.outputs()) {
    const auto &wanted = values[static_cast<std::size_t>(output)].values,
               &found = rounded[static_cast<std::size_t>(output)].values;
    double scale = 0;
    for (const double value : wanted) scale = std::max(scale, std::abs(value));
    if (scale < 1e-3) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i)
      if (std::abs(found[i] - wanted[i]) > 1e-4 * std::abs(wanted[i]) + 1e-5 * scale) return false;
  }
  return true;
}

bool sound_now(const Structure& structure, const proto::OperatorGraph& graph) {
  const std::vector<GoldenTensor> inputs = draw_inputs(structure);
  std::vector<GoldenTensor> values;
  try {
    values = golden_values(graph, inputs, {});
  } catch (const Error&) {
    return false;  // shapes that do not fit
  }
  return values_make_sense(graph, values) && well_conditioned(graph, inputs, values);
}

}  // namespace

bool make_sound(Structure& structure) {
  if (!every_input_used(structure) || !exact_where_needed(structure)) return false;
  const proto::OperatorGraph graph = graph_of(structure);
  std::vector<bool> positive(structure.inputs.size(), false);
  for (const Node& node : structure.nodes)
    if ((flags_of(node) & operators::kPositive) != 0)
      for (const int operand : node.operands)
        if (operand < static_cast<int>(structure.inputs.size())) positive[static_cast<std::size_t>(operand)] = true;
  for (const Node& node : structure.nodes)
    if ((flags_of(node) & operators::kPositiveState) != 0) positive[static_cast<std::size_t>(node.operands[0])] = true;
  for (const bool all_positive : {false, true})
    for (const double high : {2.0, 1.0, 4.0}) {
      for (std::size_t i = 0; i < structure.inputs.size(); ++i) {
        Input& input = structure.inputs[i];
        input.low = all_positive || positive[i] ? high / 8 : -high;
        input.high = high;
      }
      if (sound_now(structure, graph)) return true;
    }
  return false;
}

}  // namespace kg::dataset::cot
