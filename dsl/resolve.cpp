#include "dsl/resolve.h"

#include "dsl/copy_program.h"
#include "dsl/match_tensors.h"

namespace kg::dsl {
namespace {

// The tensor of each parameter, and how to launch a function with a parameter for each of the task's tensors.
void set_tensors(Program& program, const std::vector<TensorShape>& tensors) {
  if (tensors.empty()) {
    for (const Parameter& parameter : program.parameters) program.signature.push_back(parameter.name);
    return;
  }
  const std::vector<int> matched = match_tensors(program, tensors);
  for (std::size_t i = 0; i < matched.size(); ++i) program.parameters[i].tensor = matched[i];
  const auto input_named = [&](const std::string& name) {
    for (const Parameter& parameter : program.parameters)
      if (parameter.is_input() && parameter.tensor >= 0 &&
          tensors[static_cast<std::size_t>(parameter.tensor)].name == name)
        return parameter.name;
    return std::string();
  };
  for (Parameter& parameter : program.parameters) {
    if (parameter.tensor < 0) continue;
    const std::string& place = tensors[static_cast<std::size_t>(parameter.tensor)].in_place_of;
    if (parameter.output && !parameter.in_place && !place.empty()) parameter.lies_over = input_named(place);
  }
  for (const TaskParameter& given : task_parameters(tensors)) {
    if (given.head->without_parameter) continue;
    program.signature.emplace_back();
    for (const Parameter& parameter : program.parameters)
      if (parameter.tensor == given.first) program.signature.back() = parameter.name;
  }
}

}  // namespace

Program resolved(const Program& program, const Bindings& bindings) {
  Program made = program;
  made.body = copied(program.body);
  if (made.resolved) return made;
  made.resolved = true;
  set_tensors(made, bindings.tensors);
  leave_out_absent(made, bindings.tensors);
  write_out_lists(made, bindings.tensors);
  return made;
}

}  // namespace kg::dsl
