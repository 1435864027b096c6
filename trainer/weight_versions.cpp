#include "trainer/weight_versions.h"

#include <cstdio>

#include "base/error.h"
#include "base/hash.h"
#include "rollout/weights_files.h"

namespace kg::trainer {

WeightVersions::WeightVersions(const fs::path& run_folder, const policy::LoadedModel& source, std::string dtype)
    : folder_(run_folder / "weights"), source_(source), dtype_(std::move(dtype)) {
  fs::remove_all(folder_);
  fs::create_directories(folder_);
}

WeightVersions::~WeightVersions() {
  std::error_code ignored;
  fs::remove_all(folder_, ignored);
}

fs::path WeightVersions::make_room(std::uint64_t version, std::uint64_t bytes) const {
  if (free_disk_bytes(folder_) < bytes)
    throw Error("a policy version takes up to " + std::to_string(bytes >> 20) + " MiB, the disk has " +
                    std::to_string(free_disk_bytes(folder_) >> 20),
                folder_.string(), "free some space and continue with --resume", Error::Kind::kEnvironment);
  char name[40];
  std::snprintf(name, sizeof name, "version-%06llu", static_cast<unsigned long long>(version));
  fs::remove_all(folder_ / name);
  return folder_ / name;
}

proto::WeightsManifest WeightVersions::write(std::uint64_t version, const std::vector<policy::NamedTensor>& weights) {
  std::uint64_t needed = 0;
  for (const policy::NamedTensor& weight : weights) needed += 4 * static_cast<std::uint64_t>(weight.tensor.numel());
  const fs::path folder = make_room(version, needed);
  return written(version, folder, "model.safetensors",
                 policy::write_full_version(folder, source_.config, weights, source_, dtype_));
}

proto::WeightsManifest WeightVersions::write(std::uint64_t version, const policy::LoraAdapters& adapters,
                                             const std::string& base) {
  std::uint64_t needed = 1 << 20;
  for (const policy::NamedTensor& one : adapters.tensors) needed += 4 * static_cast<std::uint64_t>(one.tensor.numel());
  const fs::path folder = make_room(version, needed);
  return written(version, folder, "adapter_model.safetensors",
                 policy::write_adapter_version(folder, adapters, source_, base));
}

proto::WeightsManifest WeightVersions::written(std::uint64_t version, const fs::path& folder, const std::string& file,
                                               const policy::WrittenTensors& tensors) {
  std::vector<rollout::WeightsFile> files;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const std::string name = entry.path().filename().string();
    files.push_back(
        {name, entry.file_size(), name == file ? tensors.file_checksum : hash128_hex_of_file(entry.path())});
  }
  write_file_atomically(folder / rollout::kVersionFiles, rollout::list_to_text(files));
  proto::WeightsManifest manifest;
  manifest.set_version(version);
  manifest.set_path(folder.string());
  manifest.set_bytes(fs::file_size(folder / file));
  manifest.set_checksum(tensors.file_checksum);
  written_.push_back(manifest);
  return manifest;
}

void WeightVersions::remove_before(std::uint64_t oldest_needed) {
  std::vector<proto::WeightsManifest> kept;
  for (std::size_t i = 0; i < written_.size(); ++i) {
    if (i + 1 < written_.size() && written_[i].version() < oldest_needed) {
      std::error_code ignored;
      fs::remove_all(written_[i].path(), ignored);
    } else {
      kept.push_back(written_[i]);
    }
  }
  written_ = std::move(kept);
}

}  // namespace kg::trainer
