#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "proto/generate.pb.h"
#include "proto/rollout.pb.h"

namespace kg::rollout {

// Samples that follow each other: one request to the generator.
struct SampleRun {
  std::uint32_t first = 0, count = 0;
};

// The samples of a lease that are still to be made.
std::vector<SampleRun> missing_runs(const proto::Lease& lease);

proto::GenerateRequest generation_request(const proto::Lease& lease, const SampleRun& run);

// The prompt as the data set keeps it.
std::string prompt_text(const std::vector<proto::ChatMessage>& messages);
std::string prompt_text(const proto::Lease& lease);

}  // namespace kg::rollout
