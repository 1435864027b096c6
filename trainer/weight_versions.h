#pragma once

#include <vector>

#include "base/file.h"
#include "policy/files/policy_version.h"
#include "proto/generate.pb.h"

namespace kg::trainer {

// Policy versions as immutable folders RUN/weights/version-NNNNNN (policy/files/policy_version.h) that a generator can
// switch to, each with the list of its files and their checksums, which were computed while writing.
class WeightVersions {
 public:
  // Removes files left by a killed run. `dtype` is the files' number type.
  // Removes everything at the end: by then the trained model is stored elsewhere.
  WeightVersions(const fs::path& run_folder, const policy::LoadedModel& source, std::string dtype);
  ~WeightVersions();
  WeightVersions(const WeightVersions&) = delete;
  WeightVersions& operator=(const WeightVersions&) = delete;

  proto::WeightsManifest write(std::uint64_t version, const std::vector<policy::NamedTensor>& weights);
  // Only adapters: a hundredth of the bytes. `base`: policy::tensors_checksum of the weights that they belong to.
  proto::WeightsManifest write(std::uint64_t version, const policy::LoraAdapters& adapters, const std::string& base);
  // Unlinks versions before `oldest_needed`, never the newest.
  void remove_before(std::uint64_t oldest_needed);

 private:
  fs::path make_room(std::uint64_t version, std::uint64_t bytes) const;
  proto::WeightsManifest written(std::uint64_t version, const fs::path& folder, const std::string& file,
                                 const policy::WrittenTensors& tensors);

  fs::path folder_;
  const policy::LoadedModel& source_;
  std::string dtype_;
  std::vector<proto::WeightsManifest> written_;
};

}  // namespace kg::trainer
