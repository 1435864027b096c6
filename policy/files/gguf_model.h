#pragma once

#include <filesystem>

#include "policy/files/model_io.h"

namespace kg::policy {

LoadedModel load_gguf_model(const std::filesystem::path& file);

}  // namespace kg::policy
