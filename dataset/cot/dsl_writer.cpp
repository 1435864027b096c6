#include "dataset/cot/dsl_writer.h"

#include <algorithm>
#include <cstdio>
#include <map>

#include "base/check.h"
#include "operators/number_format.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::dataset::cot {
namespace {

using Naming = Writing::Naming;

const operators::Word& word(const std::string& op) { return *operators::operator_info(op).word; }

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

// What the prompt calls a value: a letter, "t1", an output's name.
std::string value_name(const Structure& structure, const std::vector<TensorOf>& outputs, int value) {
  const int inputs = static_cast<int>(structure.inputs.size());
  if (value < inputs) return std::string(1, structure.inputs[static_cast<std::size_t>(value)].letter);
  for (std::size_t i = 0; i < structure.outputs.size(); ++i)
    if (structure.outputs[i] == value) return outputs[i].name;
  return "t" + std::to_string(value - inputs + 1);
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

class Writer {
 public:
  Writer(const Instance& instance, const Writing& writing)
      : instance_(instance),
        structure_(*instance.structure),
        writing_(writing),
        inputs_(inputs_of(instance)),
        outputs_(outputs_of(instance)) {
    if (!can_lay_out(instance, writing.layout)) writing_.layout = Writing::Layout::kUsual;
  }

  std::string program() {
    values_.resize(static_cast<std::size_t>(structure_.value_count()));
    count_uses();
    switch (structure_.walk) {
      case Walk::kFlat:
        flat();
        break;
      case Walk::kTotal:
        total();
        break;
      case Walk::kColumns:
        columns();
        break;
      default:
        rows();
    }
    std::string head = "kernel " + entry_point(instance_) + "(";
    for (std::size_t i = 0; i < inputs_.size(); ++i)
      head += (i > 0 ? ", " : "") + inputs_[i].name + ": " + type_name(inputs_[i].dtype) + "[" + extents_[i] + "]";
    head += ") -> ";
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      head += (i > 0 ? ", " : "") + outputs_[i].name + ": " + type_name(outputs_[i].dtype) + "[" + out_extents_ + "]";
    return head + ":\n" + body_;
  }

 private:
  void line(int depth, const std::string& text) {
    body_ += std::string(static_cast<std::size_t>(depth) * 2 + 2, ' ') + text + "\n";
  }
  bool whole() const { return !operators::is_floating(instance_.dtype) && instance_.dtype != proto::INT8; }

  void count_uses() {
    uses_.assign(values_.size(), 0);
    for (const Node& node : structure_.nodes) {
      const std::string_view text = word(node.op).dsl;
      for (std::size_t k = 0; k < node.operands.size(); ++k)
        uses_[static_cast<std::size_t>(node.operands[k])] += text.empty() ? 2 : times_used(text, "xyw"[k]);
    }
    for (const int output : structure_.outputs) ++uses_[static_cast<std::size_t>(output)];
  }

  std::string fresh(const std::string& hint) {
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
          std::any_of(inputs_.begin(), inputs_.end(), [&](const TensorOf& each) { return each.name == name; });
      if (!used && name != "r" && name != "t" && name != "k" && name != "s") return name;
    }
  }

  // The hint for a value's name. A tensor's own name is taken: its tile is called xv.
  std::string hint_for(std::size_t value, const std::string& otherwise) const {
    if (writing_.naming != Naming::kAsPrompt) return otherwise;
    const std::string name = value_name(structure_, outputs_, static_cast<int>(value));
    return name[0] == 't' ? name : name + "v";
  }

  // Gives a value a name of its own.
  std::string named(int depth, const std::string& text, const std::string& hint) {
    const std::string name = fresh(hint);
    line(depth, name + " = " + text);
    return name;
  }

  void load(int depth, std::size_t input, const std::string& index) {
    const std::string text = "load " + inputs_[input].name + "[" + index + "]";
    const bool inlined = writing_.nested && uses_[input] == 1;
    values_[input] = inlined ? text : named(depth, text, hint_for(input, inputs_[input].name + "_row"));
  }

  std::string operand(int value) const {
    const std::string& text = values_[static_cast<std::size_t>(value)];
    return is_atom(text) ? text : "(" + text + ")";
  }

  std::string filled(std::string_view pattern, const Node& node, const std::map<char, std::string>& temporary) const {
    std::string text;
    for (std::size_t i = 0; i < pattern.size(); ++i) {
      if (pattern[i] != '$') {
        text += pattern[i];
        continue;
      }
      const char letter = pattern[++i];
      const std::size_t which = std::string("xyw").find(letter);
      if (which != std::string::npos) {
        // Within the brackets of a function an expression needs none of its own.
        const std::string& bare = values_[static_cast<std::size_t>(node.operands[which])];
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

  // The text of node `index` by its pattern; writes the statements that come before it.
  std::string expression(int depth, std::size_t index, std::string_view pattern) {
    const Node& node = structure_.nodes[index];
    std::map<char, std::string> temporary;
    const std::vector<std::string> parts = statements_of(pattern);
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
      const std::string text = filled(std::string_view(parts[i]).substr(5), node, temporary);
      temporary[parts[i][1]] = named(depth, text, "d");
    }
    return filled(parts.back(), node, temporary);
  }

  std::string_view pattern_of(const Node& node) const {
    const operators::Word& how = word(node.op);
    return whole() && !how.dsl_whole.empty() ? how.dsl_whole : how.dsl;
  }

  void keep(int depth, std::size_t index, const std::string& text) {
    const std::size_t value = structure_.inputs.size() + index;
    const bool stored = writing_.naming == Naming::kAsPrompt && index + 1 == structure_.nodes.size();
    const bool inlined =
        (writing_.nested || stored) && uses_[value] == 1 && text.size() < 60 && structure_.nodes[index].op != "take";
    values_[value] =
        inlined ? text : named(depth, text, hint_for(value, structure_.nodes[index].op.substr(0, 12) + "_x"));
  }

  void node(int depth, std::size_t index) {
    const Node& made = structure_.nodes[index];
    const std::string x = values_[static_cast<std::size_t>(made.operands[0])];
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
      return keep(depth, index, "gather(" + x + ", " + values_[static_cast<std::size_t>(made.operands[1])] + ")");
    if (made.op == "pick")
      return keep(depth, index,
                  simple(depth, made.operands[0]) + "[" + values_[static_cast<std::size_t>(made.operands[1])] + "]");
    // A value that a pattern repeats is computed once.
    for (std::size_t k = 0; k < made.operands.size(); ++k)
      if (times_used(pattern_of(made), "xyw"[k]) > 1) simple(depth, made.operands[k]);
    keep(depth, index, expression(depth, index, pattern_of(made)));
  }

  // The value under a name.
  const std::string& simple(int depth, int value) {
    std::string& text = values_[static_cast<std::size_t>(value)];
    if (!is_simple(text)) text = named(depth, text, "x_row");
    return text;
  }

  std::string pooled(int depth, const Node& made) {
    const auto window = static_cast<std::int64_t>(made.attributes[0]),
               stride = static_cast<std::int64_t>(made.attributes[1]);
    const std::string x = simple(depth, made.operands[0]);
    const std::int64_t columns = outputs_columns_before(made), last = (columns - window) / stride * stride;
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

  // The last axis in front of the operator that changes it: compositions change it once.
  std::int64_t outputs_columns_before(const Node&) const { return instance_.columns; }

  void nodes(int depth, std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i) node(depth, i);
  }

  void store(int depth, const std::string& index) {
    for (std::size_t i = 0; i < outputs_.size(); ++i)
      line(depth, "store " + outputs_[i].name + "[" + index +
                      "] = " + values_[static_cast<std::size_t>(structure_.outputs[i])]);
  }

  std::string tiles(const std::string& extent) const {
    return "tiles(" + extent + (writing_.tile > 0 ? ", " + std::to_string(writing_.tile) : "") + ")";
  }

  void flat() {
    std::string index;
    if (writing_.layout == Writing::Layout::kUsual) {
      extents_.assign(inputs_.size(), "N");
      line(0, "for t in cores(" + tiles("N") + "):");
      index = "t";
    } else {
      extents_.assign(inputs_.size(), "R, C");
      const bool rows = writing_.layout == Writing::Layout::kRows;
      line(0, rows ? "for r in cores(R):" : "for r, t in cores(R, " + tiles("C") + "):");
      index = rows ? "r, :" : "r, t";
    }
    out_extents_ = extents_[0];
    for (std::size_t i = 0; i < inputs_.size(); ++i) load(1, i, index);
    nodes(1, 0, structure_.nodes.size());
    store(1, index);
  }

  void total() {
    extents_.assign(inputs_.size(), "N");
    out_extents_ = "1";
    const auto at = static_cast<std::size_t>(std::find_if(structure_.nodes.begin(), structure_.nodes.end(),
                                                          [](const Node& each) {
                                                            return operators::operator_info(each.op).shape ==
                                                                   operators::OperatorShape::kTotal;
                                                          }) -
                                             structure_.nodes.begin());
    const Node& made = structure_.nodes[at];
    const bool largest = made.op == "max_all", smallest = made.op == "min_all";
    line(0, largest ? "s = -inf" : smallest ? "s = inf" : "s = 0.0");
    line(0, "for t in cores(" + tiles("N") + "):");
    for (std::size_t i = 0; i < inputs_.size(); ++i) load(1, i, "t");
    nodes(1, 0, at);
    if (largest || smallest) {
      const std::string which = largest ? "max" : "min";
      line(1, "s = " + which + "(s, " + which + "(" + values_[static_cast<std::size_t>(made.operands[0])] + "))");
    } else {
      for (std::size_t k = 0; k < made.operands.size(); ++k)
        if (times_used(word(made.op).dsl, "xyw"[k]) > 1) simple(1, made.operands[k]);
      line(1, "s += sum(" + expression(1, at, word(made.op).dsl) + ")");
    }
    std::string text = largest ? "all_max(s)" : smallest ? "all_min(s)" : "all_sum(s)";
    if ((word(made.op).flags & operators::kMean) != 0) text += " / N";
    values_[structure_.inputs.size() + at] = named(0, text, hint_for(structure_.inputs.size() + at, "total"));
    nodes(0, at + 1, structure_.nodes.size());
    store(0, "0");
  }

  void columns() {
    const auto at = static_cast<std::size_t>(std::find_if(structure_.nodes.begin(), structure_.nodes.end(),
                                                          [](const Node& each) {
                                                            return operators::operator_info(each.op).shape ==
                                                                   operators::OperatorShape::kColumnReduce;
                                                          }) -
                                             structure_.nodes.begin());
    const Node& made = structure_.nodes[at];
    const bool batched = !instance_.lead.empty();
    extents_.assign(inputs_.size(), batched ? "A, B, C" : "B, C");
    out_extents_ = batched ? "A, C" : "C";
    line(0, batched ? "for r, t in cores(A, " + tiles("C") + "):" : "for t in cores(" + tiles("C") + "):");
    const std::string start = made.op == "col_max"   ? "full(len(t), -inf)"
                              : made.op == "col_min" ? "full(len(t), inf)"
                                                     : "zeros(len(t))";
    line(1, "s = " + start);
    line(1, "for k in range(B):");
    for (std::size_t i = 0; i < inputs_.size(); ++i) load(2, i, batched ? "r, k, t" : "k, t");
    nodes(2, 0, at);
    const std::string x = values_[static_cast<std::size_t>(made.operands[0])];
    line(2, made.op == "col_max"   ? "s = max(s, " + x + ")"
            : made.op == "col_min" ? "s = min(s, " + x + ")"
                                   : "s += " + x);
    values_[structure_.inputs.size() + at] = made.op == "col_mean" ? "s / B" : "s";
    nodes(1, at + 1, structure_.nodes.size());
    store(1, batched ? "r, t" : "t");
  }

  void rows() {
    const bool gather = structure_.walk == Walk::kGather, product = structure_.walk == Walk::kMatmul;
    for (std::size_t i = 0; i < inputs_.size(); ++i) {
      const InputKind kind = structure_.inputs[i].kind;
      extents_.push_back(kind == InputKind::kVector                                      ? "C"
                         : kind == InputKind::kColumnIndex                               ? "K"
                         : kind == InputKind::kRight                                     ? "K, C"
                         : kind == InputKind::kRowIndex || kind == InputKind::kPickIndex ? "R"
                         : gather                                                        ? "V, C"
                         : product                                                       ? "R, K"
                                                                                         : "R, C");
      if (kind == InputKind::kVector || kind == InputKind::kColumnIndex)
        values_[i] = named(0, "load " + inputs_[i].name + "[:]", hint_for(i, inputs_[i].name + "_all"));
    }
    const bool number = is_number(structure_, structure_.outputs[0]);
    const bool other = !number && outputs_[0].shape.back() != instance_.columns;
    out_extents_ = number ? "R" : other ? "R, P" : "R, C";
    line(0, "for r in cores(R):");
    std::size_t first = 0;
    if (gather) {
      const std::string index = named(1, "load " + inputs_[1].name + "[r]", "row");
      values_[structure_.inputs.size()] =
          named(1, "load x[" + index + ", :]", hint_for(structure_.inputs.size(), "picked"));
      first = 1;
    } else if (product) {
      first = 1;
      const std::string left = named(1, "load x[r, :]", "left");
      line(1, "s = zeros(C)");
      line(1, "for k in range(K):");
      line(2, "s += " + left + "[k] * load " + inputs_[1].name + "[k, :]");
      values_[structure_.inputs.size()] = "s";
    }
    for (std::size_t i = gather || product ? 2 : 0; i < inputs_.size(); ++i) {
      const InputKind kind = structure_.inputs[i].kind;
      if (kind == InputKind::kFull) load(1, i, "r, :");
      if (kind == InputKind::kPickIndex) values_[i] = named(1, "load " + inputs_[i].name + "[r]", "target");
    }
    nodes(1, first, structure_.nodes.size());
    store(1, number ? "r" : "r, :");
  }

  const Instance& instance_;
  const Structure& structure_;
  Writing writing_;
  std::vector<TensorOf> inputs_, outputs_;
  std::vector<std::string> values_;  // text of each value, a name or an expression
  std::vector<std::size_t> uses_;
  std::vector<std::string> extents_;  // of the inputs
  std::string out_extents_, body_;
  std::size_t made_ = 0;
  std::map<std::string, int> taken_;
};

}  // namespace

std::string number_words(double value) {
  char text[32];
  for (int digits = 1; digits < 17; ++digits) {
    std::snprintf(text, sizeof(text), "%.*g", digits, value);
    if (std::stod(text) == value) break;
  }
  return text;
}

bool can_lay_out(const Instance& instance, Writing::Layout layout) {
  if (layout == Writing::Layout::kUsual) return true;
  return instance.structure->walk == Walk::kFlat && !instance.lead.empty() && instance.rows() > 1 &&
         instance.columns > 1;
}

bool has_tiles(const Instance& instance, Writing::Layout layout) {
  const Walk walk = instance.structure->walk;
  return walk == Walk::kTotal || walk == Walk::kColumns || (walk == Walk::kFlat && layout != Writing::Layout::kRows);
}

std::string dsl_program(const Instance& instance, const Writing& writing) {
  return Writer(instance, writing).program();
}

std::vector<std::string> step_lines(const Structure& structure, const std::vector<TensorOf>& outputs) {
  std::vector<std::string> lines;
  const int inputs = static_cast<int>(structure.inputs.size());
  const auto name = [&](int value) { return value_name(structure, outputs, value); };
  for (std::size_t i = 0; i < structure.nodes.size(); ++i) {
    const Node& node = structure.nodes[i];
    std::string text = operators::operator_info(node.op).formula;
    // The formula's own letters x, y, z, a, b become the operands and constants, where they stand as words.
    std::string filled;
    for (std::size_t at = 0; at < text.size(); ++at) {
      const auto letter = [&](std::size_t where) {
        return where < text.size() && std::isalnum(static_cast<unsigned char>(text[where])) != 0;
      };
      const bool alone = !letter(at + 1) && (at == 0 || !letter(at - 1));
      const std::size_t which = std::string("xyz").find(text[at]), constant = std::string("ab").find(text[at]);
      if (alone && which != std::string::npos && which < node.operands.size())
        filled += name(node.operands[which]);
      else if (alone && constant != std::string::npos && constant < node.attributes.size())
        filled += number_words(node.attributes[constant]);
      else
        filled += text[at];
    }
    lines.push_back(name(inputs + static_cast<int>(i)) + " = " + filled);
  }
  return lines;
}

}  // namespace kg::dataset::cot
