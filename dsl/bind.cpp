#include "dsl/bind.h"

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

}  // namespace

std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings) {
  std::map<std::string, std::int64_t> names = bindings.names;
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
