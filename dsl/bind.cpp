#include "dsl/bind.h"

#include <algorithm>
#include <numeric>

#include "dsl/constant.h"
#include "dsl/parser.h"
#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

constexpr std::int64_t kMostElements = std::int64_t{1} << 40;

std::string shape_text(const std::vector<std::int64_t>& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : ", ") + std::to_string(extent);
  return "[" + text + "]";
}

std::string parameter_text(const Parameter& parameter) {
  std::string text;
  for (const ExprPtr& extent : parameter.extents) text += (text.empty() ? "" : ", ") + text_of(*extent);
  return parameter.name + ": " + dtype_name(parameter.dtype) + "[" + text + "]";
}

// The task's shape with as many dimensions as the parameter declares.
std::vector<std::int64_t> folded(const Parameter& parameter, std::vector<std::int64_t> shape) {
  if (shape.empty()) shape = {1};
  const std::size_t wanted = parameter.extents.size();
  while (shape.size() > wanted) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  if (shape.size() < wanted)
    throw Refusal(
        parameter.line, parameter_text(parameter),
        "the task gives this parameter " + std::to_string(shape.size()) + " dimensions, " + shape_text(shape));
  return shape;
}

std::string names_of(const std::vector<TensorShape>& tensors, bool output) {
  std::string text;
  for (const TensorShape& tensor : tensors)
    if (tensor.output == output && !tensor.absent) text += (text.empty() ? "" : ", ") + tensor.name;
  return text;
}

int tensor_named(const std::vector<TensorShape>& tensors, const std::string& name, bool output) {
  for (std::size_t i = 0; i < tensors.size(); ++i)
    if (tensors[i].name == name && tensors[i].output == output) return static_cast<int>(i);
  return -1;
}

// Matches the inputs, or the outputs.
void match_side(const Program& program, const std::vector<TensorShape>& tensors, bool output, std::vector<int>& found) {
  std::vector<std::size_t> side;
  bool by_name = true;
  for (std::size_t i = 0; i < program.parameters.size(); ++i) {
    const Parameter& parameter = program.parameters[i];
    if (parameter.output != output) continue;
    side.push_back(i);
    found[i] = tensor_named(tensors, parameter.name, output);
    by_name = by_name && found[i] >= 0;
  }
  if (by_name && (!output || side.size() == static_cast<std::size_t>(std::count_if(
                                                tensors.begin(), tensors.end(),
                                                [](const TensorShape& one) { return one.output && !one.absent; }))))
    return;
  std::vector<int> all, present, wanted;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].output != output) continue;
    all.push_back(static_cast<int>(i));
    if (!tensors[i].absent) present.push_back(static_cast<int>(i));
    if (!tensors[i].absent && !tensors[i].optional) wanted.push_back(static_cast<int>(i));
  }
  for (const std::vector<int>& some : {wanted, present, all}) {
    if (some.size() != side.size()) continue;
    for (std::size_t i = 0; i < side.size(); ++i) found[side[i]] = some[i];
    return;
  }
  throw Refusal(1, "kernel " + program.name,
                "the task has " + std::to_string(present.size()) + (output ? " outputs" : " inputs") + " (" +
                    names_of(tensors, output) + "), the kernel " + std::to_string(side.size()));
}

// Which tensor a parameter is, and how the function is launched that has a parameter for each tensor.
void set_tensors(Program& program, const std::vector<TensorShape>& tensors) {
  const std::vector<int> matched = match_tensors(program, tensors);
  bool in_order = matched.size() == tensors.size();
  program.signature.assign(tensors.size(), -1);
  for (std::size_t i = 0; i < matched.size(); ++i) {
    program.parameters[i].tensor = matched[i];
    program.signature[static_cast<std::size_t>(matched[i])] = static_cast<int>(i);
    in_order = in_order && matched[i] == static_cast<int>(i);
  }
  if (in_order) program.signature.clear();
}

}  // namespace

std::vector<int> match_tensors(const Program& program, const std::vector<TensorShape>& tensors) {
  std::vector<int> found(program.parameters.size(), -1);
  const bool named =
      std::all_of(tensors.begin(), tensors.end(), [](const TensorShape& tensor) { return !tensor.name.empty(); });
  if (named) {
    match_side(program, tensors, /*output=*/false, found);
    match_side(program, tensors, /*output=*/true, found);
    return found;
  }
  if (tensors.size() != program.parameters.size())
    throw Refusal(1, "kernel " + program.name,
                  "the task has " + std::to_string(tensors.size()) + " inputs and outputs, the kernel " +
                      std::to_string(program.parameters.size()));
  std::iota(found.begin(), found.end(), 0);
  return found;
}

std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings) {
  std::map<std::string, std::int64_t> names = bindings.names;
  if (!bindings.tensors.empty()) set_tensors(program, bindings.tensors);
  for (Parameter& parameter : program.parameters) {
    if (parameter.tensor < 0) continue;
    const TensorShape& tensor = bindings.tensors[static_cast<std::size_t>(parameter.tensor)];
    if (parameter.dtype != tensor.dtype)
      throw Refusal(parameter.line, parameter_text(parameter),
                    "the task gives this parameter the type " + dtype_name(tensor.dtype));
    parameter.shape = folded(parameter, tensor.shape);
    for (std::size_t d = 0; d < parameter.shape.size(); ++d) {
      const Expr& extent = *parameter.extents[d];
      if (extent.kind != Expr::Kind::kName) continue;
      const auto [known, is_new] = names.emplace(extent.text, parameter.shape[d]);
      if (!is_new && known->second != parameter.shape[d])
        throw Refusal(parameter.line, parameter_text(parameter),
                      extent.text + " is " + std::to_string(known->second) + " elsewhere and " +
                          std::to_string(parameter.shape[d]) + " here; use another name");
    }
  }
  for (Parameter& parameter : program.parameters) {
    std::vector<std::int64_t> declared;
    std::int64_t elements = 1;
    for (const ExprPtr& extent : parameter.extents) {
      const auto value = constant_of(*extent, names);
      if (!value)
        throw Refusal(
            parameter.line, parameter_text(parameter),
            "the extent " + text_of(*extent) + " has no value; bind it, as in --bind " + text_of(*extent) + "=1024");
      if (*value < 1 || *value > kMostElements || (elements *= *value) > kMostElements)
        throw Refusal(parameter.line, parameter_text(parameter),
                      "an extent is at least 1 and a tensor at most 2^40 elements");
      declared.push_back(*value);
    }
    if (!parameter.shape.empty() && parameter.shape != declared)
      throw Refusal(parameter.line, parameter_text(parameter),
                    "the task gives this parameter the shape " + shape_text(parameter.shape));
    parameter.shape = declared;
  }
  return names;
}

}  // namespace kg::dsl
