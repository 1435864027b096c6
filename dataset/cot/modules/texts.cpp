#include "dataset/cot/modules/texts.h"

#include <cctype>
#include <set>

#include "dataset/cot/modules/file_parts.h"

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

std::string tensors(const Graph& graph, const std::vector<std::string>& names) {
  std::string text = graph.inputs.size() > 1 ? "Inputs " : "Input ";
  for (std::size_t i = 0; i < graph.inputs.size(); ++i)
    text += (i > 0 ? "; " : "") + names[i] + ": " + type_text(graph, graph.inputs[i]) + "[" +
            sizes(graph, graph.inputs[i].shape) + "]";
  text += graph.outputs.size() > 1 ? "\nOutputs " : "\nOutput ";
  for (std::size_t i = 0; i < graph.outputs.size(); ++i)
    text +=
        (i > 0 ? "; " : "") + out_name(graph, i) + ": " + graph.dtype + "[" + sizes(graph, graph.out_shapes[i]) + "]";
  return text;
}

std::string body_of_prompt(const Graph& graph, const Surface& surface) {
  std::string text = tensors(graph, surface.names), named;
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
      text += what[0] == 'z' ? out_name(graph, std::stoul(what.substr(1))) : names.at(std::stoul(what));
      i = end + 1;
    } else if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      std::size_t end = i;
      while (end < line.size() && (std::isalnum(static_cast<unsigned char>(line[end])) != 0 || line[end] == '_')) ++end;
      const std::string word = line.substr(i, end - i);
      text += taken.contains(word) ? word + "0" : word;  // t1 is what a step is called
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

std::string out_name(const Graph& graph, std::size_t i) {
  return graph.outputs.size() == 1 ? "out" : "out" + std::to_string(i);
}

std::string head(const std::string& language) {
  return (language.empty() ? "Write the Ascend C kernel " + std::string(kEntryPoint)
                           : "Write the kernel " + std::string(kEntryPoint) + " in the " + language) +
         " for " + std::to_string(kCores) + " cores.\n";
}

proto::DType dtype_of(const Graph& graph, const Input& input) {
  const std::string type = type_text(graph, input);
  return type == "half"       ? proto::FLOAT16
         : type == "bfloat16" ? proto::BFLOAT16
         : type == "bool"     ? proto::BOOL
         : type == "int64"    ? proto::INT64
                              : proto::FLOAT32;
}

std::string module_prompt(const Graph& graph, const Surface& surface) {
  return head("DSL") + body_of_prompt(graph, surface);
}

std::string traced_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps) {
  return head("DSL") + tensors(graph, surface.names) + steps_block(steps);
}

std::string stored_prompt(const Graph& graph, const Surface& surface, const std::vector<std::string>& steps) {
  return head("") + body_of_prompt(graph, surface) + (steps.empty() ? "" : steps_block(steps));
}

std::string program_text(const Graph& graph, const std::vector<std::string>& lines,
                         const std::vector<std::string>& names) {
  const std::set<std::string> taken(names.begin(), names.end());
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
    text += (i > 0 ? ", " : "") + out_name(graph, i) + ": " + graph.dtype + "[" + graph.out_program_shapes[i] + "]";
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

std::vector<std::string> plain_names(const Graph& graph) {
  std::vector<std::string> names;
  std::set<std::string> taken;
  for (const Input& input : graph.inputs) {
    std::string name = input.role;
    while (!taken.insert(name).second) name += "2";
    names.push_back(name);
  }
  return names;
}

std::string steps_text(const Graph& graph, std::vector<std::string> symbols, const std::string& result, bool formulas) {
  std::string text;
  for (int i = 0; i < static_cast<int>(graph.nodes.size()); ++i) {
    const Node& node = graph.nodes[static_cast<std::size_t>(i)];
    const auto named = [&](int value) { return symbols[static_cast<std::size_t>(value)]; };
    const auto constant = [&](char letter) {
      return graph.constants[static_cast<std::size_t>(node.constants.at(static_cast<std::size_t>(letter - 'a')))].text;
    };
    const std::string operands = "xywvu",
                      made = i + 1 == static_cast<int>(graph.nodes.size()) ? result : "t_" + std::to_string(i + 1);
    text += (text.empty() ? "" : "\n") + made + " = ";
    if (formulas) {
      if (node.formula.empty()) return "";
      // Single letters are operands and constants.
      for (std::size_t k = 0; k < node.formula.size(); ++k) {
        const char c = node.formula[k];
        const bool alone =
            std::isalpha(static_cast<unsigned char>(c)) != 0 &&
            (k == 0 ||
             (std::isalpha(static_cast<unsigned char>(node.formula[k - 1])) == 0 && node.formula[k - 1] != '\\')) &&
            (k + 1 == node.formula.size() || std::isalpha(static_cast<unsigned char>(node.formula[k + 1])) == 0);
        if (alone && operands.find(c) != std::string::npos && operands.find(c) < node.operands.size())
          text += named(node.operands[operands.find(c)]);
        else if (alone && c >= 'a' && c < 'a' + static_cast<int>(node.constants.size()))
          text += constant(c);
        else
          text += c;
      }
    } else {
      text += named(node.operands[0]) + ", " + filled(node.words, [&](char, char letter) -> std::string {
                const std::size_t at = operands.find(letter);
                return at != std::string::npos ? named(node.operands.at(at)) : constant(letter);
              });
    }
    symbols.push_back(made);
  }
  return text;
}

std::string prose_prompt(const Graph& graph, const std::vector<std::string>& names, Philox& random) {
  Draw draw(random);
  if (graph.outputs.size() > 1) return "";
  const std::string text = steps_text(graph, names, "out", draw.chance(0.6));
  if (text.empty()) return "";
  const std::string title = draw.any({"Op", "Custom", "FusedOp", "Operator", "Kernel"});
  return head("DSL") + tensors(graph, names) + (draw.chance(0.5) ? "\n" + title : "") + "\n" + text +
         (graph.axis_note.empty() ? "" : "\nCase " + graph.axis_note);
}

}  // namespace kg::dataset::cot::modules
