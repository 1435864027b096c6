#pragma once

#include <future>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "policy/files/policy_version.h"
#include "policy/generation/generation_backend.h"
#include "proto/generate.pb.h"

namespace kg::policy {

// Reads the policy version that a manifest names (policy_version.h), checks the checksum of its tensors as they were
// read, and packs it. For a file, or a folder without a description, the file's length and
// checksum are compared. Throws Error naming both checksums.
std::shared_ptr<const GenerationWeights> load_weights(const proto::WeightsManifest& manifest, const ModelConfig& config,
                                                      const std::string& device, const std::string& dtype,
                                                      BaseModel& base);

// Loads policy versions on its own thread while generation continues; one at a time, and of the waiting ones only the
// newest.
class WeightsLoader {
 public:
  struct Waiter {
    std::string identity;
    std::uint64_t request_id;
  };
  struct Loaded {
    proto::WeightsManifest manifest;
    std::shared_ptr<const GenerationWeights> weights;  // null if it failed
    std::string error;
    std::vector<Waiter> waiters;
  };

  // `base`: the model that the generator was started with; adapters belong to it.
  WeightsLoader(const ModelConfig& config, std::string device, std::string dtype, const std::filesystem::path& base);

  void want(const proto::WeightsManifest& manifest, Waiter waiter);
  std::optional<Loaded> take();  // the version loaded since the last call; never waits
  bool busy() const { return loading_.has_value(); }

 private:
  struct Job {
    proto::WeightsManifest manifest;
    std::vector<Waiter> waiters;
    std::future<std::shared_ptr<const GenerationWeights>> result;
  };
  void start(Job job);

  ModelConfig config_;
  std::string device_, dtype_;
  BaseModel base_;  // used by the loading thread while there is one
  std::optional<Job> loading_, next_;
};

}  // namespace kg::policy
