#include "dataset/cot/modules/list_form.h"

#include <cctype>
#include <regex>

#include "dataset/cot/modules/texts.h"
#include "operators/number_format.h"

namespace kg::dataset::cot::modules {
namespace {

bool fits(const Graph& graph) {
  if (graph.nest != "flat" || graph.outputs.size() != 1 || graph.inputs.size() > 3) return false;
  for (const Input& input : graph.inputs)
    if (input.parameter || input.program_shape != "N" || !input.dtype.empty() || input.outside) return false;
  return true;
}

std::vector<std::string> list_names(std::size_t count, Draw& draw) {
  if (count == 1) return {draw.any({"x", "inputs", "tensor", "input", "data", "values", "tensors", "xs"})};
  static const std::vector<std::vector<std::string>> sets = {{"x", "y", "w"},
                                                             {"x1", "x2", "x3"},
                                                             {"inputs_1", "inputs_2", "inputs_3"},
                                                             {"tensor1", "tensor2", "tensor3"},
                                                             {"xs", "ys", "zs"},
                                                             {"input0", "input1", "input2"},
                                                             {"data", "other", "third"},
                                                             {"params", "grads", "states"}};
  const auto& set = draw.of(sets);
  return {set.begin(), set.begin() + static_cast<std::ptrdiff_t>(count)};
}

// The name of a list's element in formulas, which is not always the parameter's name.
std::vector<std::string> symbols_of(const std::vector<std::string>& names, Draw& draw) {
  const std::string below = draw.any({"_i", "_{i}"});
  std::vector<std::string> symbols;
  const bool same = draw.chance(0.4), numbered = draw.chance(0.5);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string letter(1, "xyw"[i]);
    symbols.push_back((same ? names[i] : numbered && names.size() > 1 ? "x" + std::to_string(i + 1) : letter) + below);
  }
  return symbols;
}

std::string shapes_text(const std::string& type, std::size_t lists, Draw& draw) {
  const int count = 1 + static_cast<int>(draw.below(lists == 1 ? 6 : 3));
  std::string text;
  for (int i = 0; i < std::min(count, 4); ++i) {
    const int rank = 1 + static_cast<int>(draw.below(4));
    text += (i > 0 ? ", " : "") + type + "[";
    for (int k = 0; k < rank; ++k)
      text += (k > 0 ? "," : "") + std::to_string(1 + draw.below(k + 1 == rank ? 2000 : 70));
    text += "]";
  }
  return text + (count > 4 ? ", ..." : "");
}

std::string title_of(const Graph& graph, Draw& draw) {
  std::string words;
  bool upper = true;
  for (const char c : graph.nodes[0].name) {
    if (c == '_') {
      upper = true;
    } else {
      words += upper ? static_cast<char>(std::toupper(static_cast<unsigned char>(c))) : c;
      upper = false;
    }
  }
  return draw.any({"Foreach", "Foreach", "MultiTensor", "Grouped"}) +
         (graph.nodes.size() == 1 || draw.chance(0.5) ? words : draw.any({"Op", "Fused", "Update"})) +
         (draw.chance(0.3) ? draw.any({"List", "Tensors"}) : "");
}

// The program's text, its loop put inside one over the tensors; empty if it names its extent elsewhere.
std::string on_lists(const std::string& program, const ListForm& form, const std::string& type, bool each,
                     const std::string& number, const std::string& scalar_type) {
  const std::size_t end = program.find('\n');
  std::string text = "kernel " + std::string(kEntryPoint) + "(";
  for (std::size_t i = 0; i < form.names.size(); ++i)
    text += (i > 0 ? ", " : "") + form.names[i] + ": " + type + "[..]*";
  if (!form.scalar.empty()) text += ", " + form.scalar + ": " + scalar_type + (each ? "[K]" : "[1]");
  text += ") -> out: " + type + "[..]*:";
  const std::string load = "s = load " + form.scalar;
  if (!form.scalar.empty() && !each) text += "\n  " + load + "[0]";
  text += "\n  for i in tensors(" + form.names[0] + "):";
  if (!form.scalar.empty() && each) text += "\n    " + load + "[i]";
  std::string body = program.substr(end);
  for (std::size_t at = 0; (at = body.find('\n', at)) != std::string::npos; ++at) body.insert(at + 1, "  ");
  body = std::regex_replace(body, std::regex(R"(tiles\(N\))"), "tiles(size(" + form.names[0] + "[i]))");
  body = std::regex_replace(body, std::regex(R"(\[t\])"), "[i, t]");
  if (std::regex_search(body, std::regex(R"(\bN\b)"))) return "";
  if (!form.scalar.empty()) {
    std::string changed;
    std::size_t from = 0;
    for (std::size_t at = 0; (at = body.find(number, at)) != std::string::npos;) {
      const auto part = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '_'; };
      const bool whole = !part(body[at - 1]) && (at + number.size() == body.size() || !part(body[at + number.size()]));
      changed += body.substr(from, at - from) + (whole ? "s" : number);
      from = at += number.size();
    }
    body = changed + body.substr(from);
    if (body.find(" s") == std::string::npos && body.find("(s") == std::string::npos) return "";
  }
  return text + body;
}

}  // namespace

std::optional<ListForm> list_form(const Graph& graph, Philox& random) {
  if (!fits(graph)) return {};
  Draw draw(random);
  ListForm form;
  form.names = list_names(graph.inputs.size(), draw);
  Graph said = graph;
  bool each = false;
  std::string number, scalar_type = draw.chance(0.6) ? graph.dtype : "float";
  if (!graph.constants.empty() && draw.chance(0.6)) {
    const std::size_t which = draw.below(graph.constants.size());
    each = draw.chance(0.4);
    form.scalar = each ? draw.any({"scalars", "scalars", "scalar_list", "values", "alphas"})
                       : draw.any({"scalar", "alpha", "value", "weight", "scalar"});
    for (const std::string& name : form.names)
      if (name == form.scalar) return {};
    number = graph.constants[which].text;
    form.value = std::stod(number);
    Input scalar;
    scalar.dtype = scalar_type;
    form.scalar_dtype = dtype_of(graph, scalar);
    said.constants[which].text = form.scalar + (each ? "_i" : "");
  }
  form.program = on_lists(program_text(graph, graph.program, form.names), form, graph.dtype, each, number, scalar_type);
  if (form.program.empty()) return {};
  const std::vector<std::string> symbols = symbols_of(form.names, draw);
  const bool formulas = draw.chance(0.8);
  std::string steps = steps_text(said, symbols, "out" + symbols[0].substr(symbols[0].rfind('_')), formulas);
  if (steps.empty()) return {};
  const std::string shapes = shapes_text(graph.dtype, form.names.size(), draw);
  std::string listed;
  for (const std::string& name : form.names) listed += (listed.empty() ? "" : "; ") + name + ": list of " + shapes;
  const bool several = form.names.size() > 1 || !form.scalar.empty();
  if (!form.scalar.empty())
    listed += "; " + form.scalar + ": " + scalar_type + "[" + (each ? std::to_string(1 + draw.below(8)) : "1") + "]";
  form.prompt = head("DSL") + (several ? "Inputs " : "Input ") + listed + "\nOutput out: list of " + shapes +
                (draw.chance(0.8) ? "\n" + title_of(graph, draw) : "") + "\n" + steps +
                (draw.chance(0.5) ? " (i = 0, 1, ... n-1)" : "");
  std::string reading;
  for (const std::string& name : form.names) reading += (reading.empty() ? "" : "; ") + name + " list = [..]";
  if (!form.scalar.empty()) reading += "; " + form.scalar + (each ? " one a tensor" : " one number");
  const std::string whole = reading_line(said, form.names, /*with_steps=*/true);
  form.answer = reading + whole.substr(whole.find(". ")) + "\n```dsl\n" + form.program + "\n```";
  return form;
}

void make_lists(const ListForm& form, proto::Task& task, Ran& ran) {
  for (proto::TaskCase& one : *task.mutable_cases()) {
    for (int i = 0; i < one.inputs_size(); ++i) {
      one.mutable_inputs(i)->set_kind(proto::DYNAMIC);
      one.mutable_inputs(i)->set_name(form.names[static_cast<std::size_t>(i)]);
    }
    for (proto::TensorSpec& spec : *one.mutable_outputs()) spec.set_kind(proto::DYNAMIC);
    if (form.scalar.empty()) continue;
    proto::TensorSpec& spec = *one.add_inputs();
    spec.set_name(form.scalar);
    spec.set_dtype(form.scalar_dtype);
    spec.add_shape(1);
  }
  for (RunCase& run : ran.cases) {
    for (std::size_t i = 0; i < run.inputs.size(); ++i) {
      run.inputs[i].set_kind(proto::DYNAMIC);
      run.inputs[i].set_name(form.names[i]);
    }
    if (form.scalar.empty()) continue;
    proto::Tensor& tensor = run.inputs.emplace_back();
    tensor.set_name(form.scalar);
    tensor.set_dtype(form.scalar_dtype);
    tensor.add_shape(1);
    tensor.set_data(std::string(form.scalar_dtype == proto::FLOAT32 ? 4 : 2, '\0'));
    operators::write_element(form.scalar_dtype, tensor.mutable_data()->data(), 0, form.value);
  }
}

}  // namespace kg::dataset::cot::modules
