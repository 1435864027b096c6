#pragma once

#include <mutex>
#include <vector>

#include "rollout/coordinator_state.h"

namespace kg::rollout {

struct SubmittedWork {
  Work work;
  std::uint64_t content = 0;  // work_content.h
};
std::vector<SubmittedWork> with_contents(std::vector<Work> works);  // needs no lock

// Opens works, and queues those of which samples are missing. Returns their numbers (Coordinator::submit_all). `lock`
// is held, but for the time in which the data set is read.
std::vector<std::uint64_t> submit_works(CoordinatorState& state, std::vector<SubmittedWork> works,
                                        std::unique_lock<std::mutex>& lock);

}  // namespace kg::rollout
