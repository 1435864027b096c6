#pragma once

#include <filesystem>

#include "policy/model_io.h"

namespace kg::policy {

LoadedModel load_gguf_model(const std::filesystem::path& file);

}  // namespace kg::policy
