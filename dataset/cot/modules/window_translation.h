#pragma once

#include <optional>
#include <string>

#include "dataset/translation/traced_prompt.h"

namespace kg::dataset::cot::modules {

// Pooling over the last one, two or three axes, followed by elementwise operators.
std::optional<std::string> window_translation(const translation::TracedPrompt& prompt);

}  // namespace kg::dataset::cot::modules
