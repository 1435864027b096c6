#include "dataset/cot/modules/texts.h"

#include <algorithm>
#include <cctype>

#include "dataset/cot/modules/program_names.h"
#include "dsl/parser.h"

namespace kg::dataset::cot::modules {
namespace {

std::string type_text(const Graph& graph, const Input& input) {
  return input.dtype.empty() ? graph.dtype : input.dtype;
}

std::string sizes(const Graph& graph, const std::vector<std::string>& shape) {
  std::string text;
  for (const std::string& letter : shape) text += (text.empty() ? "" : ",") + std::to_string(graph.size(letter, true));
  return text.empty() ? "1" : text;
}

std::string body_of_prompt(const Graph& graph, const Surface& surface) {
  std::string text = tensors_text(graph, surface.names), named;
  for (const auto& [name, path] : surface.held)
    if (name != path) named += (named.empty() ? "" : ", ") + name + " is " + path;
  if (!named.empty()) text += "\nOf the module's parameters, " + named + ".";
  std::string code = surface.text;
  while (code.ends_with('\n')) code.pop_back();
  return text + "\nIt computes what this PyTorch code does.\n```python\n" + code + "\n```";
}

std::string steps_block(const std::vector<std::string>& steps) {
  std::string text = "\nPyTorch's operators, one by one:\n```";
  for (const std::string& line : steps) text += "\n" + line;
  return text + "\n```";
}

}  // namespace

bool is_in_place(const Graph& graph, std::size_t output, const std::vector<std::string>& names) {
  return std::find(names.begin(), names.end(), graph.out_name(output)) != names.end();
}

std::string head(const std::string& language) {
  return (language.empty() ? "Write the Ascend C kernel " + std::string(kEntryPoint)
                           : "Write the kernel " + std::string(kEntryPoint) + " in the " + language) +
         " for " + std::to_string(kCores) + " cores.\n";
}

std::string tensors_text(const Graph& graph, const std::vector<std::string>& names, const std::string& scalar) {
  std::string text = graph.inputs.size() > 1 || !scalar.empty() ? "Inputs " : "Input ";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i > 0 ? "; " : "") + names[i] + ": " + type_text(graph, graph.inputs[i]) + "[" +
            sizes(graph, graph.inputs[i].shape) + "]";
  if (!scalar.empty()) text += "; " + scalar;
  std::size_t own = 0;  // those that are not in place, which are listed last
  std::string outputs;
  for (const bool in_place : {false, true})
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
      if (is_in_place(graph, i, names) != in_place) continue;
      own += in_place ? 0 : 1;
      outputs += (outputs.empty() ? "" : "; ") + graph.out_name(i) +
                 (in_place ? ", in place" : ": " + graph.out_dtype(i) + "[" + sizes(graph, graph.out_shapes[i]) + "]");
    }
  return text + (own > 1 || (own == 0 && graph.outputs.size() > 1) ? "\nOutputs " : "\nOutput ") + outputs;
}

proto::DType dtype_of(const Graph& graph, const Input& input) { return dsl::dtype_of(type_text(graph, input)); }

proto::DType out_dtype_of(const Graph& graph, std::size_t i) { return dsl::dtype_of(graph.out_dtype(i)); }

std::string module_prompt(const Graph& graph, const Surface& surface) {
  return head("DSL") + body_of_prompt(graph, surface);
}

std::string traced_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps) {
  return head("DSL") + tensors_text(graph, surface.names) + steps_block(steps);
}

std::string stored_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps) {
  return head("") + body_of_prompt(graph, surface) + (steps.empty() ? "" : steps_block(steps));
}

std::string program_text(const Graph& graph, const std::vector<std::string>& lines,
                         const std::vector<std::string>& names) {
  std::string text = std::string("kernel ") + kEntryPoint + "(";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i > 0 ? ", " : "") + names[i] + ": " + type_text(graph, graph.inputs[i]) + "[" +
            graph.inputs[i].program_shape + "]";
  text += graph.outputs.size() > 1 ? ") -> (" : ") -> ";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i) {
    text += (i > 0 ? ", " : "") + graph.out_name(i);
    if (!is_in_place(graph, i, names)) text += ": " + graph.out_dtype(i) + "[" + graph.out_program_shapes[i] + "]";
  }
  text += graph.outputs.size() > 1 ? "):" : ":";
  const ProgramNames program(graph, names);
  for (const std::string& line : lines) text += "\n" + program.in(line);
  return text;
}

std::string reading_line(const Graph& graph, const std::vector<std::string>& names, bool with_steps) {
  std::string text;
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i > 0 ? "; " : "") + names[i] + " [" + sizes(graph, graph.inputs[i].shape) + "] = [" +
            graph.inputs[i].program_shape + "]";
  text += ". ";
  if (!graph.axis_note.empty())
    text += static_cast<char>(std::toupper(graph.axis_note[0])) + graph.axis_note.substr(1) + ". ";
  for (const std::string& note : graph.notes) text += static_cast<char>(std::toupper(note[0])) + note.substr(1) + ". ";
  if (!with_steps) {
    text.pop_back();
    return text;
  }
  if (!graph.constants.empty()) {
    text += "Numbers";
    for (std::size_t i = 0; i < graph.constants.size(); ++i) text += (i > 0 ? ", " : " ") + graph.constants[i].text;
    text += ". ";
  }
  const std::vector<std::string> called = value_names(graph, names);
  std::string steps;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const Node& node = graph.nodes[i];
    const auto named = [&](std::size_t operand) { return called[static_cast<std::size_t>(node.operands.at(operand))]; };
    std::string words = filled(node.words, [&](char, char letter) -> std::string {
      if (const std::size_t at = kOperandLetters.find(letter); at != std::string_view::npos) return named(at);
      return graph.constants[static_cast<std::size_t>(node.constants.at(static_cast<std::size_t>(letter - 'a')))].text;
    });
    for (std::size_t at = 0; (at = words.find("; ", at)) != std::string::npos;) words[at] = ',';
    steps += (i > 0 ? "; " : "") + called[graph.inputs.size() + i] + " = " + named(0) + ": " + words;
  }
  text += "Steps: " + steps + ".";
  std::string out;
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    if (const std::string& name = called[static_cast<std::size_t>(graph.outputs[i])]; name != graph.out_name(i))
      out += (out.empty() ? " Out: " : ", ") + graph.out_name(i) + " = " + name;
  if (!out.empty()) text += out + ".";
  return text;
}

std::string answer_text(const Graph& graph, const std::vector<std::string>& lines,
                        const std::vector<std::string>& names, bool with_steps) {
  return reading_line(graph, names, with_steps) + "\n```dsl\n" + program_text(graph, lines, names) + "\n```";
}

}  // namespace kg::dataset::cot::modules
