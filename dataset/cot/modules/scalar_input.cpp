#include "dataset/cot/modules/scalar_input.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "dataset/cot/modules/texts.h"
#include "operators/number_format.h"

namespace kg::dataset::cot::modules {
namespace {

bool in_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_'; }

// Occurrences of a word in the text, replaced by another; how many.
int replace_word(std::string& text, const std::string& word, const std::string& by) {
  int count = 0;
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos;) {
    const std::size_t end = at + word.size();
    const bool whole = (at == 0 || !in_word(text[at - 1])) && (end == text.size() || !in_word(text[end]));
    if (whole) {
      text.replace(at, word.size(), by);
      ++count;
    }
    at += whole ? by.size() : word.size();
  }
  return count;
}

// By what the number does, or of any number.
std::vector<std::string> scalar_names(const std::string& role, Draw& draw) {
  static const std::map<std::string, std::vector<std::string>> by_role = {
      {"eps", {"eps", "epsilon"}},
      {"beta", {"beta", "momentum", "decay"}},
      {"rate", {"lr", "learning_rate"}},
      {"power", {"exponent", "power"}},
      {"bound", {"threshold", "bound", "limit", "other"}},
      {"low", {"min_value", "low", "lower", "min_val", "lower_bound"}},
      {"high", {"max_value", "high", "upper", "max_val", "upper_bound"}},
      {"unit", {"weight", "ratio", "mix"}}};
  static const std::vector<std::string> any = {"scalar", "alpha",  "value", "weight", "scalar",
                                               "scale",  "factor", "coef",  "other"};
  const auto found = by_role.find(role);
  return found != by_role.end() && draw.chance(0.6) ? found->second : any;
}

}  // namespace

std::optional<ScalarInput> draw_scalar_input(const Graph& graph, const std::vector<std::string>& names,
                                             bool may_be_each, Draw& draw) {
  std::vector<std::size_t> numbers;  // others have the names of scalars in their place
  for (std::size_t i = 0; i < graph.constants.size(); ++i)
    if (std::isalpha(static_cast<unsigned char>(graph.constants[i].text[0])) == 0) numbers.push_back(i);
  if (numbers.empty()) return std::nullopt;
  ScalarInput made;
  made.constant = draw.of(numbers);
  made.number = graph.constants[made.constant].text;
  made.type = draw.chance(0.6) ? graph.dtype : "float";
  made.each = may_be_each && draw.chance(0.4);
  made.name = made.each ? draw.any({"scalars", "scalars", "scalar_list", "values", "alphas"})
                        : draw.of(scalar_names(graph.constants[made.constant].role, draw));
  if (std::find(names.begin(), names.end(), made.name) != names.end()) return std::nullopt;
  // The same number may be another constant, or part of an operator.
  for (std::size_t i = 0; i < graph.constants.size(); ++i)
    if (i != made.constant && graph.constants[i].text == made.number) return std::nullopt;
  for (const Node& node : graph.nodes)
    if (std::string dsl = node.dsl; replace_word(dsl, made.number, "") > 0) return std::nullopt;
  return made;
}

std::string with_scalar_input(const std::string& program, const ScalarInput& scalar, int lines) {
  const std::size_t head = program.find(") ->");
  std::size_t at = 0;
  for (int i = 0; i < lines; ++i) at = program.find('\n', at) + 1;
  std::string local = "s";
  for (std::string trial = program; replace_word(trial, local, "") > 0; trial = program) local += "0";
  std::string body = program.substr(at);
  const std::string indent(2 * static_cast<std::size_t>(lines), ' ');
  if (replace_word(body, scalar.number, local) == 0) return "";
  return program.substr(0, head) + ", " + scalar.name + ": " + scalar.type + (scalar.each ? "[K]" : "[1]") +
         program.substr(head, at - head) + indent + local + " = load " + scalar.name + (scalar.each ? "[i]" : "[0]") +
         "\n" + body;
}

void add_scalar_input(const Graph& graph, const ScalarInput& scalar, proto::Task& task, Ran& ran) {
  Input input;
  input.dtype = scalar.type;
  const proto::DType dtype = dtype_of(graph, input);
  for (proto::TaskCase& one : *task.mutable_cases()) {
    proto::TensorSpec& spec = *one.add_inputs();
    spec.set_name(scalar.name);
    spec.set_dtype(dtype);
    spec.add_shape(1);
  }
  for (RunCase& run : ran.cases) {
    proto::Tensor& tensor = run.inputs.emplace_back();
    tensor.set_name(scalar.name);
    tensor.set_dtype(dtype);
    tensor.add_shape(1);
    tensor.set_data(std::string(dtype == proto::FLOAT32 ? 4 : 2, '\0'));
    operators::write_element(dtype, tensor.mutable_data()->data(), 0, std::stod(scalar.number));
  }
}

}  // namespace kg::dataset::cot::modules
