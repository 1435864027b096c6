#pragma once

#include <string>
#include <vector>

#include "dataset/synthesis/variant.h"

namespace kg::dataset {

enum class Style { kCompact, kFull };
enum class PromptForm { kShort, kNpuKernelBench };

const char* style_name(Style style);            // "compact", "full"
const char* prompt_form_name(PromptForm form);  // "short", "npukernelbench"

// At most 100 tokens of SmolLM2's tokenizer: names, type, shapes and steps.
std::string short_prompt(const Variant& variant, Style style);

// The form of NPUKernelBench's kernel-only prompt, in our words: role and format, requirements, an example, the API,
// the case, the hardware, the template.
struct PromptTask {
  struct Tensor {
    std::string name, type, shape;  // "x", "half", "20,1000"
  };
  std::vector<std::string> steps;  // "z = x + y"
  std::vector<Tensor> tensors;     // inputs, then outputs
  std::string entry_point;
  int cores = 1;
};
std::string npukernelbench_prompt(const PromptTask& task);
std::string npukernelbench_prompt(const Variant& variant);

// Why the kernel is cut as it is, with its numbers.
std::string reasoning(const Variant& variant, Style style);

// Reasoning and kernel as the model should answer a prompt of this form.
std::string answer_text(const std::string& reasoning, const std::string& kernel, PromptForm form);

}  // namespace kg::dataset
