#pragma once

#include <optional>
#include <string>

#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::cot::modules {

// One pass over the inputs for each reduction that depends on another: of all elements to a number, by all cores
// together, or along one axis that is not the last.
std::optional<std::string> pass_translation(const translation::TracedPrompt& prompt);

}  // namespace kg::dataset::cot::modules
