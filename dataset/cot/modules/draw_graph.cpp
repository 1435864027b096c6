#include <cctype>

#include "base/check.h"
#include "dataset/cot/modules/walks.h"

namespace kg::dataset::cot::modules {

std::string Graph::structure() const {
  std::string text = nest + ":";
  for (const Node& node : nodes) {
    text += "-" + node.name;
    for (const int operand : node.operands)
      if (operand + 1 != static_cast<int>(inputs.size()) + (&node - nodes.data()))
        text += "." + std::to_string(operand);
  }
  for (const int output : outputs)
    if (outputs.size() > 1) text += ">" + std::to_string(output);
  return text;
}

std::string Graph::out_name(std::size_t i) const {
  if (!out_names.empty()) return out_names.at(i);
  return outputs.size() == 1 ? "out" : "out" + std::to_string(i);
}

std::int64_t Graph::size(const std::string& letter, bool full) const {
  if (std::isdigit(static_cast<unsigned char>(letter[0])) != 0) return std::stoll(letter);
  for (const Extent& one : extents)
    if (one.letter == letter) return full ? one.full : one.small;
  KG_CHECK(false);
  return 0;
}

Graph draw_graph(Philox& random) {
  Draw draw(random);
  // Shares: what modules are made of.
  static const std::vector<std::pair<int, Graph (*)(Draw&)>> walks = {
      {20, flat_graph},        {7, optimiser_graph},     {7, outputs_graph},      {9, total_graph},
      {4, total_again_graph},  {15, row_graph},          {9, row_loss_graph},     {8, row_outputs_graph},
      {7, halves_graph},       {8, middle_reduce_graph}, {5, middle_again_graph}, {8, channel_graph},
      {6, group_graph},        {6, scan_graph},          {4, column_scan_graph},  {6, window_graph},
      {8, plane_window_graph}, {6, pick_graph},          {34, tree_graph},        {20, row_tree_graph},
      {12, single_graph},      {20, compared_graph},     {18, norm_graph}};
  int all = 0;
  for (const auto& [share, walk] : walks) all += share;
  int at = static_cast<int>(draw.below(static_cast<std::uint64_t>(all)));
  for (const auto& [share, walk] : walks) {
    if (at < share) return walk(draw);
    at -= share;
  }
  KG_CHECK(false);
  return {};
}

}  // namespace kg::dataset::cot::modules
