#include "dataset/cot/modules/window_translation.h"

#include <algorithm>
#include <set>

#include "dataset/cot/modules/line_program.h"
#include "dataset/cot/modules/texts.h"

namespace kg::dataset::cot::modules {
namespace {

// One axis of the windows.
struct Axis {
  std::int64_t width = 1, step = 1, padding = 0, apart = 1;
  bool whole() const { return width == 1 && step == 1 && padding == 0; }
};

struct Pooling {
  bool largest = true;
  std::vector<Axis> axes;
};

bool is_pooling(const std::string& op) {
  static const std::set<std::string> known = {"max_pool1d", "max_pool2d", "max_pool3d",
                                              "avg_pool1d", "avg_pool2d", "avg_pool3d"};
  return known.contains(op);
}

std::optional<Pooling> pooling_of(const TracedLine& line) {
  Pooling pooling{.largest = line.op.starts_with("max"), .axes = {}};
  const auto numbers = [&](std::size_t place, const char* name) {
    const auto found = line.keywords.find(name);
    return found != line.keywords.end() ? numbers_of(found->second)
           : line.given.size() > place  ? numbers_of(line.given[place])
                                        : std::vector<std::int64_t>{};
  };
  const auto widths = numbers(1, "kernel_size"), steps = numbers(2, "stride"), paddings = numbers(3, "padding");
  const auto aparts = pooling.largest ? numbers(4, "dilation") : std::vector<std::int64_t>{};
  const std::size_t known = pooling.largest ? 5 : 4;  // rounding up, uncounted padding and divisors are not
  if (line.given.size() > known || line.keywords.contains("ceil_mode") || line.keywords.contains("divisor_override") ||
      line.keywords.contains("count_include_pad") || widths.empty())
    return std::nullopt;
  const auto at = [](const std::vector<std::int64_t>& list, std::size_t i, std::int64_t otherwise) {
    return list.empty() ? otherwise : list[std::min(i, list.size() - 1)];
  };
  for (std::size_t i = 0; i < widths.size(); ++i)
    pooling.axes.push_back({widths[i], at(steps, i, widths[i]), at(paddings, i, 0), at(aparts, i, 1)});
  while (pooling.axes.size() > 1 && pooling.axes.front().whole()) pooling.axes.erase(pooling.axes.begin());
  return pooling;
}

std::string times(std::int64_t factor, const std::string& of) {
  return factor == 1 ? of : std::to_string(factor) + " * " + of;
}

std::string plus(const std::string& text, std::int64_t number) {
  if (number == 0) return text;
  return text + (number < 0 ? " - " : " + ") + std::to_string(number < 0 ? -number : number);
}

// Writes `graph`'s program: the value of the pooling is `name`.
void write(Graph& graph, const Pooling& pooling, const std::string& name) {
  static constexpr const char *in[] = {"D", "H", "W"}, *out[] = {"E", "I", "J"}, *at[] = {"e", "i", "j"},
                              *along[] = {"d", "h", "w"};
  const std::size_t count = pooling.axes.size(), first = 3 - count;
  std::string shape = "P", result = "P", names = "p", cuts = "P", place = "p";
  for (std::size_t i = first; i < 3; ++i) {
    shape += std::string(", ") + in[i];
    result += std::string(", ") + out[i];
    if (i + 1 < 3) names += std::string(", ") + at[i], cuts += std::string(", ") + out[i], place += std::string(", ") + at[i];
  }
  graph.inputs[0].program_shape = shape;
  graph.out_program_shapes = {result};
  auto& lines = graph.program;
  const Axis& last = pooling.axes.back();
  std::int64_t elements = 1;
  for (const Axis& axis : pooling.axes) elements *= axis.width;
  if (count == 1 && last.step == 1) {  // of any length
    const std::string load = "load {0}[p, " + plus("t + " + times(last.apart, "k"), -last.padding) + "]" +
                             (last.padding > 0 ? std::string(" pad ") + (pooling.largest ? "-inf" : "0") : "");
    lines = {"  for p, t in cores(P, tiles(J)):", "    " + name + " = full(len(t), " + (pooling.largest ? "-inf)" : "0)"),
             "    for k in range(" + std::to_string(last.width) + "):",
             "      " + name + (pooling.largest ? " = max(" + name + ", " + load + ")" : " += " + load)};
    if (!pooling.largest) lines.push_back("    " + name + " = " + name + " / " + std::to_string(elements));
    lines.push_back("    store {z0}[p, t] = " + name);
    return;
  }
  lines.push_back("  for " + names + " in cores(" + cuts + "):");
  const std::string width = plus("W", 2 * last.padding), empty = pooling.largest ? "-inf" : "0";
  lines.push_back("    s = full(" + width + ", " + empty + ")");
  std::string indent = "    ", loaded = "p";
  for (std::size_t i = first; i + 1 < 3; ++i) {
    const Axis& axis = pooling.axes[i - first];
    // Only places inside: the windows at the edges are shorter.
    const std::string from = times(axis.step, at[i]), to = axis.apart == 1 ? "" : std::string("k") + along[i];
    const std::int64_t past = axis.width - axis.padding;
    if (axis.apart == 1) {
      lines.push_back(indent + "for " + along[i] + " in range(" +
                      (axis.padding > 0 ? "max(" + plus(from, -axis.padding) + ", 0), min(" + plus(from, past) + ", " +
                                              in[i] + ")"
                                        : from + ", " + plus(from, past)) +
                      "):");
      loaded += std::string(", ") + along[i];
    } else {
      const std::string by = " // " + std::to_string(axis.apart), before = std::to_string(axis.padding + axis.apart - 1);
      lines.push_back(indent + "for " + to + " in range(" +
                      (axis.padding > 0 ? "max(0, (" + before + " - " + from + ")" + by + "), min(" +
                                              std::to_string(axis.width) + ", (" + in[i] + " + " + before + " - " + from +
                                              ")" + by + ")"
                                        : std::to_string(axis.width)) +
                      "):");
      loaded += ", " + plus(from + " + " + times(axis.apart, to), -axis.padding);
    }
    indent += "  ";
  }
  const std::string load =
      "load {0}[" + loaded + ", " +
      (last.padding > 0 ? "-" + std::to_string(last.padding) + ":" + plus("W", last.padding) + "] pad " + empty : ":]");
  lines.push_back(indent + (pooling.largest ? "s = max(s, " + load + ")" : "s += " + load));
  const std::string span = last.step == 1 ? "J" : plus(times(last.step, "J"), 1 - last.step);
  const std::string by = last.step == 1 ? "" : ":" + std::to_string(last.step);
  lines.push_back("    " + name + " = s[0:" + span + by + "]");
  if (last.width > 1) {
    const std::string from = times(last.apart, "k");
    const std::string part = "s[" + from + ":" + from + " + " + span + by + "]";
    lines.push_back("    for k in range(1, " + std::to_string(last.width) + "):");
    lines.push_back("      " + name + (pooling.largest ? " = max(" + name + ", " + part + ")" : " += " + part));
  }
  if (!pooling.largest) lines.push_back("    " + name + " = " + name + " / " + std::to_string(elements));
  graph.program.push_back("    store {z0}[" + place + ", :] = " + name);
}

}  // namespace

std::optional<std::string> window_translation(const TracedPrompt& prompt) {
  static const std::set<std::string> own = {"D", "H", "W", "E", "I", "J", "P", "s", "k", "p", "e", "i", "d", "h", "kd", "kh"};
  if (prompt.inputs.size() != 1 || prompt.outputs.size() != 1 || own.contains(prompt.inputs[0].name))
    return std::nullopt;
  static const std::set<std::string> views = {"unsqueeze", "squeeze", "view", "reshape", ""};
  std::string of = prompt.inputs[0].name, value;
  std::optional<Pooling> pooling;
  std::vector<std::string> behind;
  for (std::size_t i = 0; i < prompt.lines.size(); ++i) {
    const TracedLine& line = prompt.lines[i];
    if (!pooling && is_pooling(line.op) && line.given[0] == of) {
      pooling = pooling_of(line);
      if (!pooling || line.results.empty()) return std::nullopt;
      value = line.results[0];
    } else if (views.contains(line.op) && line.given[0] == (pooling ? value : of)) {
      (pooling ? value : of) = line.results[0];
    } else if (pooling) {
      behind.push_back(prompt.texts[i]);
    } else {
      return std::nullopt;
    }
  }
  const std::string& output = prompt.outputs[0].name;
  if (!pooling || pooling->axes.size() > 3 || (behind.empty() && value != output)) return std::nullopt;
  Graph graph;
  graph.dtype = prompt.outputs[0].type;
  graph.inputs = {{.role = of, .shape = {}, .dtype = prompt.inputs[0].type}};
  graph.outputs = {0};
  const std::string name = behind.empty() ? "m" : value;
  write(graph, *pooling, name);
  std::vector<std::string> program = graph.program;
  if (!behind.empty()) {
    // The operators behind it, as of a loop that loads the pooling's result.
    Graph elements;
    elements.dtype = graph.dtype;
    elements.inputs = {{.role = value, .shape = {}, .program_shape = "N"}};
    elements.outputs = {1};
    elements.program = {"  for r in cores(1):", "    {0}_ = load {0}[:]", "    store {z0}[:] = {0}_"};
    const auto statements = line_program(elements, {value}, behind);
    if (!statements) return std::nullopt;
    program.pop_back();
    for (std::size_t i = 2; i < statements->size(); ++i) {
      std::string line = (*statements)[i];
      for (std::size_t at; (at = line.find("{0}_")) != std::string::npos;) line.replace(at, 4, name);
      if (line.find("    store ") == 0) {
        const std::string& store = graph.program.back();
        line = store.substr(0, store.find(" = ")) + line.substr(line.find(" = "));
      }
      program.push_back(line);
    }
  }
  return program_text(graph, program, {prompt.inputs[0].name}) + "\n";
}

}  // namespace kg::dataset::cot::modules
