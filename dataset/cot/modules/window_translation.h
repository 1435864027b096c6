#pragma once

#include <optional>
#include <string>

#include "dataset/cot/modules/traced_prompt.h"

namespace kg::dataset::cot::modules {

// Pooling over the last one, two or three axes, and operators of elements behind it.
std::optional<std::string> window_translation(const TracedPrompt& prompt);

}  // namespace kg::dataset::cot::modules
