#include "rollout/work_content.h"

#include "base/hash.h"
#include "rollout/generation_request.h"

namespace kg::rollout {
namespace {

// 0 and 1 both mean "off" where a filter says so; records keep either.
proto::SamplingParameters normal(proto::SamplingParameters sampling) {
  if (sampling.top_p() == 1) sampling.set_top_p(0);
  if (sampling.repetition_penalty() == 1) sampling.set_repetition_penalty(0);
  return sampling;
}

// A stored answer never changes, so that which one a work follows says with which tokens its prompt begins.
std::string place(std::uint32_t turn, std::uint64_t after_work_id, std::uint32_t after_sample) {
  return std::to_string(turn) + "/" + std::to_string(after_work_id) + "/" + std::to_string(after_sample);
}

std::uint64_t content(const std::string& task, const std::string& prompt, const std::string& purpose,
                      const std::string& place, const proto::SamplingParameters& sampling) {
  Hash64 hash;
  const std::string drawn = normal(sampling).SerializeAsString();
  for (const std::string* part : {&task, &prompt, &purpose, &place, &drawn}) {
    hash.add(std::to_string(part->size()) + ":");
    hash.add(*part);
  }
  return hash.value();
}

}  // namespace

std::uint64_t content_of(const Work& work) {
  return content(work.task.id(), prompt_text(work.messages), work.purpose,
                 place(work.turn, work.after_work_id, work.after_sample), work.sampling);
}

std::uint64_t content_of(const proto::Rollout& rollout) {
  return content(rollout.task(), rollout.prompt(), rollout.purpose(),
                 place(rollout.turn(), rollout.after_work_id(), rollout.after_sample()),
                 rollout.completion().sampling());
}

}  // namespace kg::rollout
