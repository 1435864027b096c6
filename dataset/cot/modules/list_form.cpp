#include "dataset/cot/modules/list_form.h"

#include <algorithm>
#include <regex>

#include "dataset/cot/modules/described.h"
#include "dataset/cot/modules/essence.h"
#include "dataset/cot/modules/texts.h"

namespace kg::dataset::cot::modules {
namespace {

bool fits(const Graph& graph) {
  if ((graph.nest != "flat" && graph.nest != "flat_tree") || graph.outputs.size() != 1 || !graph.out_dtypes.empty() ||
      graph.inputs.size() > 3)
    return false;
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

// The names of lists' elements in formulas, which are not always the parameters' names.
Symbols element_symbols(const Graph& graph, const std::vector<std::string>& names, Draw& draw) {
  const std::string below = draw.any({"_i", "_{i}"});
  Symbols symbols = symbols_of(graph, {});
  const bool same = draw.chance(0.4), numbered = draw.chance(0.5), upper = draw.chance(0.2);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const std::string letter(1, (upper ? "XYW" : "xyw")[i]);
    const std::string name = same ? names[i] : numbered && names.size() > 1 ? "x" + std::to_string(i + 1) : letter;
    symbols.inputs.push_back((name.find('_') != std::string::npos ? "{" + name + "}" : name) + below);
  }
  std::string result = same ? symbols.outputs[0] : upper ? "Y" : "y";
  const auto taken = [&] {
    return std::find(symbols.inputs.begin(), symbols.inputs.end(), result + below) != symbols.inputs.end();
  };
  if (taken()) result = "out";
  symbols.outputs[0] = result + below;
  return symbols;
}

// The lists' names in formulas: their elements' without the index.
std::vector<std::string> list_symbols(const Symbols& symbols) {
  std::vector<std::string> names = symbols.inputs;
  names.push_back(symbols.outputs[0]);
  for (std::string& one : names) one.resize(one.rfind('_'));
  return names;
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

// The program's text, its loop put inside one over the tensors; empty if it names its extent elsewhere.
std::string on_lists(const std::string& program, const std::vector<std::string>& names, const Graph& graph) {
  std::string text = "kernel " + std::string(kEntryPoint) + "(";
  for (std::size_t i = 0; i < names.size(); ++i) text += (i > 0 ? ", " : "") + names[i] + ": " + graph.dtype + "[..]*";
  text += ") -> " + graph.out_name(0) + ": " + graph.out_dtype(0) + "[..]*:\n  for i in tensors(" + names[0] + "):";
  std::string body = program.substr(program.find('\n'));
  for (std::size_t at = 0; (at = body.find('\n', at)) != std::string::npos; ++at) body.insert(at + 1, "  ");
  body = std::regex_replace(body, std::regex(R"(tiles\(N\))"), "tiles(size(" + names[0] + "[i]))");
  body = std::regex_replace(body, std::regex(R"(\[t\])"), "[i, t]");
  return std::regex_search(body, std::regex(R"(\bN\b)")) ? "" : text + body;
}

}  // namespace

std::optional<ListForm> list_form(const Graph& graph, Philox& random) {
  if (!fits(graph)) return {};
  Draw draw(random);
  ListForm form{.graph = graph,
                .names = list_names(graph.inputs.size(), draw),
                .scalars = {},
                .prompt = "",
                .program = "",
                .answer = ""};
  std::string output = draw.any({"y", "out", "outputs", "result", "z"});
  if (std::find(form.names.begin(), form.names.end(), output) != form.names.end()) output = "out";
  form.graph.out_names = {output};
  Graph said = form.graph;
  form.program = on_lists(program_text(form.graph, graph.program, form.names), form.names, form.graph);
  if (form.program.empty()) return {};
  std::optional<ScalarInput> scalar;
  if (draw.chance(0.6)) scalar = draw_scalar_input(graph, form.names, /*may_be_each=*/true, draw);
  if (scalar) {
    said.constants[scalar->constant].text = scalar->name + (scalar->each ? "_i" : "");
    form.program = with_scalar_input(form.program, *scalar, scalar->each ? 2 : 1);
    if (form.program.empty()) return {};
    form.scalars.push_back(*scalar);
  }
  const Symbols symbols = element_symbols(said, form.names, draw);
  const auto steps = described(said, symbols, draw);
  if (!steps) return {};
  const std::string shapes = shapes_text(graph.dtype, form.names.size(), draw);
  std::string listed;
  for (const std::string& name : form.names) listed += (listed.empty() ? "" : "; ") + name + ": list of " + shapes;
  if (scalar)
    listed += "; " + scalar->name + ": " + scalar->type + "[" +
              (scalar->each ? std::to_string(1 + draw.below(8)) : "1") + "]";
  const std::string front = draw.any({"Foreach", "Foreach", "MultiTensor", "Grouped"});
  form.prompt =
      head("DSL") + (form.names.size() > 1 || scalar ? "Inputs " : "Input ") + listed + "\nOutput " + output +
      ": list of " + shapes +
      (draw.chance(0.85) ? "\n" + title_of(graph, front, draw) + (draw.chance(0.3) ? draw.any({"List", "Tensors"}) : "")
                         : "") +
      (draw.chance(0.45) ? elements_text(list_symbols(symbols), draw) : "") + "\n" + *steps +
      (draw.chance(0.7) ? all_elements(draw) : "");
  std::string reading;
  for (const std::string& name : form.names) reading += (reading.empty() ? "" : "; ") + name + " list = [..]";
  if (scalar) reading += "; " + scalar->name + (scalar->each ? " one a tensor" : " one number");
  const std::string whole = reading_line(said, form.names, /*with_steps=*/true);
  form.answer = reading + whole.substr(whole.find(". ")) + "\n```dsl\n" + form.program + "\n```";
  return form;
}

void make_lists(const ListForm& form, proto::Task& task, Ran& ran) {
  const int lists = static_cast<int>(form.names.size());
  for (proto::TaskCase& one : *task.mutable_cases()) {
    for (int i = 0; i < lists; ++i) one.mutable_inputs(i)->set_kind(proto::DYNAMIC);
    for (proto::TensorSpec& spec : *one.mutable_outputs()) spec.set_kind(proto::DYNAMIC);
  }
  for (RunCase& run : ran.cases)
    for (std::size_t i = 0; i < form.names.size(); ++i) {
      run.inputs[i].set_kind(proto::DYNAMIC);
      run.inputs[i].set_name(form.names[i]);
    }
}

}  // namespace kg::dataset::cot::modules
