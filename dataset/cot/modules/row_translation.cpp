#include "dataset/cot/modules/row_translation.h"

#include <algorithm>

#include "dataset/cot/modules/line_program.h"
#include "dataset/cot/modules/texts.h"

namespace kg::dataset::cot::modules {
namespace {

// How many axes a row has: those that are reduced, which must be the last. 0: none is; -1: others are.
int axes_of_rows(const TracedPrompt& prompt) {
  int axes = 0;
  for (const TracedLine& line : prompt.lines) {
    int these = 0;
    if (line.op == "layer_norm") {
      these = line.given.size() > 1 ? static_cast<int>(numbers_of(line.given[1]).size()) : 0;
    } else if (const auto reduced = reduced_axes(line)) {
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

// The whole of a tensor in tiles.
std::optional<Graph> elements(const TracedPrompt& prompt, Graph graph) {
  const std::int64_t all = count_of(prompt.outputs[0].shape);
  graph.extents = {{"N", all, 0}};
  graph.program.emplace_back("  for t in cores(tiles(N)):");
  for (std::size_t i = 0; i < prompt.inputs.size(); ++i) {
    const std::int64_t of = count_of(prompt.inputs[i].shape);
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
    if (count_of(prompt.outputs[i].shape) != all) return std::nullopt;
    graph.out_program_shapes.emplace_back("N");
    graph.program.push_back("    store {z" + std::to_string(i) + "}[t] = 0");
  }
  return graph;
}

struct Place {
  std::string shape, at;
  bool outside = false;
};

// The shape with which an input meets the others: that of its last view.
Shape aligned_shape(const TracedPrompt& prompt, const TracedTensor& input) {
  std::string name = input.name;
  for (const TracedLine& line : prompt.lines)
    if ((line.op == "view" || line.op == "unsqueeze" || line.op == "reshape") && line.given[0] == name)
      name = line.results[0];
  return prompt.shapes.at(name);
}

// Where a tensor of this shape, which broadcasts as `aligned` does, lies for a loop over the `lead` first axes of
// `whole`.
std::optional<Place> place_of(const Shape& shape, Shape aligned, const Shape& whole, std::size_t lead) {
  if (count_of(shape) == 1) return Place{"1", "0", true};
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
    join(place.shape, std::string(1, static_cast<char>('A' + axes[next])));
    if (axes[next] < lead) join(place.at, "i" + std::to_string(axes[next]));
    ++next;
  }
  if (next != axes.size()) return std::nullopt;
  if (row) join(place.at, ":");
  return place;
}

std::optional<Graph> rows(const TracedPrompt& prompt, Graph graph, std::size_t axes) {
  const Shape& whole = prompt.whole;
  if (whole.size() <= axes) return std::nullopt;
  const std::size_t lead = whole.size() - axes;
  std::string names, cuts;
  for (std::size_t i = 0; i < whole.size(); ++i)
    graph.extents.push_back({.letter = std::string(1, static_cast<char>('A' + i)), .full = whole[i], .small = 0});
  for (std::size_t i = 0; i < lead; ++i) {
    names += (i > 0 ? ", i" : "i") + std::to_string(i);
    cuts += (i > 0 ? ", " : "") + std::string(1, static_cast<char>('A' + i));
  }
  std::vector<std::string> outside, inside;
  for (std::size_t i = 0; i < prompt.inputs.size(); ++i) {
    const auto place = place_of(prompt.inputs[i].shape, aligned_shape(prompt, prompt.inputs[i]), whole, lead);
    if (!place) return std::nullopt;
    graph.inputs[i].program_shape = place->shape;
    const std::string load = "{" + std::to_string(i) + "}_ = load {" + std::to_string(i) + "}[" + place->at + "]";
    if (place->outside)
      outside.push_back("  " + load);
    else
      inside.push_back("    " + load);
  }
  for (std::size_t i = 0; i < prompt.outputs.size(); ++i) {
    Shape aligned = prompt.outputs[i].shape;  // without the axes of rows where those are gone
    if (aligned.size() == lead && count_of(aligned) < count_of(whole)) aligned.resize(whole.size(), 1);
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

}  // namespace

std::optional<std::string> row_translation(const TracedPrompt& prompt) {
  Graph bare;
  bare.dtype = prompt.outputs[0].type;
  std::vector<std::string> names;
  for (const TracedTensor& one : prompt.inputs) {
    names.push_back(one.name);
    bare.inputs.push_back({.role = one.name, .shape = {}, .dtype = one.type});
  }
  bare.outputs.resize(prompt.outputs.size());
  const int axes = axes_of_rows(prompt);
  if (axes < 0) return std::nullopt;
  auto graph = axes == 0 ? elements(prompt, bare) : rows(prompt, bare, static_cast<std::size_t>(axes));
  for (std::size_t inner = 1; axes == 0 && !graph && inner < prompt.whole.size(); ++inner)
    graph = rows(prompt, bare, inner);
  if (!graph) return std::nullopt;
  const auto lines = line_program(*graph, names, prompt.texts);
  if (!lines) return std::nullopt;
  return program_text(*graph, *lines, names) + "\n";
}

}  // namespace kg::dataset::cot::modules
