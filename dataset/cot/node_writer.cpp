#include "dataset/cot/node_writer.h"

#include <algorithm>
#include <cctype>

#include "operators/number_format.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

using Naming = Writing::Naming;

bool is_simple(const std::string& text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; });
}

// Needs no brackets as an operand: a name, a number, a call, an element, a load.
bool is_atom(const std::string& text) {
  if (is_simple(text)) return true;
  std::size_t at = text.starts_with("load ") ? 5 : 0;
  while (at < text.size() && (std::isalnum(static_cast<unsigned char>(text[at])) != 0 || text[at] == '_')) ++at;
  if (at == text.size() || at == 0 || (text[at] != '(' && text[at] != '[')) return false;
  int depth = 0;
  for (; at < text.size(); ++at) {
    depth += text[at] == '(' || text[at] == '[' ? 1 : text[at] == ')' || text[at] == ']' ? -1 : 0;
    if (depth == 0) return at + 1 == text.size();
  }
  return false;
}

std::size_t times_used(std::string_view pattern, char letter) {
  std::size_t times = 0;
  for (std::size_t at = pattern.find('$'); at != std::string_view::npos; at = pattern.find('$', at + 1))
    times += pattern[at + 1] == letter;
  return times;
}

std::vector<std::string> statements_of(std::string_view text) {
  std::vector<std::string> parts;
  for (;;) {
    const std::size_t end = text.find("; ");
    parts.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 2);
  }
}

}  // namespace

const operators::Word& word(const std::string& op) { return *operators::operator_info(op).word; }

std::string value_name(const Structure& structure, const std::vector<TensorOf>& outputs, int value) {
  const int inputs = static_cast<int>(structure.inputs.size());
  if (value < inputs) return std::string(1, structure.inputs[static_cast<std::size_t>(value)].letter);
  for (std::size_t i = 0; i < structure.outputs.size(); ++i)
    if (structure.outputs[i] == value) return outputs[i].name;
  return "t" + std::to_string(value - inputs + 1);
}

NodeWriter::NodeWriter(const Instance& instance, const Writing& writing)
    : inputs(inputs_of(instance)),
      outputs(outputs_of(instance)),
      values(static_cast<std::size_t>(instance.structure->value_count())),
      instance_(instance),
      structure_(*instance.structure),
      writing_(writing) {
  count_uses();
}

void NodeWriter::line(int depth, const std::string& text) {
  body_ += std::string(static_cast<std::size_t>(depth) * 2 + 2, ' ') + text + "\n";
}

bool NodeWriter::whole() const { return !operators::is_floating(instance_.dtype) && instance_.dtype != proto::INT8; }

void NodeWriter::count_uses() {
  uses_.assign(values.size(), 0);
  for (const Node& node : structure_.nodes) {
    const std::string_view text = word(node.op).dsl;
    for (std::size_t k = 0; k < node.operands.size(); ++k)
      uses_[static_cast<std::size_t>(node.operands[k])] += text.empty() ? 2 : times_used(text, "xyw"[k]);
  }
  for (const int output : structure_.outputs) ++uses_[static_cast<std::size_t>(output)];
}

std::string NodeWriter::fresh(const std::string& hint) {
  static const std::vector<std::string> letters = {"a", "b", "c", "d", "e", "f", "g", "h", "p", "q", "u", "v"};
  for (;;) {
    std::string name;
    if (writing_.naming == Naming::kNumbers)
      name = "t" + std::to_string(made_++);
    else if (writing_.naming >= Naming::kWords && !hint.empty())
      name = hint + (taken_[hint]++ == 0 ? "" : std::to_string(taken_[hint]));
    else
      name = made_ < letters.size() ? letters[made_++] : "v" + std::to_string(made_++);
    const bool used =
        std::any_of(inputs.begin(), inputs.end(), [&](const TensorOf& each) { return each.name == name; });
    if (!used && name != "r" && name != "t" && name != "k" && name != "s") return name;
  }
}

std::string NodeWriter::hint_for(std::size_t value, const std::string& otherwise) const {
  if (writing_.naming != Naming::kAsPrompt) return otherwise;
  const std::string name = value_name(structure_, outputs, static_cast<int>(value));
  return name[0] == 't' ? name : name + "v";
}

std::string NodeWriter::named(int depth, const std::string& text, const std::string& hint) {
  const std::string name = fresh(hint);
  line(depth, name + " = " + text);
  return name;
}

void NodeWriter::load(int depth, std::size_t input, const std::string& index) {
  const std::string text = "load " + inputs[input].name + "[" + index + "]";
  const bool inlined = writing_.nested && uses_[input] == 1;
  values[input] = inlined ? text : named(depth, text, hint_for(input, inputs[input].name + "_row"));
}

std::string NodeWriter::operand(int value) const {
  const std::string& text = values[static_cast<std::size_t>(value)];
  return is_atom(text) ? text : "(" + text + ")";
}

std::string NodeWriter::filled(std::string_view pattern, const Node& node,
                               const std::map<char, std::string>& temporary) const {
  std::string text;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      text += pattern[i];
      continue;
    }
    const char letter = pattern[++i];
    const std::size_t which = std::string("xyw").find(letter);
    if (which != std::string::npos) {
      // Inside a function's brackets an expression needs none of its own.
      const std::string& bare = values[static_cast<std::size_t>(node.operands[which])];
      const bool enclosed = !text.empty() && (text.back() == '(') && i + 1 < pattern.size() &&
                            (pattern[i + 1] == ')' || pattern[i + 1] == ',');
      text += enclosed ? bare : operand(node.operands[which]);
    } else if (letter == 'a' || letter == 'b') {
      const double value = node.attributes[static_cast<std::size_t>(letter - 'a')];
      const std::string number = number_words(value);
      text += value < 0 && !text.empty() && text.back() == ' ' && text.size() > 1 &&
                      std::string("+-*/").find(text[text.size() - 2]) != std::string::npos
                  ? "(" + number + ")"
                  : number;
    } else {
      text += temporary.at(letter);
    }
  }
  return text;
}

std::string NodeWriter::expression(int depth, std::size_t index, std::string_view pattern) {
  const Node& node = structure_.nodes[index];
  std::map<char, std::string> temporary;
  const std::vector<std::string> parts = statements_of(pattern);
  for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
    const std::string text = filled(std::string_view(parts[i]).substr(5), node, temporary);
    temporary[parts[i][1]] = named(depth, text, "d");
  }
  return filled(parts.back(), node, temporary);
}

std::string_view NodeWriter::pattern_of(const Node& node) const {
  const operators::Word& how = word(node.op);
  return whole() && !how.dsl_whole.empty() ? how.dsl_whole : how.dsl;
}

void NodeWriter::keep(int depth, std::size_t index, const std::string& text) {
  const std::size_t value = structure_.inputs.size() + index;
  const bool stored = writing_.naming == Naming::kAsPrompt && index + 1 == structure_.nodes.size();
  const bool inlined =
      (writing_.nested || stored) && uses_[value] == 1 && text.size() < 60 && structure_.nodes[index].op != "take";
  values[value] = inlined ? text : named(depth, text, hint_for(value, structure_.nodes[index].op.substr(0, 12) + "_x"));
}

void NodeWriter::node(int depth, std::size_t index) {
  const Node& made = structure_.nodes[index];
  const std::string x = values[static_cast<std::size_t>(made.operands[0])];
  if (operators::operator_info(made.op).category == "pooling") return keep(depth, index, pooled(depth, made));
  if (made.op == "slice")
    return keep(depth, index,
                simple(depth, made.operands[0]) + "[" + number_words(made.attributes[0]) + ":" +
                    number_words(made.attributes[0] + made.attributes[1]) + "]");
  if (made.op == "stride_slice") {
    simple(depth, made.operands[0]);
    return keep(depth, index, expression(depth, index, pattern_of(made)));
  }
  if (made.op == "take")
    return keep(depth, index, "gather(" + x + ", " + values[static_cast<std::size_t>(made.operands[1])] + ")");
  if (made.op == "pick")
    return keep(depth, index,
                simple(depth, made.operands[0]) + "[" + values[static_cast<std::size_t>(made.operands[1])] + "]");
  name_what_repeats(depth, made, pattern_of(made));
  keep(depth, index, expression(depth, index, pattern_of(made)));
}

const std::string& NodeWriter::simple(int depth, int value) {
  std::string& text = values[static_cast<std::size_t>(value)];
  if (!is_simple(text)) text = named(depth, text, "x_row");
  return text;
}

std::string NodeWriter::pooled(int depth, const Node& made) {
  const auto window = static_cast<std::int64_t>(made.attributes[0]),
             stride = static_cast<std::int64_t>(made.attributes[1]);
  const std::string x = simple(depth, made.operands[0]);
  // The last axis before the operator that changes it: compositions change it once.
  const std::int64_t columns = instance_.columns, last = (columns - window) / stride * stride;
  std::string text;
  for (std::int64_t k = 0; k < window; ++k) {
    const std::string part = x + "[" + std::to_string(k) + ":" + std::to_string(k + last + 1) +
                             (stride > 1 ? ":" + std::to_string(stride) : "") + "]";
    if (text.empty())
      text = part;
    else if (made.op == "avg_pool")
      text += " + " + part;
    else
      text = (made.op == "max_pool" ? "max(" : "min(") + text + ", " + part + ")";
  }
  return made.op == "avg_pool" ? "(" + text + ") / " + std::to_string(window) : text;
}

void NodeWriter::write(int depth, std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) node(depth, i);
}

void NodeWriter::store(int depth, const std::string& index) {
  for (std::size_t i = 0; i < outputs.size(); ++i)
    line(depth,
         "store " + outputs[i].name + "[" + index + "] = " + values[static_cast<std::size_t>(structure_.outputs[i])]);
}

void NodeWriter::name_what_repeats(int depth, const Node& node, std::string_view pattern) {
  for (std::size_t k = 0; k < node.operands.size(); ++k)
    if (times_used(pattern, "xyw"[k]) > 1) simple(depth, node.operands[k]);
}

}  // namespace kg::dataset::cot
