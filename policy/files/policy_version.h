#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "policy/files/model_io.h"
#include "policy/model/lora.h"

namespace kg::policy {

// A policy version as exchanged by learner and generator: a folder with the weights and version.json, which gives their
// `kind` (full: model.safetensors in a Hugging Face directory; adapter: adapter_model.safetensors in PEFT's layout, for
// the model that the run began with; shards: several files of a Hugging Face directory) and the checksum of their
// tensors, and of an adapter's base.
struct WrittenTensors {
  std::string file_checksum;  // XXH3-128 of the file, computed while writing
  std::string tensors;        // tensors_checksum() of its content
};

// Checksum of names and contents, independent of order and file: compares the learner's memory with what a generator
// has read. 16 hex digits.
std::string tensors_checksum(const std::vector<NamedTensor>& tensors);

// export_model, and what it wrote.
WrittenTensors export_checked(const std::filesystem::path& folder, const ModelConfig& config,
                              const std::vector<NamedTensor>& weights, const LoadedModel& source,
                              const std::string& dtype);

WrittenTensors write_full_version(const std::filesystem::path& folder, const ModelConfig& config,
                                  const std::vector<NamedTensor>& weights, const LoadedModel& source,
                                  const std::string& dtype);
// `base`: tensors_checksum() of the weights, fp32, that the adapters belong to.
WrittenTensors write_adapter_version(const std::filesystem::path& folder, const LoraAdapters& adapters,
                                     const LoadedModel& source, const std::string& base);

// All weights of the version, an adapter merged into `base` (called only for adapters). Throws Error if the tensors
// read are not those that were written, or if the base differs. Nothing if the folder is not such a version.
struct BaseModel {
  std::function<std::vector<NamedTensor>()> weights;  // fp32
  std::string checksum;                               // empty: not known yet; then it is filled in
};
std::vector<NamedTensor> read_version(const std::filesystem::path& folder, const ModelConfig& config, BaseModel& base);
bool is_version(const std::filesystem::path& folder);

}  // namespace kg::policy
