#include "dsl/bind.h"

#include <algorithm>
#include <functional>
#include <numeric>
#include <optional>

#include "dsl/constant.h"
#include "dsl/foldings.h"
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

// The extents with a known number: constants and known names.
std::vector<std::optional<std::int64_t>> known_extents(const Parameter& parameter,
                                                       const std::map<std::string, std::int64_t>& names) {
  std::vector<std::optional<std::int64_t>> known;
  for (const ExprPtr& extent : parameter.extents) known.push_back(constant_of(*extent, names));
  return known;
}

// Every way to fold neighbouring dimensions of `shape` into as many as the parameter declares, that of its leading ones
// first, as far as what is known agrees.
void add_foldings(const std::vector<std::int64_t>& shape, const std::vector<std::optional<std::int64_t>>& known,
                  std::vector<std::int64_t> behind, std::vector<std::vector<std::int64_t>>& found) {
  const std::size_t wanted = known.size() - behind.size();
  if (wanted == 0) {
    if (shape.empty()) found.push_back({behind.rbegin(), behind.rend()});
    return;
  }
  std::int64_t extent = 1;
  for (std::size_t taken = 1; taken + wanted <= shape.size() + 1; ++taken) {
    extent *= shape[shape.size() - taken];
    if (known[wanted - 1] && *known[wanted - 1] != extent) continue;
    behind.push_back(extent);
    add_foldings({shape.begin(), shape.end() - static_cast<std::ptrdiff_t>(taken)}, known, behind, found);
    behind.pop_back();
  }
}

// The shape that a parameter gives its tensor, once no choice is left; with `must`, the first choice.
std::optional<std::vector<std::int64_t>> shape_for(const Parameter& parameter, std::vector<std::int64_t> shape,
                                                   const std::map<std::string, std::int64_t>& names, bool must) {
  if (shape.empty()) shape = {1};
  const std::vector<std::optional<std::int64_t>> known = known_extents(parameter, names);
  std::vector<std::vector<std::int64_t>> foldings;
  add_foldings(shape, known, {}, foldings);
  if (foldings.size() == 1 || (must && !foldings.empty())) return foldings.front();
  if (!foldings.empty()) return std::nullopt;
  // Into more dimensions they may be split, too, where every extent but one has its number, or where the first is
  // written as another number than the tensor's (with one unknown extent only if that is 1 or the second a formula);
  // else only if all are written as numbers, so that swapped names are found.
  const std::int64_t elements = std::accumulate(shape.begin(), shape.end(), std::int64_t{1}, std::multiplies<>());
  std::int64_t declared = 1;
  int unknown = 0;
  std::vector<std::int64_t> split;
  for (const auto& extent : known) {
    unknown += extent ? 0 : 1;
    split.push_back(extent.value_or(0));
    declared *= extent.value_or(1);
  }
  const Expr& front = *parameter.extents.front();
  // An extent that is a formula is no swapped name.
  const bool formula = known.size() > 1 && parameter.extents[1]->kind == Expr::Kind::kBinary && known[1].has_value();
  const bool meant = known.size() > shape.size() ||
                     (front.kind == Expr::Kind::kNumber && known.front() != shape.front() &&
                      (unknown == 0 || known.front() == 1 || formula)) ||
                     std::all_of(parameter.extents.begin(), parameter.extents.end(),
                                 [](const ExprPtr& extent) { return extent->kind == Expr::Kind::kNumber; });
  if (meant && declared > 0 && elements % declared == 0 && (unknown == 1 || (unknown == 0 && declared == elements))) {
    std::replace(split.begin(), split.end(), std::int64_t{0}, elements / declared);
    return split;
  }
  if (!must) return std::nullopt;
  if (shape.size() < known.size())
    throw Refusal(
        parameter.line, parameter_text(parameter),
        "the task gives this parameter " + std::to_string(shape.size()) + " dimensions, " + shape_text(shape));
  while (shape.size() > known.size()) {
    shape[1] *= shape[0];
    shape.erase(shape.begin());
  }
  return shape;
}

// Gives the extents of a parameter that are names the numbers of its shape.
void name_extents(Parameter& parameter, std::map<std::string, std::int64_t>& names) {
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

// Shapes by what the parameters declare: those first that leave no choice, since the names that they give may decide
// how others are folded.
void shape_parameters(Program& program, const Bindings& bindings, std::map<std::string, std::int64_t>& names) {
  std::vector<Parameter*> open;
  for (Parameter& parameter : program.parameters) {
    if (parameter.tensor < 0) continue;
    const TensorShape& tensor = bindings.tensors[static_cast<std::size_t>(parameter.tensor)];
    if (parameter.dtype != tensor.dtype)
      throw Refusal(parameter.line, parameter_text(parameter),
                    "the task gives this parameter the type " + dtype_name(tensor.dtype));
    open.push_back(&parameter);
  }
  for (bool must = false; !open.empty();) {
    const std::size_t before = open.size();
    for (std::size_t i = 0; i < open.size();) {
      Parameter& parameter = *open[i];
      const auto shape =
          shape_for(parameter, bindings.tensors[static_cast<std::size_t>(parameter.tensor)].shape, names, must);
      if (!shape) {
        ++i;
        continue;
      }
      parameter.shape = *shape;
      name_extents(parameter, names);
      open.erase(open.begin() + static_cast<std::ptrdiff_t>(i));
      if (must) break;
    }
    must = open.size() == before;
  }
}

constexpr int kMostTries = 10000;

// Values of the names with which all parameters from this one on fit their tensors. Nothing: none were found.
std::optional<ExtentValues> values_for_all(const Program& program, const Bindings& bindings, std::size_t index,
                                           const ExtentValues& known, int& tries) {
  while (index < program.parameters.size() && program.parameters[index].tensor < 0) ++index;
  if (index == program.parameters.size()) return known;
  const Parameter& parameter = program.parameters[index];
  std::vector<std::int64_t> shape = bindings.tensors[static_cast<std::size_t>(parameter.tensor)].shape;
  if (shape.empty()) shape = {1};
  if (++tries > kMostTries) return std::nullopt;
  for (const ExtentValues& values : foldings(parameter.extents, shape, known, /*whole=*/true))
    if (auto found = values_for_all(program, bindings, index + 1, values, tries)) return found;
  return std::nullopt;
}

// The first choice may leave none for a later parameter: then one that leaves one to all.
void shape_all(Program& program, const Bindings& bindings, std::map<std::string, std::int64_t>& names) {
  try {
    shape_parameters(program, bindings, names);
  } catch (const Refusal&) {
    int tries = 0;
    const std::optional<ExtentValues> values = values_for_all(program, bindings, 0, bindings.names, tries);
    if (!values) throw;
    names = *values;
    shape_parameters(program, bindings, names);
  }
}

}  // namespace

std::vector<TensorShape> in_pairs(std::vector<TensorShape> tensors) {
  for (TensorShape& tensor : tensors) {
    if (tensor.dtype != proto::COMPLEX64) continue;
    tensor.dtype = proto::FLOAT32;
    tensor.shape.push_back(2);
  }
  return tensors;
}

std::map<std::string, std::int64_t> bind(Program& program, const Bindings& bindings) {
  std::map<std::string, std::int64_t> names = bindings.names;
  shape_all(program, bindings, names);
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
