#include "npu/machine/cycle_counts.h"

#include <algorithm>

#include "base/check.h"

namespace kg::npu {

void CycleCounts::instruction(int pipe, double occupied, int line, std::uint64_t amount) {
  if (occupied <= 0) return;  // a flag
  Work& work = work_[{line, pipe}];
  work.busy += occupied;
  ++work.instructions;
  work.amount += amount;
}

void CycleCounts::wait(int pipe, int on, double begin, double end, int line) {
  if (end > begin) waits_[{pipe, {on, line}}] += end - begin;
}

void CycleCounts::core_ended(int core, double time) {
  KG_CHECK_GE(core, 0);
  if (static_cast<std::size_t>(core) >= ends_.size()) ends_.resize(static_cast<std::size_t>(core) + 1);
  ends_[static_cast<std::size_t>(core)] = time;
}

proto::CycleProfile CycleCounts::profile(double total, double launch, double shared) const {
  proto::CycleProfile profile;
  profile.set_total(total);
  profile.set_launch(launch);
  profile.set_shared(shared);
  profile.mutable_core_ends()->Add(ends_.begin(), ends_.end());
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    proto::CycleProfile::Pipe made;
    made.set_name(pipe_name(pipe));
    for (const auto& [place, work] : work_) {
      if (place.second != pipe) continue;
      made.set_busy(made.busy() + work.busy);
      made.set_amount(made.amount() + work.amount);
      made.set_instructions(made.instructions() + work.instructions);
    }
    for (const auto& [place, cycles] : waits_) {
      if (place.first != pipe) continue;
      proto::CycleProfile::Wait& wait = *made.add_waits();
      wait.set_on(place.second.first == kOtherCores ? "other cores" : pipe_name(place.second.first));
      wait.set_line(place.second.second);
      wait.set_cycles(cycles);
    }
    std::stable_sort(made.mutable_waits()->begin(), made.mutable_waits()->end(),
                     [](const auto& a, const auto& b) { return a.cycles() > b.cycles(); });
    if (made.instructions() > 0 || made.waits_size() > 0) *profile.add_pipes() = std::move(made);
  }
  for (const auto& [place, work] : work_) {
    proto::CycleProfile::Line& line = *profile.add_lines();
    line.set_line(place.first);
    line.set_pipe(pipe_name(place.second));
    line.set_busy(work.busy);
    line.set_instructions(work.instructions);
  }
  std::stable_sort(profile.mutable_lines()->begin(), profile.mutable_lines()->end(),
                   [](const auto& a, const auto& b) { return a.busy() > b.busy(); });
  return profile;
}

}  // namespace kg::npu
