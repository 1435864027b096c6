#include "dsl/match_tensors.h"

#include <algorithm>
#include <numeric>

#include "dsl/refusal.h"

namespace kg::dsl {
namespace {

std::string names_of(const std::vector<TaskParameter>& given, bool output) {
  std::string text;
  for (const TaskParameter& one : given)
    if (one.head->output == output && !one.head->absent) text += (text.empty() ? "" : ", ") + one.head->name;
  return text;
}

int tensor_named(const std::vector<TaskParameter>& given, const std::string& name, bool output) {
  for (const TaskParameter& one : given)
    if (one.head->name == name && one.head->output == output) return one.first;
  return -1;
}

// The tensors for the inputs, or the outputs, with these names.
std::vector<int> match_side(const Program& program, const std::vector<TaskParameter>& given, bool output,
                            const std::vector<std::string>& names) {
  std::vector<int> found;
  for (const std::string& name : names) found.push_back(tensor_named(given, name, output));
  std::vector<int> all, present, wanted;
  for (const TaskParameter& one : given) {
    if (one.head->output != output) continue;
    all.push_back(one.first);
    if (!one.head->absent) present.push_back(one.first);
    if (!one.head->absent && !one.head->optional) wanted.push_back(one.first);
  }
  const bool by_name = std::all_of(found.begin(), found.end(), [](int tensor) { return tensor >= 0; });
  if (by_name && (!output || std::all_of(present.begin(), present.end(), [&](int tensor) {
        return std::find(found.begin(), found.end(), tensor) != found.end();
      })))
    return found;
  for (const std::vector<int>& some : {wanted, present, all})
    if (some.size() == names.size()) return some;
  throw Refusal(1, "kernel " + program.name,
                "the task has " + std::to_string(present.size()) + (output ? " outputs" : " inputs") + " (" +
                    names_of(given, output) + "), the kernel " + std::to_string(names.size()));
}

// An output in place is one of the task's, and the other way round.
void check_place(const Parameter& parameter, const TensorShape& output, const TensorShape* input) {
  if (parameter.in_place && (input == nullptr || output.in_place_of != input->name))
    throw Refusal(parameter.line, parameter.name,
                  "the task's output " + output.name + " does not share the memory of its input " +
                      (input == nullptr ? parameter.name : input->name) + "; give the output a name of its own");
  if (!parameter.in_place && output.without_parameter)
    throw Refusal(parameter.line, parameter.name,
                  "the task's output " + output.name + " shares the memory of its input " + output.in_place_of +
                      "; write that in place, as in -> " + output.in_place_of);
}

}  // namespace

std::vector<TaskParameter> task_parameters(const std::vector<TensorShape>& tensors) {
  std::vector<TaskParameter> made;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const TensorShape& one = tensors[i];
    const TensorShape* head = made.empty() ? nullptr : made.back().head;
    if (head != nullptr && one.listed && head->listed && head->name == one.name && head->output == one.output)
      ++made.back().count;
    else
      made.push_back({.first = static_cast<int>(i), .head = &one});
  }
  return made;
}

std::vector<int> match_tensors(const Program& program, const std::vector<TensorShape>& tensors) {
  const std::vector<TaskParameter> given = task_parameters(tensors);
  std::vector<int> found(program.parameters.size(), -1);
  const bool named =
      std::all_of(tensors.begin(), tensors.end(), [](const TensorShape& tensor) { return !tensor.name.empty(); });
  if (!named) {
    if (given.size() != program.parameters.size())
      throw Refusal(1, "kernel " + program.name,
                    "the task has " + std::to_string(given.size()) + " inputs and outputs, the kernel " +
                        std::to_string(program.parameters.size()));
    for (std::size_t i = 0; i < found.size(); ++i) found[i] = given[i].first;
    return found;
  }
  std::vector<std::string> inputs;
  for (const Parameter& parameter : program.parameters)
    if (parameter.is_input()) inputs.push_back(parameter.name);
  const std::vector<int> in = match_side(program, given, /*output=*/false, inputs);
  const std::vector<int> out = match_side(program, given, /*output=*/true, program.outputs);
  std::size_t next = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    const Parameter& parameter = program.parameters[i];
    if (parameter.is_input()) found[i] = in[next++];
    if (!parameter.output) continue;
    const auto place = std::find(program.outputs.begin(), program.outputs.end(), parameter.name);
    const int output = out[static_cast<std::size_t>(place - program.outputs.begin())];
    check_place(parameter, tensors[static_cast<std::size_t>(output)],
                parameter.in_place ? &tensors[static_cast<std::size_t>(found[i])] : nullptr);
    if (!parameter.in_place) found[i] = output;
  }
  return found;
}

}  // namespace kg::dsl
