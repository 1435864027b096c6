#pragma once

#include <string>

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
std::string npukernelbench_prompt(const Variant& variant);

// Why the kernel is cut as it is, with its numbers.
std::string reasoning(const Variant& variant, Style style);

// Reasoning and kernel as the model should answer a prompt of this form.
std::string answer_text(const std::string& reasoning, const std::string& kernel, PromptForm form);

}  // namespace kg::dataset
