#pragma once

#include <optional>
#include <string>

#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::cot::modules {

// One loop over all elements, or over rows of the last axes, whose numbers may be combined after it.
std::optional<std::string> row_translation(const translation::TracedPrompt& prompt);

}  // namespace kg::dataset::cot::modules
