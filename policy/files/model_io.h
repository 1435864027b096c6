#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "policy/model/model.h"
#include "policy/text/chat_template.h"
#include "policy/text/tokenizer.h"

namespace kg::policy {

struct LoadedModel {
  ModelConfig config;
  std::vector<NamedTensor> weights;  // fp32 on the CPU, Hugging Face names and layouts
  std::shared_ptr<const Tokenizer> tokenizer;
  ChatTemplate chat_template;
  std::filesystem::path path;  // where it was read from
};

// `name`: a Hugging Face directory, a GGUF file, a difference to another model (difference.h), a kgtrain run folder
// (its newest checkpoint's model), or the name of a folder in $KGTRAIN_HOME/models or $KGTRAIN_HOME/runs, or of a model
// that comes with kgtrain. Throws Error with the places that were searched.
std::filesystem::path find_model(const std::string& name);
LoadedModel load_model(const std::filesystem::path& path);

// A Hugging Face directory: config.json, model.safetensors, tokenizer.json, tokenizer_config.json,
// generation_config.json. `dtype`: "float32" or "bfloat16". Written to a temporary name and renamed. `source` is the
// the model that provides the tokenizer files.
void export_model(const std::filesystem::path& folder, const ModelConfig& config,
                  const std::vector<NamedTensor>& weights, const LoadedModel& source, const std::string& dtype);

// Only the weights, as one safetensors file, the form of policy versions. write_weights returns the file's
// XXH3-128.
std::string write_weights(const std::filesystem::path& file, const std::vector<NamedTensor>& weights,
                          const std::string& dtype);
std::vector<NamedTensor> read_weights(const std::filesystem::path& file);

}  // namespace kg::policy
