#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "base/file.h"

namespace kg::trainer {

// What makes a run the run that it is, beside its tasks: the model that it began with, by content, and what its rewards
// mean. Options that a run may change while it goes on (learning rate, groups, sampling) are not part of it.

// Of the weights of a Hugging Face folder or a GGUF file, 32 hex digits. Reads them once.
std::string model_hash(const fs::path& model);

// Throws Error naming both if the run that goes on was begun with another model, reward, language or judge. Both are
// config.json as recorded and as it is now; what the recorded one does not say, as of an older kgtrain, is not
// compared.
void require_same_run(const nlohmann::json& recorded, const nlohmann::json& present, const fs::path& run);

}  // namespace kg::trainer
