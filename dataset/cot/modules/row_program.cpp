#include "dataset/cot/modules/row_program.h"

#include <algorithm>

#include "dataset/cot/modules/line_program.h"
#include "dataset/cot/modules/pass_domain.h"

namespace kg::dataset::cot::modules {
namespace {

bool is_used(const translation::TracedPrompt& prompt, const std::string& name) {
  return std::any_of(prompt.lines.begin(), prompt.lines.end(), [&](const translation::TracedLine& line) {
    return std::find(line.given.begin(), line.given.end(), name) != line.given.end();
  });
}

// The number of axes in a row: the reduced ones, which must be the last. 0: none is reduced; -1: others are.
int axes_of_rows(const translation::TracedPrompt& prompt) {
  int axes = 0;
  for (const translation::TracedLine& line : prompt.lines) {
    int these = 0;
    if (line.op == "layer_norm") {
      these = line.given.size() > 1 ? static_cast<int>(translation::numbers_of(line.given[1]).size()) : 0;
    } else if (const auto reduced = translation::reduced_axes(line)) {
      const auto from = prompt.shapes.find(line.given[0]);
      if (reduced->empty() || from == prompt.shapes.end()) return -1;
      these = static_cast<int>(reduced->size());
      for (int i = 0; i < these; ++i)
        if ((*reduced)[static_cast<std::size_t>(i)] != static_cast<std::int64_t>(from->second.size()) - these + i)
          return -1;
    } else {
      continue;
    }
    if (axes != 0 && axes != these) return -1;
    axes = these;
  }
  return axes;
}

// The whole tensor, in tiles.
std::optional<Graph> elements(const translation::TracedPrompt& prompt, Graph graph) {
  const std::int64_t all = translation::count_of(prompt.outputs[0].shape);
  graph.extents = {{"N", all, 0}};
  graph.program.emplace_back("  for t in cores(tiles(N)):");
  for (std::size_t i = 0; i < prompt.inputs.size(); ++i) {
    const std::int64_t of = translation::count_of(prompt.inputs[i].shape);
    const std::string index = std::to_string(i);
    graph.inputs[i].program_shape = of == all ? "N" : "1";
    if (of == all)
      graph.program.push_back("    {" + index + "}_ = load {" + index + "}[t]");
    else if (of == 1)
      graph.program.insert(graph.program.begin(), "  {" + index + "}_ = load {" + index + "}[0]");
    else
      return std::nullopt;
  }
  for (std::size_t i = 0; i < prompt.outputs.size(); ++i) {
    if (translation::count_of(prompt.outputs[i].shape) != all) return std::nullopt;
    graph.out_program_shapes.emplace_back("N");
    graph.program.push_back("    store {z" + std::to_string(i) + "}[t] = 0");
  }
  return graph;
}

struct Place {
  std::string shape, at;
  bool outside = false;
};

// The place of a tensor of this shape, which broadcasts like `aligned`, in a loop over the `lead` first axes of
// `whole`.
std::optional<Place> place_of(const translation::Shape& shape, translation::Shape aligned,
                              const translation::Shape& whole, std::size_t lead) {
  if (translation::count_of(shape) == 1) return Place{"1", "0", true};
  if (aligned.size() > whole.size()) return std::nullopt;
  aligned.insert(aligned.begin(), whole.size() - aligned.size(), 1);
  std::vector<std::size_t> axes;  // those that it has
  for (std::size_t i = 0; i < whole.size(); ++i) {
    if (aligned[i] != 1 && aligned[i] != whole[i]) return std::nullopt;
    if (aligned[i] != 1) axes.push_back(i);
  }
  const auto in_front =
      static_cast<std::size_t>(std::count_if(axes.begin(), axes.end(), [&](std::size_t axis) { return axis < lead; }));
  const bool row = in_front < axes.size();
  const auto long_ones = [](auto begin, auto end) { return std::count_if(begin, end, [](auto n) { return n != 1; }); };
  if (row && static_cast<std::ptrdiff_t>(axes.size() - in_front) !=
                 long_ones(whole.begin() + static_cast<std::ptrdiff_t>(lead), whole.end()))
    return std::nullopt;  // a part of a row
  Place place{.shape = "", .at = "", .outside = row && in_front == 0};
  const auto join = [](std::string& text, const std::string& part) { text += (text.empty() ? "" : ", ") + part; };
  std::size_t next = 0;
  for (const std::int64_t extent : shape) {
    if (extent == 1) {
      join(place.shape, "1");
      if (next < in_front || !row) join(place.at, "0");
      continue;
    }
    if (next == axes.size() || whole[axes[next]] != extent) return std::nullopt;
    join(place.shape, extent_letter(axes[next]));
    if (axes[next] < lead) join(place.at, "i" + std::to_string(axes[next]));
    ++next;
  }
  if (next != axes.size()) return std::nullopt;
  if (row) join(place.at, ":");
  return place;
}

std::optional<Graph> rows(const translation::TracedPrompt& prompt, Graph graph, std::size_t axes) {
  const translation::Shape& whole = prompt.whole;
  if (whole.size() <= axes) return std::nullopt;
  const std::size_t lead = whole.size() - axes;
  std::string names, cuts;
  for (std::size_t i = 0; i < whole.size(); ++i)
    graph.extents.push_back({.letter = extent_letter(i), .full = whole[i], .small = 0});
  for (std::size_t i = 0; i < lead; ++i) {
    names += (i > 0 ? ", i" : "i") + std::to_string(i);
    cuts += (i > 0 ? ", " : "") + extent_letter(i);
  }
  std::vector<std::string> outside, inside;
  for (std::size_t i = 0; i < prompt.inputs.size(); ++i) {
    if (!is_used(prompt, prompt.inputs[i].name)) continue;  // but in parts
    const auto place =
        place_of(prompt.inputs[i].shape, translation::aligned_shape(prompt, prompt.inputs[i]), whole, lead);
    if (!place) return std::nullopt;
    graph.inputs[i].program_shape = place->shape;
    const std::string load = "{" + std::to_string(i) + "}_ = load {" + std::to_string(i) + "}[" + place->at + "]";
    if (place->outside)
      outside.push_back("  " + load);
    else
      inside.push_back("    " + load);
  }
  for (std::size_t i = 0; i < prompt.outputs.size(); ++i) {
    translation::Shape aligned = prompt.outputs[i].shape;  // without the axes of rows where those are gone
    if (aligned.size() == lead && translation::count_of(aligned) < translation::count_of(whole))
      aligned.resize(whole.size(), 1);
    const auto place = place_of(prompt.outputs[i].shape, aligned, whole, lead);
    if (!place || place->outside) return std::nullopt;
    graph.out_program_shapes.push_back(place->shape);
    inside.push_back("    store {z" + std::to_string(i) + "}[" + place->at + "] = 0");
  }
  graph.program = outside;
  graph.program.push_back("  for " + names + " in cores(" + cuts + "):");
  graph.program.insert(graph.program.end(), inside.begin(), inside.end());
  return graph;
}

// A part of an input along an axis, which the program loads as if it were an input.
struct Slice {
  std::size_t input = 0, axis = 0;
  std::int64_t from = 0, to = 0, extent = 0;  // range and extent of the input along it
};

// The prompt with parts of inputs as further inputs, the first of which is the size()th of `slices` before its end.
translation::TracedPrompt with_slices(translation::TracedPrompt prompt, std::vector<Slice>& slices) {
  const std::vector<translation::TracedTensor> real = prompt.inputs;
  std::vector<translation::TracedLine> lines;
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < prompt.lines.size(); ++i) {
    const translation::TracedLine& line = prompt.lines[i];
    const auto of = std::find_if(real.begin(), real.end(),
                                 [&](const translation::TracedTensor& one) { return one.name == line.given[0]; });
    if (line.op != "slice" || of == real.end() || line.given.size() != 4) {
      lines.push_back(line);
      texts.push_back(prompt.texts[i]);
      continue;
    }
    slices.push_back({static_cast<std::size_t>(of - real.begin()), static_cast<std::size_t>(std::stoull(line.given[1])),
                      std::stoll(line.given[2]), std::stoll(line.given[3]), 0});
    if (slices.back().axis >= of->shape.size()) return prompt;
    slices.back().extent = of->shape[slices.back().axis];
    prompt.inputs.push_back({line.results[0], of->type, prompt.shapes[line.results[0]]});
  }
  prompt.lines = lines;
  prompt.texts = texts;
  if (slices.empty()) return prompt;
  prompt.whole.clear();
  for (const translation::TracedTensor& one : prompt.inputs)
    if (is_used(prompt, one.name) &&
        (prompt.whole.empty() || translation::count_of(one.shape) > translation::count_of(prompt.whole)))
      prompt.whole = one.shape;
  return prompt;
}

// The start of a part, in terms of sizes if it is the last part: a scaled task is judged with others. Empty: at 0.
std::string first_of(const Slice& slice, const translation::Shape& whole) {
  constexpr std::int64_t kShift = 64;  // a number of places rather than a part of the size
  if (slice.from == 0) return "";
  if (slice.from <= kShift || slice.to != slice.extent) return std::to_string(slice.from);
  return "S" + std::to_string(slice.input) + " - " +
         (slice.to - slice.from == whole[slice.axis] ? extent_letter(slice.axis)
                                                     : std::to_string(slice.to - slice.from));
}

// Loads of parts become loads of the inputs that they are parts of.
bool place_slices(RowProgram& made, const translation::TracedPrompt& prompt, const std::vector<Slice>& slices) {
  const std::size_t real = prompt.inputs.size() - slices.size();
  for (std::size_t i = 0; i < slices.size(); ++i) {
    const Slice& slice = slices[i];
    const translation::Shape& own = prompt.inputs[slice.input].shape;
    if (own.size() != prompt.whole.size()) return false;
    for (std::size_t axis = 0; axis < own.size(); ++axis)
      if (axis != slice.axis && own[axis] != prompt.whole[axis]) return false;
    const std::string name = "{" + std::to_string(real + i) + "}";
    for (std::string& line : made.lines) {
      const std::size_t load = line.find("load " + name + "[");
      if (load != std::string::npos) {
        std::string at = line.substr(load + 6 + name.size());
        at.pop_back();
        const std::string index = "i" + std::to_string(slice.axis), first = first_of(slice, prompt.whole),
                          size = extent_letter(slice.axis);
        if (slice.axis >= made.lead) {
          if (slice.axis + 1 != prompt.whole.size() || slice.axis != made.lead || !at.ends_with(":")) return false;
          at.replace(at.size() - 1, 1, first.empty() ? "0:" + size : first + ":" + first + " + " + size);
        } else if (!first.empty()) {
          const std::size_t place = at.find(index);
          if (place == std::string::npos) return false;
          at.replace(place, index.size(), index + " + " + first);
        }
        line = line.substr(0, load) + "load {" + std::to_string(slice.input) + "}[" + at + "]";
      }
      for (std::size_t at; (at = line.find(name + "_")) != std::string::npos;)
        line.replace(at, name.size() + 1, made.names[real + i]);
    }
    std::string shape;  // the real shape, with its own name for the sliced axis
    for (std::size_t axis = 0; axis < prompt.whole.size(); ++axis)
      shape += (axis > 0 ? ", " : "") + (axis == slice.axis ? "S" + std::to_string(slice.input) : extent_letter(axis));
    made.graph.inputs[slice.input].program_shape = shape;
  }
  made.graph.inputs.resize(real);
  made.names.resize(real);
  return true;
}

}  // namespace

std::optional<RowProgram> row_program(const translation::TracedPrompt& given) {
  std::vector<Slice> slices;
  const translation::TracedPrompt prompt = with_slices(given, slices);
  RowProgram made;
  Graph bare;
  bare.dtype = prompt.outputs[0].type;
  for (const translation::TracedTensor& one : prompt.inputs) {
    made.names.push_back(one.name);
    bare.inputs.push_back({.role = one.name, .shape = {}, .dtype = one.type});
  }
  bare.outputs.resize(prompt.outputs.size());
  for (const translation::TracedTensor& one : prompt.outputs) {
    static const std::set<std::string> stored = {"float", "half", "bfloat16",
                                                 "bool"};  // as they are computed, in float
    if (!stored.contains(one.type)) return std::nullopt;
    bare.out_dtypes.push_back(one.type);
  }
  const int axes = axes_of_rows(prompt);
  if (axes < 0) return std::nullopt;
  std::optional<Graph> graph;
  if (axes == 0 && slices.empty()) graph = elements(prompt, bare);
  std::size_t row = static_cast<std::size_t>(axes);
  for (std::size_t inner = axes == 0 ? 1 : row; !graph && inner < prompt.whole.size() && (axes == 0 || inner == row);
       ++inner) {
    graph = rows(prompt, bare, inner);
    if (graph) row = inner;
  }
  if (!graph) return std::nullopt;
  const auto lines = line_program(*graph, made.names, prompt.texts);
  if (!lines) return std::nullopt;
  made.graph = *graph;
  made.lines = *lines;
  made.lead = prompt.whole.size() - std::min(row, prompt.whole.size());
  if (!slices.empty() && !place_slices(made, prompt, slices)) return std::nullopt;
  return made;
}

}  // namespace kg::dataset::cot::modules
