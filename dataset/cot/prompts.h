#pragma once

#include <string>

#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"

namespace kg::dataset::cot {

// Types, shapes and steps, without any request.
std::string task_lines(const Instance& instance);

// "Write the Ascend C kernel ... in compact style for 48 cores." and the task's lines. `how` may ask for a
// style.
std::string short_prompt(const Instance& instance, const std::string& how);
// For an operator project with this shape: tiling header, host side, kernel.
std::string project_prompt(const Instance& instance, const std::vector<dsl::ProjectPart>& project);
std::string project_answer(const std::string& reasoning, const std::vector<dsl::ProjectPart>& project);

// The description of a style in a prompt: "one function with flags between the pipes".
std::string style_words(const KernelStyle& style);

}  // namespace kg::dataset::cot
