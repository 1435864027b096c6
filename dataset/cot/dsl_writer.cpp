#include "dataset/cot/dsl_writer.h"

#include <algorithm>
#include <cstdio>

#include "dataset/cot/node_writer.h"
#include "operators/operators.h"

namespace kg::dataset::cot {
namespace {

// The loops of each walk and the kernel's head around the statements.
class Writer {
 public:
  Writer(const Instance& instance, const Writing& writing)
      : instance_(instance), structure_(*instance.structure), writing_(writing), nodes_(instance, writing) {
    if (!can_lay_out(instance, writing.layout)) writing_.layout = Writing::Layout::kUsual;
  }

  std::string program() {
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
    const auto parameter = [](const TensorOf& tensor, const std::string& extents) {
      return tensor.name + ": " + type_name(tensor.dtype) + "[" + extents + "]";
    };
    std::string head = "kernel " + entry_point(instance_) + "(";
    for (std::size_t i = 0; i < nodes_.inputs.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter(nodes_.inputs[i], extents_[i]);
    head += ") -> ";
    for (std::size_t i = 0; i < nodes_.outputs.size(); ++i)
      head += (i > 0 ? ", " : "") + parameter(nodes_.outputs[i], out_extents_);
    return head + ":\n" + nodes_.body();
  }

 private:
  std::string tiles(const std::string& extent) const {
    return "tiles(" + extent + (writing_.tile > 0 ? ", " + std::to_string(writing_.tile) : "") + ")";
  }

  void flat() {
    std::string index;
    if (writing_.layout == Writing::Layout::kUsual) {
      extents_.assign(nodes_.inputs.size(), "N");
      nodes_.line(0, "for t in cores(" + tiles("N") + "):");
      index = "t";
    } else {
      extents_.assign(nodes_.inputs.size(), "R, C");
      const bool rows = writing_.layout == Writing::Layout::kRows;
      nodes_.line(0, rows ? "for r in cores(R):" : "for r, t in cores(R, " + tiles("C") + "):");
      index = rows ? "r, :" : "r, t";
    }
    out_extents_ = extents_[0];
    for (std::size_t i = 0; i < nodes_.inputs.size(); ++i) nodes_.load(1, i, index);
    nodes_.write(1, 0, structure_.nodes.size());
    nodes_.store(1, index);
  }

  void total() {
    extents_.assign(nodes_.inputs.size(), "N");
    out_extents_ = "1";
    const auto at = static_cast<std::size_t>(std::find_if(structure_.nodes.begin(), structure_.nodes.end(),
                                                          [](const Node& each) {
                                                            return operators::operator_info(each.op).shape ==
                                                                   operators::OperatorShape::kTotal;
                                                          }) -
                                             structure_.nodes.begin());
    const Node& made = structure_.nodes[at];
    const bool largest = made.op == "max_all", smallest = made.op == "min_all";
    nodes_.line(0, largest ? "s = -inf" : smallest ? "s = inf" : "s = 0.0");
    nodes_.line(0, "for t in cores(" + tiles("N") + "):");
    for (std::size_t i = 0; i < nodes_.inputs.size(); ++i) nodes_.load(1, i, "t");
    nodes_.write(1, 0, at);
    if (largest || smallest) {
      const std::string which = largest ? "max" : "min";
      nodes_.line(
          1, "s = " + which + "(s, " + which + "(" + nodes_.values[static_cast<std::size_t>(made.operands[0])] + "))");
    } else {
      nodes_.name_what_repeats(1, made, word(made.op).dsl);
      nodes_.line(1, "s += sum(" + nodes_.expression(1, at, word(made.op).dsl) + ")");
    }
    std::string text = largest ? "all_max(s)" : smallest ? "all_min(s)" : "all_sum(s)";
    if ((word(made.op).flags & operators::kMean) != 0) text += " / N";
    nodes_.values[structure_.inputs.size() + at] =
        nodes_.named(0, text, nodes_.hint_for(structure_.inputs.size() + at, "total"));
    nodes_.write(0, at + 1, structure_.nodes.size());
    nodes_.store(0, "0");
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
    extents_.assign(nodes_.inputs.size(), batched ? "A, B, C" : "B, C");
    out_extents_ = batched ? "A, C" : "C";
    nodes_.line(0, batched ? "for r, t in cores(A, " + tiles("C") + "):" : "for t in cores(" + tiles("C") + "):");
    const std::string start = made.op == "col_max"   ? "full(len(t), -inf)"
                              : made.op == "col_min" ? "full(len(t), inf)"
                                                     : "zeros(len(t))";
    nodes_.line(1, "s = " + start);
    nodes_.line(1, "for k in range(B):");
    for (std::size_t i = 0; i < nodes_.inputs.size(); ++i) nodes_.load(2, i, batched ? "r, k, t" : "k, t");
    nodes_.write(2, 0, at);
    const std::string x = nodes_.values[static_cast<std::size_t>(made.operands[0])];
    nodes_.line(2, made.op == "col_max"   ? "s = max(s, " + x + ")"
                   : made.op == "col_min" ? "s = min(s, " + x + ")"
                                          : "s += " + x);
    nodes_.values[structure_.inputs.size() + at] = made.op == "col_mean" ? "s / B" : "s";
    nodes_.write(1, at + 1, structure_.nodes.size());
    nodes_.store(1, batched ? "r, t" : "t");
  }

  void rows() {
    const bool gather = structure_.walk == Walk::kGather, product = structure_.walk == Walk::kMatmul;
    for (std::size_t i = 0; i < nodes_.inputs.size(); ++i) {
      const InputKind kind = structure_.inputs[i].kind;
      extents_.push_back(kind == InputKind::kVector                                      ? "C"
                         : kind == InputKind::kColumnIndex                               ? "K"
                         : kind == InputKind::kRight                                     ? "K, C"
                         : kind == InputKind::kRowIndex || kind == InputKind::kPickIndex ? "R"
                         : gather                                                        ? "V, C"
                         : product                                                       ? "R, K"
                                                                                         : "R, C");
      if (kind == InputKind::kVector || kind == InputKind::kColumnIndex)
        nodes_.values[i] = nodes_.named(0, "load " + nodes_.inputs[i].name + "[:]",
                                        nodes_.hint_for(i, nodes_.inputs[i].name + "_all"));
    }
    const bool number = is_number(structure_, structure_.outputs[0]);
    const bool other = !number && nodes_.outputs[0].shape.back() != instance_.columns;
    out_extents_ = number ? "R" : other ? "R, P" : "R, C";
    nodes_.line(0, "for r in cores(R):");
    std::size_t first = 0;
    if (gather) {
      const std::string index = nodes_.named(1, "load " + nodes_.inputs[1].name + "[r]", "row");
      nodes_.values[structure_.inputs.size()] =
          nodes_.named(1, "load x[" + index + ", :]", nodes_.hint_for(structure_.inputs.size(), "picked"));
      first = 1;
    } else if (product) {
      first = 1;
      const std::string left = nodes_.named(1, "load x[r, :]", "left");
      nodes_.line(1, "s = zeros(C)");
      nodes_.line(1, "for k in range(K):");
      nodes_.line(2, "s += " + left + "[k] * load " + nodes_.inputs[1].name + "[k, :]");
      nodes_.values[structure_.inputs.size()] = "s";
    }
    for (std::size_t i = gather || product ? 2 : 0; i < nodes_.inputs.size(); ++i) {
      const InputKind kind = structure_.inputs[i].kind;
      if (kind == InputKind::kFull) nodes_.load(1, i, "r, :");
      if (kind == InputKind::kPickIndex)
        nodes_.values[i] = nodes_.named(1, "load " + nodes_.inputs[i].name + "[r]", "target");
    }
    nodes_.write(1, first, structure_.nodes.size());
    nodes_.store(1, number ? "r" : "r, :");
  }

  const Instance& instance_;
  const Structure& structure_;
  Writing writing_;
  NodeWriter nodes_;
  std::vector<std::string> extents_;  // extents of the inputs
  std::string out_extents_;
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
    // Replaces the formula's letters x, y, z, a, b by the operands and constants where they are words.
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
