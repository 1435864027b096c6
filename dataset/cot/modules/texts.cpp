#include "dataset/cot/modules/texts.h"

#include <cctype>
#include <set>

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

// Names of the program's own that the prompt's inputs do not take.
std::string replaced(const std::string& line, const std::set<std::string>& taken,
                     const std::vector<std::string>& locals, const std::vector<std::string>& names,
                     const Graph& graph) {
  std::string text;
  for (std::size_t i = 0; i < line.size();) {
    const char c = line[i];
    if (c == '%') {
      const std::size_t end = line.find('%', i + 1);
      text += locals.at(std::stoul(line.substr(i + 1, end - i - 1)));
      i = end + 1;
    } else if (c == '{') {
      const std::size_t end = line.find('}', i);
      const std::string what = line.substr(i + 1, end - i - 1);
      text += what[0] == 'z' ? graph.out_name(std::stoul(what.substr(1))) : names.at(std::stoul(what));
      i = end + 1;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      std::size_t end = i;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
      const std::string word = line.substr(i, end - i);
      const bool called = end < line.size() && line[end] == '(';    // an output may be named as a function is
      text += taken.contains(word) && !called ? word + "0" : word;  // t1 is what a step is called
      i = end;
    } else {
      // digits with what belongs to them: 1e-5
      text += c;
      ++i;
      if (std::isdigit(static_cast<unsigned char>(c)) != 0 && i < line.size() && line[i] == 'e') text += line[i++];
    }
  }
  return text;
}

std::string steps_block(const std::vector<std::string>& steps) {
  std::string text = "\nPyTorch's operators, one by one:\n```";
  for (const std::string& line : steps) text += "\n" + line;
  return text + "\n```";
}

}  // namespace

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
  text += graph.outputs.size() > 1 ? "\nOutputs " : "\nOutput ";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text += (i > 0 ? "; " : "") + graph.out_name(i) + ": " + graph.out_dtype(i) + "[" +
            sizes(graph, graph.out_shapes[i]) + "]";
  return text;
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
  std::set<std::string> taken(names.begin(), names.end());
  taken.insert(graph.out_names.begin(), graph.out_names.end());
  std::vector<std::string> locals;
  static const char* letters[] = {"a", "u", "v", "w", "x", "y", "z", "o", "l"};
  for (int round = 0; locals.size() < 60; ++round)
    for (const char* letter : letters) {
      const std::string name = std::string(letter) + (round > 0 ? std::to_string(round + 1) : "");
      if (!taken.contains(name)) locals.push_back(name);
    }
  std::string text = std::string("kernel ") + kEntryPoint + "(";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i > 0 ? ", " : "") + names[i] + ": " + type_text(graph, graph.inputs[i]) + "[" +
            graph.inputs[i].program_shape + "]";
  text += graph.outputs.size() > 1 ? ") -> (" : ") -> ";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text +=
        (i > 0 ? ", " : "") + graph.out_name(i) + ": " + graph.out_dtype(i) + "[" + graph.out_program_shapes[i] + "]";
  text += graph.outputs.size() > 1 ? "):" : ":";
  for (const std::string& line : lines) text += "\n" + replaced(line, taken, locals, names, graph);
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
  const int first = static_cast<int>(graph.inputs.size());
  const auto named = [&](int value) {
    return value < first ? names[static_cast<std::size_t>(value)] : "step " + std::to_string(value - first + 1);
  };
  std::string steps;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[static_cast<std::size_t>(i)];
    steps += i > 0 ? "; " : "";
    if (node.operands[0] != first + i - 1 || i == 0) steps += named(node.operands[0]) + ": ";
    steps += filled(node.words, [&](char, char letter) -> std::string {
      const std::string operands = "xywvu";
      if (const std::size_t at = operands.find(letter); at != std::string::npos) return named(node.operands.at(at));
      return graph.constants[static_cast<std::size_t>(node.constants.at(static_cast<std::size_t>(letter - 'a')))].text;
    });
  }
  text += "Steps: " + steps + ".";
  if (graph.outputs.size() > 1) {
    text += " Out:";
    for (std::size_t i = 0; i < graph.outputs.size(); ++i) text += (i > 0 ? ", " : " ") + named(graph.outputs[i]);
    text += ".";
  }
  return text;
}

std::string answer_text(const Graph& graph, const std::vector<std::string>& lines,
                        const std::vector<std::string>& names, bool with_steps) {
  return reading_line(graph, names, with_steps) + "\n```dsl\n" + program_text(graph, lines, names) + "\n```";
}

}  // namespace kg::dataset::cot::modules
