#include "dataset/cot/modules/translation.h"

#include "dataset/cot/modules/pass_translation.h"
#include "dataset/cot/modules/row_translation.h"
#include "dataset/cot/modules/window_translation.h"

namespace kg::dataset::cot::modules {

std::optional<std::string> translation(const std::string& text) {
  const auto prompt = traced_prompt_of(text);
  if (!prompt) return std::nullopt;
  if (auto program = row_translation(*prompt)) return program;
  if (auto program = pass_translation(*prompt)) return program;
  return window_translation(*prompt);
}

}  // namespace kg::dataset::cot::modules
