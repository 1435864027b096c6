#include <algorithm>

#include "dataset/translation/operator_forms.h"
#include "dataset/translation/writer.h"

namespace kg::dataset::translation {

namespace {

// The same for every element of a tile.
Value as_mask(Writer& in, const Value& condition, const Index& index) {
  if (range_of(index) == nullptr) throw Unfit{};
  Block& block = in.place_of(index);
  const Value tile = in.named(block, "v", "zeros(" + in.length_of(index) + ")", Kind::kTile);
  block.write("if " + condition.text + ":");
  block.write("  " + tile.text + " = 1");
  return in.named(block, "m", tile.text + " > 0", Kind::kMask);
}

// One of two values by a comparison of numbers.
Value chosen(Writer& in, const Node& node, const std::vector<Value>& of, const Index& index) {
  Block& block = in.place_of(index);
  const std::string name = in.fresh(node.name.empty() ? "v" : node.name);
  const auto number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos ? text + ".0" : text;
  };
  const bool tile = of[1].kind == Kind::kTile || of[2].kind == Kind::kTile;
  if (tile) {
    block.write(name + " = zeros(" + in.length_of(index) + ")");
    block.write("if " + of[0].text + ":");
    block.write("  " + name + " = " + of[1].text);
    block.write("else:");
    block.write("  " + name + " = " + of[2].text);
    return {.text = name, .kind = Kind::kTile};
  }
  block.write(name + " = " + number(of[2].text));
  block.write("if " + of[0].text + ":");
  block.write("  " + name + " = " + number(of[1].text));
  return {.text = name};
}

}  // namespace

Value counter(Writer& in, const Index& index) {
  const Entry& entry = index.at(0);
  if (!entry.is_range()) return {.text = in_brackets(entry.text), .integer = true};
  const std::string first =
      entry.kind == Entry::Kind::kTiles ? plus("start(" + entry.loop + ")", entry.text) : entry.text;
  return in.named(in.place_of(index), "c", plus("float(arange(" + in.length_of(index) + "))", first), Kind::kTile);
}

Value pointwise(Writer& in, const Node& node, const Index& index) {
  std::vector<Value> of;
  std::vector<Kind> kinds;
  std::vector<std::string> given;
  bool conditions = true, integers = !node.of.empty();
  for (const int one : node.of) {
    of.push_back(in.value(one, aligned(index, node.dims, in.graph[one].dims, in.graph.sizes)));
    integers = integers && (of.back().integer || in.graph[one].kind == Node::Kind::kNumber);
    conditions = conditions && of.back().kind != Kind::kTile && (of.back().kind != Kind::kMask || of.back().condition);
  }
  static const std::set<std::string> kept = {"add", "sub", "mul", "maximum", "minimum"};
  integers = integers && kept.contains(node.line.op) && node.line.keywords.empty();
  for (Value& one : of) {
    if (one.integer && one.kind == Kind::kTile && !integers) one.text = "float(" + one.text + ")";
    kinds.push_back(one.kind);
    given.push_back(one.text);
  }
  if ((node.line.op == "where" || node.text.starts_with("where(")) && of.size() == 3 && of[0].condition)
    return chosen(in, node, of, index);
  if (node.line.op == "masked_fill" && of.size() == 3 && of[1].condition)
    return chosen(in, node, {of[1], of[2], of[0]}, index);
  for (std::size_t i = 0; i < of.size(); ++i)
    if (of[i].condition && !conditions) of[i] = as_mask(in, of[i], index), given[i] = of[i].text;
  std::string form = node.text;
  Kind kind = node.type == "bool" ? Kind::kMask : Kind::kNumber;
  if (form.empty()) {
    const auto known = operator_form(node.line, kinds);
    if (!known || known->dsl.find("; ") != std::string::npos) throw Unknown{node.line.op};
    form = known->dsl;
    kind = known->kind == Kind::kMask ? Kind::kMask : Kind::kNumber;
  } else {
    form = in.graph.sizes.filled(form);
  }
  const std::string expression = with_arguments(form, given);
  const bool tile = std::any_of(of.begin(), of.end(), [](const Value& one) {
    return one.kind == Kind::kTile || (one.kind == Kind::kMask && !one.condition);
  });
  if (kind == Kind::kMask && !tile) return {.text = "(" + expression + ")", .kind = Kind::kMask, .condition = true};
  if (kind != Kind::kMask && tile) kind = Kind::kTile;
  if (kind == Kind::kNumber && expression.starts_with("where(")) throw Unfit{};
  Value made = in.named(in.place_of(index), node.name.empty() ? "v" : node.name, expression, kind);
  made.integer = integers;
  return made;
}

}  // namespace kg::dataset::translation
