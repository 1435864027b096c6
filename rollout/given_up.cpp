#include "rollout/given_up.h"

#include "reward/verdict.h"
#include "rollout/generation_request.h"

namespace kg::rollout {

void store_given_up(CoordinatorState& state) {
  for (const GivenUpWork& lost : state.leases.given_up()) {
    const Work& work = *state.book.find(lost.work_id);
    for (const std::uint32_t sample : lost.missing) {
      if (state.is_arriving(lost.work_id, sample)) continue;
      proto::Rollout rollout;
      rollout.set_run(state.options.run);
      rollout.set_work_id(lost.work_id);
      rollout.set_sample(sample);
      rollout.set_task(work.task.id());
      rollout.set_prompt(prompt_text(work.messages));
      rollout.set_purpose(work.purpose);
      rollout.set_turn(work.turn);
      rollout.set_after_work_id(work.after_work_id);
      rollout.set_after_sample(work.after_sample);
      if (state.newest) rollout.set_policy_version(state.newest->version());
      *rollout.mutable_completion()->mutable_sampling() = work.sampling;
      rollout.mutable_verdict()->set_task(work.task.id());
      reward::mark_invalid(*rollout.mutable_verdict(), lost.reason);
      state.arrive({"", std::move(rollout), /*duplicate=*/false});
    }
  }
}

}  // namespace kg::rollout
