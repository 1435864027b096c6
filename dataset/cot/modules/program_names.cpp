#include "dataset/cot/modules/program_names.h"

#include <algorithm>
#include <cctype>

namespace kg::dataset::cot::modules {
namespace {

// Whether the program's store of this output is of that name, nothing else.
bool stores(const Graph& graph, std::size_t output, const std::string& name) {
  const std::string store = "store {z" + std::to_string(output) + "}[", end = " = " + name;
  return std::any_of(graph.program.begin(), graph.program.end(), [&](const std::string& line) {
    return line.find(store) != std::string::npos && line.ends_with(end);
  });
}

}  // namespace

ProgramNames::ProgramNames(const Graph& its_graph, const std::vector<std::string>& its_inputs)
    : graph(its_graph), inputs(its_inputs), taken(inputs.begin(), inputs.end()) {
  taken.insert(graph.out_names.begin(), graph.out_names.end());
  static const char* letters[] = {"a", "u", "v", "w", "x", "y", "z", "o", "l"};
  for (int round = 0; locals.size() < 60; ++round)
    for (const char* letter : letters) {
      const std::string name = std::string(letter) + (round > 0 ? std::to_string(round + 1) : "");
      if (!taken.contains(name)) locals.push_back(name);
    }
}

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

}  // namespace kg::dataset::cot::modules
