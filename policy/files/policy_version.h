#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "policy/model/lora.h"

namespace kg::policy {

// A policy version as learner and generator exchange it: a folder with the weights and version.json, which says their
// `kind` (full: model.safetensors in a Hugging Face directory; adapter: adapter_model.safetensors in PEFT's layout, for
// the model that the run began with; shards: several files of a Hugging Face directory) and the checksum of their
// tensors, of an adapter's base as well.
struct WrittenTensors {
  std::string file_checksum;  // XXH3-128 of the file, made while it was written
  std::string tensors;        // tensors_checksum() of what is in it
};

// Of names and contents, whatever their order or file: what the learner has in its memory, and what a generator has
// read. 16 hex digits.
std::string tensors_checksum(const std::vector<NamedTensor>& tensors);

// export_model, and what was written.
WrittenTensors export_checked(const std::filesystem::path& folder, const ModelConfig& config,
                              const std::vector<NamedTensor>& weights, const LoadedModel& source,
                              const std::string& dtype);

WrittenTensors write_full_version(const std::filesystem::path& folder, const ModelConfig& config,
                                  const std::vector<NamedTensor>& weights, const LoadedModel& source,
                                  const std::string& dtype);
// `base`: tensors_checksum() of the weights, fp32, that the adapters belong to.
WrittenTensors write_adapter_version(const std::filesystem::path& folder, const LoraAdapters& adapters,
                                     const LoadedModel& source, const std::string& base);

// All weights of the version, an adapter worked into `base` (called for adapters alone). Throws Error if the tensors
// that were read are not those that were written, or the base is another. Nothing if the folder is no such version.
struct BaseModel {
  std::function<std::vector<NamedTensor>()> weights;  // fp32
  std::string checksum;                               // empty: not known yet; filled in
};
std::vector<NamedTensor> read_version(const std::filesystem::path& folder, const ModelConfig& config, BaseModel& base);
bool is_version(const std::filesystem::path& folder);

}  // namespace kg::policy
