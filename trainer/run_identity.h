#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/file.h"

namespace kg::trainer {

// The identity of a run, besides its tasks: the model that it began with, by content, and the meaning of its
// rewards. Options that may change during a run (learning rate, groups, sampling) are not part of it.

// Hash of the weights in a Hugging Face folder or a GGUF file, 32 hex digits. Reads them once.
std::string model_hash(const fs::path& model);

// Throws Error naming both if the resumed run began with another model, reward, language or judge. Both are
// config.json as recorded and as it is now; fields missing from the recorded one (an older kgtrain's) are not
// compared.
void require_same_run(const nlohmann::json& recorded, const nlohmann::json& present, const fs::path& run);

}  // namespace kg::trainer
