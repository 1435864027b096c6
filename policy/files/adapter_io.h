#pragma once

#include <filesystem>
#include <string>

#include "policy/files/policy_version.h"
#include "policy/model/lora.h"
#include "policy/model/model_config.h"

namespace kg::policy {

// Adapters as a folder in the layout of Hugging Face PEFT: adapter_config.json, adapter_model.safetensors (fp32).
WrittenTensors write_adapters(const std::filesystem::path& folder, const LoraAdapters& adapters,
                              const std::string& base_model);

// Throws Error naming anything that is not a plain LoRA (another method, a bias, modules saved whole, different ranks).
LoraAdapters read_adapters(const std::filesystem::path& folder, const ModelConfig& config);

}  // namespace kg::policy
