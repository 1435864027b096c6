#include "policy/files/policy_version.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/hash.h"
#include "policy/files/adapter_io.h"
#include "policy/files/safetensors.h"

namespace kg::policy {
namespace {

constexpr const char* kDescription = "version.json";

void describe(const fs::path& folder, const nlohmann::json& what) {
  write_file_atomically(folder / kDescription, what.dump() + "\n");
}

void require(const std::string& what, const std::string& found, const std::string& wanted, const fs::path& folder,
             const std::string& hint) {
  if (found != wanted)
    throw Error(what + " have checksum " + found + " in memory, the learner's had " + wanted, folder.string(), hint,
                Error::Kind::kFailed);
}

}  // namespace

std::string tensors_checksum(const std::vector<NamedTensor>& tensors) {
  std::uint64_t sum = 0;
  for (const NamedTensor& named : tensors) {
    const at::Tensor plain = named.tensor.detach().to(at::kCPU).contiguous();
    sum += tensor_checksum(named.name, {static_cast<const char*>(plain.const_data_ptr()), plain.nbytes()});
  }
  return checksum_text(sum);
}

WrittenTensors write_full_version(const fs::path& folder, const ModelConfig& config,
                                  const std::vector<NamedTensor>& weights, const LoadedModel& source,
                                  const std::string& dtype) {
  WrittenTensors written = export_checked(folder, config, weights, source, dtype);
  describe(folder, {{"kind", "full"}, {"tensors", written.tensors}});
  return written;
}

WrittenTensors write_adapter_version(const fs::path& folder, const LoraAdapters& adapters, const LoadedModel& source,
                                     const std::string& base) {
  WrittenTensors written = write_adapters(folder, adapters, source.path.string());
  describe(folder, {{"kind", "adapter"}, {"tensors", written.tensors}, {"base", base}});
  return written;
}

bool is_version(const fs::path& folder) { return fs::exists(folder / kDescription); }

std::vector<NamedTensor> read_version(const fs::path& folder, const ModelConfig& config, BaseModel& base) {
  const auto description = nlohmann::json::parse(read_file(folder / kDescription), nullptr, /*allow_exceptions=*/false);
  if (!description.is_object())
    throw Error("not the description of a policy version", (folder / kDescription).string(), "fetch it again");
  const std::string kind = description.value("kind", ""), tensors = description.value("tensors", "");
  if (kind == "full") {
    std::vector<NamedTensor> weights = read_safetensors(folder / "model.safetensors");
    require("the weights", tensors_checksum(weights), tensors, folder, "the file has changed since it was written");
    return weights;
  }
  if (kind == "shards") {
    std::vector<NamedTensor> weights;
    for (const auto& entry : fs::directory_iterator(folder))
      if (entry.path().extension() == ".safetensors")
        for (NamedTensor& part : read_safetensors(entry.path())) weights.push_back(std::move(part));
    require("the weights", tensors_checksum(weights), tensors, folder, "a file has changed since it was written");
    return weights;
  }
  if (kind != "adapter")
    throw Error("a policy version of kind \"" + kind + "\"", folder.string(), "install the same kgtrain on all hosts");
  require("the adapters", tensors_checksum(read_safetensors(folder / "adapter_model.safetensors")), tensors, folder,
          "the file has changed since it was written");
  const std::vector<NamedTensor> weights = base.weights();
  if (base.checksum.empty()) base.checksum = tensors_checksum(weights);
  require("the weights that the adapters belong to", base.checksum, description.value("base", ""), folder,
          "start the generator with the model that the run began with");
  return merged(weights, read_adapters(folder, config));
}

}  // namespace kg::policy
