#pragma once

#include <filesystem>

#include "policy/files/model_io.h"

namespace kg::policy {

// A folder with config.json, model.safetensors (or its parts with model.safetensors.index.json), tokenizer.json,
// tokenizer_config.json and perhaps chat_template.jinja.
LoadedModel load_huggingface_model(const std::filesystem::path& folder);
// Only its config.json.
ModelConfig load_huggingface_config(const std::filesystem::path& file);

}  // namespace kg::policy
