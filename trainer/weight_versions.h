#pragma once

#include <vector>

#include "base/file.h"
#include "policy/files/model_io.h"
#include "proto/generate.pb.h"

namespace kg::trainer {

// Policy versions as immutable folders RUN/weights/version-NNNNNN, each a Hugging Face directory that a generator can
// start from or switch to.
class WeightVersions {
 public:
  // Removes what a killed run left behind. `dtype` is that of the files.
  // Removes all of it at the end: the trained model lies elsewhere by then.
  WeightVersions(const fs::path& run_folder, const policy::LoadedModel& source, std::string dtype);
  ~WeightVersions();
  WeightVersions(const WeightVersions&) = delete;
  WeightVersions& operator=(const WeightVersions&) = delete;

  proto::WeightsManifest write(std::uint64_t version, const std::vector<policy::NamedTensor>& weights);
  // Unlinks versions before `oldest_needed`, never the newest.
  void remove_before(std::uint64_t oldest_needed);

 private:
  fs::path folder_;
  const policy::LoadedModel& source_;
  std::string dtype_;
  std::vector<proto::WeightsManifest> written_;
};

}  // namespace kg::trainer
