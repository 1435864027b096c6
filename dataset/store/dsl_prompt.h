#pragma once

#include <string>

#include "proto/task.pb.h"

namespace kg::dataset {

// The prompt of a task for an answer in the DSL (docs/reference/dsl.md): "short" names tensors and steps only (of a
// foreign task the module's operators one by one, or its description in essence), "written" has the module as it is
// written, any other form explains the language first and has both; "npukernelbench" is a benchmark's whole prompt. A
// foreign task's kernel has a name that does not tell the operator. Empty if the task has no short prompt to say what
// is asked.
std::string dsl_prompt(const proto::Task& task, const std::string& form);

}  // namespace kg::dataset
