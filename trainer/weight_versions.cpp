#include "trainer/weight_versions.h"

#include <cstdio>

#include "base/error.h"
#include "base/hash.h"

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

proto::WeightsManifest WeightVersions::write(std::uint64_t version, const std::vector<policy::NamedTensor>& weights) {
  std::uint64_t needed = 0;
  for (const policy::NamedTensor& weight : weights) needed += 4 * static_cast<std::uint64_t>(weight.tensor.numel());
  if (free_disk_bytes(folder_) < needed)
    throw Error("a policy version takes up to " + std::to_string(needed >> 20) + " MiB, the disk has " +
                    std::to_string(free_disk_bytes(folder_) >> 20),
                folder_.string(), "free some space and go on with --resume", Error::Kind::kEnvironment);
  char name[40];
  std::snprintf(name, sizeof name, "version-%06llu", static_cast<unsigned long long>(version));
  const fs::path folder = folder_ / name;
  fs::remove_all(folder);
  policy::export_model(folder, source_.config, weights, source_, dtype_);
  const fs::path file = folder / "model.safetensors";
  proto::WeightsManifest manifest;
  manifest.set_version(version);
  manifest.set_path(folder.string());
  manifest.set_bytes(fs::file_size(file));
  manifest.set_checksum(hash128_hex_of_file(file));
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
