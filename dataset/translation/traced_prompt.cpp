#include "dataset/translation/traced_prompt.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <regex>
#include <set>
#include <sstream>

namespace kg::dataset::translation {
namespace {

std::vector<TracedTensor> tensors_of(const std::string& line) {
  static const std::regex one(R"((\w+): (\w+)\[([\d, ]*)\])");
  std::vector<TracedTensor> found;
  for (std::sregex_iterator at(line.begin(), line.end(), one), end; at != end; ++at)
    found.push_back({(*at)[1], (*at)[2], numbers_of((*at)[3])});
  return found;
}

}  // namespace

std::optional<TracedPrompt> traced_prompt_of(const std::string& text) {
  TracedPrompt prompt;
  std::istringstream stream(text);
  bool steps = false;
  for (std::string line; std::getline(stream, line);) {
    if (line.starts_with("Input")) prompt.inputs = tensors_of(line);
    if (line.starts_with("Output")) prompt.outputs = tensors_of(line);
    if (line.starts_with("PyTorch's operators")) {
      steps = true;
    } else if (steps && line.find(" = ") != std::string::npos) {
      const auto read = traced_line(line);
      if (!read || read->given.empty()) return std::nullopt;
      prompt.lines.push_back(*read);
      prompt.texts.push_back(line);
    }
  }
  if (prompt.lines.empty() || prompt.inputs.empty() || prompt.outputs.empty()) return std::nullopt;
  for (const TracedTensor& one : prompt.inputs) {
    prompt.shapes[one.name] = one.shape;
    if (prompt.whole.empty() || count_of(one.shape) > count_of(prompt.whole)) prompt.whole = one.shape;
  }
  for (const TracedLine& line : prompt.lines) {
    Shape shape;
    if (line.shape) {
      shape = *line.shape;
    } else {
      for (auto given = line.given.rbegin(); given != line.given.rend(); ++given)  // the first operand's
        if (prompt.shapes.contains(*given)) shape = prompt.shapes[*given];
    }
    for (const std::string& result : line.results) prompt.shapes[result] = shape;
  }
  return prompt;
}

std::int64_t count_of(const Shape& shape) {
  return std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
}

Shape aligned_shape(const TracedPrompt& prompt, const TracedTensor& input) {
  std::string name = input.name;
  for (const TracedLine& line : prompt.lines)
    if ((line.op == "view" || line.op == "unsqueeze" || line.op == "reshape") && line.given[0] == name)
      name = line.results[0];
  Shape shape = prompt.shapes.at(name);
  for (const TracedLine& line : prompt.lines)  // an index for each row
    if (line.op == "nll_loss" && line.given.size() > 1 && line.given[1] == name) shape.push_back(1);
  return shape;
}

std::optional<std::vector<std::int64_t>> reduced_axes(const TracedLine& line) {
  static const std::set<std::string> reductions = {"sum",      "mean",        "amax",         "amin",   "max",
                                                   "min",      "var",         "std",          "prod",   "softmax",
                                                   "_softmax", "log_softmax", "_log_softmax", "cumsum", "cumprod",
                                                   "flip",     "logsumexp",   "vector_norm",  "norm"};
  if (!reductions.contains(line.op)) return std::nullopt;
  for (const char* name : {"dim", "dims"})
    if (const auto found = line.keywords.find(name); found != line.keywords.end()) return numbers_of(found->second);
  const std::size_t place = line.op == "vector_norm" || line.op == "norm" ? 2 : 1;
  if (line.given.size() <= place || line.given[place] == "None") return std::vector<std::int64_t>{};
  return numbers_of(line.given[place]);
}

}  // namespace kg::dataset::translation
