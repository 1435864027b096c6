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

std::optional<Pooling> pooling_of(const translation::TracedLine& line) {
  Pooling pooling{.largest = line.op.starts_with("max"), .axes = {}};
  const auto numbers = [&](std::size_t place, const char* name) {
    const auto found = line.keywords.find(name);
    return found != line.keywords.end() ? translation::numbers_of(found->second)
           : line.given.size() > place  ? translation::numbers_of(line.given[place])
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

constexpr const char *kIn[] = {"D", "H", "W"}, *kOut[] = {"E", "I", "J"}, *kAt[] = {"e", "i", "j"},
                     *kAlong[] = {"d", "h", "w"};

// Writes a graph's program: the value of the pooling is `name`.
class WindowProgram {
 public:
  WindowProgram(Graph& graph, const Pooling& pooling, std::string name)
      : graph_(graph), pooling_(pooling), name_(std::move(name)), first_(3 - pooling.axes.size()) {
    for (const Axis& axis : pooling.axes) elements_ *= axis.width;
  }

  void write() {
    std::string shape = "P", result = "P";
    for (std::size_t i = first_; i < 3; ++i) shape += std::string(", ") + kIn[i], result += std::string(", ") + kOut[i];
    graph_.inputs[0].program_shape = shape;
    graph_.out_program_shapes = {result};
    if (pooling_.axes.size() == 1 && last().step == 1)
      along_any_row();
    else
      along_whole_rows();
  }

 private:
  const Axis& last() const { return pooling_.axes.back(); }
  const char* empty() const { return pooling_.largest ? "-inf" : "0"; }
  std::string joined(const std::string& to, const std::string& with) const {
    return pooling_.largest ? to + " = max(" + to + ", " + with + ")" : to + " += " + with;
  }
  void line(int depth, const std::string& text) {
    graph_.program.push_back(std::string(static_cast<std::size_t>(2 * depth), ' ') + text);
  }
  void divide() {
    if (!pooling_.largest) line(2, name_ + " = " + name_ + " / " + std::to_string(elements_));
  }

  // Windows that move one by one along the last axis: a load for each of their places.
  void along_any_row() {
    line(1, "for p, t in cores(P, tiles(J)):");
    line(2, name_ + " = full(len(t), " + empty() + ")");
    line(2, "for k in range(" + std::to_string(last().width) + "):");
    const std::string pad = last().padding > 0 ? std::string(" pad ") + empty() : "";
    line(3, joined(name_, "load {0}[p, " + plus("t + " + times(last().apart, "k"), -last().padding) + "]" + pad));
    divide();
    line(2, "store {z0}[p, t] = " + name_);
  }

  // Rows of all windows that begin in a row of the result are joined, then the places within a row.
  void along_whole_rows() {
    std::string names = "p", cuts = "P", loaded = "p";
    for (std::size_t i = first_; i + 1 < 3; ++i)
      names += std::string(", ") + kAt[i], cuts += std::string(", ") + kOut[i];
    line(1, "for " + names + " in cores(" + cuts + "):");
    line(2, "s = full(" + plus("W", 2 * last().padding) + ", " + empty() + ")");
    int depth = 2;
    for (std::size_t i = first_; i + 1 < 3; ++i) line(depth++, "for " + places(i, loaded) + ":");
    const std::string row =
        last().padding > 0 ? "-" + std::to_string(last().padding) + ":" + plus("W", last().padding) + "] pad " + empty()
                           : std::string(":]");
    line(depth, joined("s", "load {0}[" + loaded + ", " + row));
    const std::string span = last().step == 1 ? "J" : plus(times(last().step, "J"), 1 - last().step);
    const std::string by = last().step == 1 ? "" : ":" + std::to_string(last().step);
    line(2, name_ + " = s[0:" + span + by + "]");
    if (last().width > 1) {
      const std::string from = times(last().apart, "k");
      line(2, "for k in range(1, " + std::to_string(last().width) + "):");
      line(3, joined(name_, "s[" + from + ":" + from + " + " + span + by + "]"));
    }
    divide();
    line(2, "store {z0}[" + names + ", :] = " + name_);
  }

  // "h in range(...)" over the places of a window that are inside, and the index there. Windows at the edges are
  // shorter.
  std::string places(std::size_t i, std::string& loaded) const {
    const Axis& axis = pooling_.axes[i - first_];
    const std::string from = times(axis.step, kAt[i]), in = kIn[i], width = std::to_string(axis.width);
    if (axis.apart == 1) {
      loaded += std::string(", ") + kAlong[i];
      const std::string begin = plus(from, -axis.padding), end = plus(from, axis.width - axis.padding);
      return kAlong[i] + (axis.padding > 0 ? " in range(max(" + begin + ", 0), min(" + end + ", " + in + "))"
                                           : " in range(" + begin + ", " + end + ")");
    }
    const std::string place = std::string("k") + kAlong[i], by = " // " + std::to_string(axis.apart),
                      past = std::to_string(axis.padding + axis.apart - 1);
    loaded += ", " + plus(from + " + " + times(axis.apart, place), -axis.padding);
    if (axis.padding == 0) return place + " in range(" + width + ")";
    return place + " in range(max(0, (" + past + " - " + from + ")" + by + "), min(" + width + ", (" + in + " + " +
           past + " - " + from + ")" + by + "))";
  }

  Graph& graph_;
  const Pooling& pooling_;
  const std::string name_;
  const std::size_t first_;
  std::int64_t elements_ = 1;
};

// A prompt's pooling, and the texts of the following lines.
struct Read {
  Pooling pooling;
  std::string value;  // result of the pooling
  std::vector<std::string> behind;
};

std::optional<Read> read(const translation::TracedPrompt& prompt) {
  static const std::set<std::string> views = {"unsqueeze", "squeeze", "view", "reshape", ""};
  std::string of = prompt.inputs[0].name;
  std::optional<Pooling> pooling;
  Read made;
  for (std::size_t i = 0; i < prompt.lines.size(); ++i) {
    const translation::TracedLine& line = prompt.lines[i];
    if (!pooling && is_pooling(line.op) && line.given[0] == of) {
      pooling = pooling_of(line);
      if (!pooling || line.results.empty()) return std::nullopt;
      made.value = line.results[0];
    } else if (views.contains(line.op) && line.given[0] == (pooling ? made.value : of)) {
      (pooling ? made.value : of) = line.results[0];
    } else if (pooling) {
      made.behind.push_back(prompt.texts[i]);
    } else {
      return std::nullopt;
    }
  }
  if (!pooling || pooling->axes.size() > 3 || (made.behind.empty() && made.value != prompt.outputs[0].name))
    return std::nullopt;
  made.pooling = *pooling;
  return made;
}

// The operators after the pooling, written like a loop that loads its result, instead of storing it.
std::optional<std::vector<std::string>> with_elements(const Read& read, const Graph& graph) {
  Graph elements;
  elements.dtype = graph.dtype;
  elements.inputs = {{.role = read.value, .shape = {}, .program_shape = "N"}};
  elements.outputs = {1};
  elements.program = {"  for r in cores(1):", "    {0}_ = load {0}[:]", "    store {z0}[:] = {0}_"};
  const auto statements = line_program(elements, {read.value}, read.behind);
  if (!statements) return std::nullopt;
  std::vector<std::string> program(graph.program.begin(), graph.program.end() - 1);
  const std::string& store = graph.program.back();
  for (std::size_t i = 2; i < statements->size(); ++i) {
    std::string line = (*statements)[i];
    for (std::size_t at; (at = line.find("{0}_")) != std::string::npos;) line.replace(at, 4, read.value);
    if (line.starts_with("    store ")) line = store.substr(0, store.find(" = ")) + line.substr(line.find(" = "));
    program.push_back(line);
  }
  return program;
}

}  // namespace

std::optional<std::string> window_translation(const translation::TracedPrompt& prompt) {
  static const std::set<std::string> own = {"D", "H", "W", "E", "I", "J",  "P",  "s", "k",
                                            "p", "e", "i", "d", "h", "kd", "kh", "t", "m"};
  if (prompt.inputs.size() != 1 || prompt.outputs.size() != 1 || own.contains(prompt.inputs[0].name))
    return std::nullopt;
  const auto found = read(prompt);
  if (!found) return std::nullopt;
  Graph graph;
  graph.dtype = prompt.outputs[0].type;
  graph.inputs = {{.role = prompt.inputs[0].name, .shape = {}, .dtype = prompt.inputs[0].type}};
  graph.outputs = {0};
  WindowProgram(graph, found->pooling, found->behind.empty() ? "m" : found->value).write();
  const auto program = found->behind.empty() ? graph.program : with_elements(*found, graph);
  if (!program) return std::nullopt;
  return program_text(graph, *program, {prompt.inputs[0].name}) + "\n";
}

}  // namespace kg::dataset::cot::modules
