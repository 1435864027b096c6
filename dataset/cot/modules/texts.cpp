#include "dataset/cot/modules/texts.h"

#include <algorithm>
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

// Names that a program uses: parameters, and its own, which inputs and named outputs do not have.
struct ProgramNames {
  ProgramNames(const Graph& its_graph, const std::vector<std::string>& its_inputs)
      : graph(its_graph), inputs(its_inputs), taken(inputs.begin(), inputs.end()) {
    taken.insert(graph.out_names.begin(), graph.out_names.end());
    static const char* letters[] = {"a", "u", "v", "w", "x", "y", "z", "o", "l"};
    for (int round = 0; locals.size() < 60; ++round)
      for (const char* letter : letters) {
        const std::string name = std::string(letter) + (round > 0 ? std::to_string(round + 1) : "");
        if (!taken.contains(name)) locals.push_back(name);
      }
  }

  // A line of Graph::program with them.
  std::string in(const std::string& line) const;
  // One of the program's own that it does not use.
  std::string free(const std::set<std::string>& used) const;

  const Graph& graph;
  const std::vector<std::string>& inputs;
  std::set<std::string> taken;
  std::vector<std::string> locals;
};

std::string ProgramNames::in(const std::string& line) const {
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
      text += what[0] == 'z' ? graph.out_name(std::stoul(what.substr(1))) : inputs.at(std::stoul(what));
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

std::string ProgramNames::free(const std::set<std::string>& used) const {
  for (std::size_t i = 0;; ++i) {
    const std::string written = "%" + std::to_string(i) + "%";
    if (!used.contains(locals.at(i)) && std::none_of(graph.program.begin(), graph.program.end(), [&](const auto& line) {
          return line.find(written) != std::string::npos;
        }))
      return locals[i];
  }
}

// Whether the program's store of this output is of that name, nothing else.
bool stores(const Graph& graph, std::size_t output, const std::string& name) {
  const std::string store = "store {z" + std::to_string(output) + "}[", end = " = " + name;
  return std::any_of(graph.program.begin(), graph.program.end(), [&](const std::string& line) {
    return line.find(store) != std::string::npos && line.ends_with(end);
  });
}

// Names of all values: inputs by their own, others as the program calls them. Values that it stores at once are called
// as the output; those that have no name there get one.
std::vector<std::string> value_names(const Graph& graph, const std::vector<std::string>& names) {
  const ProgramNames program(graph, names);
  std::vector<std::string> called = names;
  std::set<std::string> used;
  for (int value = static_cast<int>(names.size()); value < graph.value_count(); ++value) {
    const auto named = graph.value_names.find(value);
    const std::string own = named == graph.value_names.end() ? "" : named->second;
    std::string name;
    for (std::size_t i = 0; i < graph.outputs.size(); ++i)
      if (graph.outputs[i] == value && (own.empty() || !stores(graph, i, own))) name = graph.out_name(i);
    if (name.empty()) name = program.in(own);
    if (name.empty() || name.find_first_of(" (") != std::string::npos || used.contains(name)) name = program.free(used);
    used.insert(name);
    called.push_back(name);
  }
  return called;
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
      const std::string operands = "xywvu";
      if (const std::size_t at = operands.find(letter); at != std::string::npos) return named(at);
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
