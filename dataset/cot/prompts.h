#pragma once

#include <string>

#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"

namespace kg::dataset::cot {

// Types, shapes and steps, without a word of what is asked.
std::string task_lines(const Instance& instance);

// "Write the Ascend C kernel ... in compact style for 48 cores." and the task's lines. `how` may ask for a way of
// writing.
std::string short_prompt(const Instance& instance, const std::string& how);
// For an operator project of this shape: tiling header, host side, kernel.
std::string project_prompt(const Instance& instance, const std::vector<dsl::ProjectPart>& project);
std::string project_answer(const std::string& reasoning, const std::vector<dsl::ProjectPart>& project);

// What a prompt says of a style: "one function with flags between the pipes".
std::string style_words(const KernelStyle& style);

}  // namespace kg::dataset::cot
