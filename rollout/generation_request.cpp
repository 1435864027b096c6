#include "rollout/generation_request.h"

#include <set>

#include "rollout/task_tensors.h"

namespace kg::rollout {

std::vector<SampleRun> missing_runs(const proto::Lease& lease) {
  const std::set<std::uint32_t> done(lease.done().begin(), lease.done().end());
  std::vector<SampleRun> runs;
  for (std::uint32_t sample = 0; sample < lease.samples(); ++sample) {
    if (done.contains(sample)) continue;
    if (!runs.empty() && runs.back().first + runs.back().count == sample)
      ++runs.back().count;
    else
      runs.push_back({sample, 1});
  }
  return runs;
}

proto::GenerateRequest generation_request(const proto::Lease& lease, const SampleRun& run) {
  proto::GenerateRequest request;
  *request.mutable_messages() = lease.messages();
  request.set_count(run.count);
  request.set_first_sample(run.first);
  *request.mutable_sampling() = lease.sampling();
  request.set_min_policy_version(lease.weights().version());
  request.set_singly(true);
  *request.mutable_prefix_ids() = lease.prefix_ids();
  add_task_tensors(lease.task(), request);
  return request;
}

std::string prompt_text(const std::vector<proto::ChatMessage>& messages) {
  std::string text;
  for (const proto::ChatMessage& message : messages) {
    if (!text.empty()) text += "\n\n";
    text += message.content();
  }
  return text;
}

std::string prompt_text(const proto::Lease& lease) {
  return prompt_text(std::vector<proto::ChatMessage>(lease.messages().begin(), lease.messages().end()));
}

}  // namespace kg::rollout
