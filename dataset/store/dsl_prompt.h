#pragma once

#include <string>

#include "proto/task.pb.h"

namespace kg::dataset {

// The prompt of a task for an answer in the DSL (docs/dsl.md): "short" names tensors and steps only, any other form
// explains the language first. Empty if the task has no short prompt to say what is asked.
std::string dsl_prompt(const proto::Task& task, const std::string& form);

}  // namespace kg::dataset
