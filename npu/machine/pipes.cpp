#include "npu/machine/pipes.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "npu/chip.h"

namespace kg::npu {

const char* pipe_name(int pipe) {
  static constexpr const char* kNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "FIX"};
  return pipe >= 0 && pipe < kPipes ? kNames[pipe] : "?";
}

void Clock::join(const Clock& other) {
  for (int p = 0; p < kPipes; ++p) ended[p] = std::max(ended[p], other.ended[p]);
  time = std::max(time, other.time);
  if (other.others == nullptr || other.others == others) return;
  if (others == nullptr) {
    others = other.others;
    return;
  }
  auto merged = std::make_shared<Others>(*others);
  if (merged->size() < other.others->size()) merged->resize(other.others->size());
  for (std::size_t c = 0; c < other.others->size(); ++c)
    for (int p = 0; p < kPipes; ++p) (*merged)[c][p] = std::max((*merged)[c][p], (*other.others)[c][p]);
  others = std::move(merged);
}

Instruction Pipes::issue(int pipe, double occupied, double latency) {
  KG_CHECK(is_pipe(pipe));
  KG_CHECK_GE(occupied, 0);  // time never goes back; NaN fails too
  KG_CHECK_GE(latency, 0);
  if (pipe != kS || occupied == 0) clock_[kS].time += chip::kScalarIssue;  // its own accesses hold that already
  Clock& mine = clock_[pipe];
  if (pipe != kS) mine.join(clock_[kS]);  // issued by S, so after everything S has waited for
  Instruction instruction{pipe, ++issued_[pipe], epoch_[pipe], mine.time, 0};
  mine.time += occupied;
  busy_[pipe] += occupied;
  instruction.end = mine.time + latency;
  results_[pipe] = std::max(results_[pipe], instruction.end);
  // V and S finish one instruction before the next that depends on it (the compiler adds the barrier between vector
  // instructions), M, MTE1 and FIX work in order; copies of MTE2 and MTE3 may still be under way, so their own numbers
  // count only after an event.
  if (pipe != kMte2 && pipe != kMte3) mine.ended[pipe] = instruction.number;
  return instruction;
}

bool Pipes::ordered(int pipe, int other, std::uint32_t number) const {
  KG_CHECK(is_pipe(pipe) && is_pipe(other));
  return clock_[pipe].ended[other] >= number;
}

bool Pipes::ordered_across(int pipe, int core, int other, std::uint32_t number) const {
  KG_CHECK(is_pipe(pipe) && is_pipe(other));
  KG_CHECK_GE(core, 0);
  const auto& others = clock_[pipe].others;
  return others != nullptr && static_cast<std::size_t>(core) < others->size() &&
         (*others)[static_cast<std::size_t>(core)][other] >= number;
}

Clock Pipes::set(int from) {
  KG_CHECK(is_pipe(from));
  KG_CHECK_LE(clock_[from].ended[from], issued_[from]);  // nothing has ended that was never issued
  ++epoch_[from];
  ++epoch_[kS];
  Clock flag = clock_[from];
  flag.join(clock_[kS]);
  flag.ended[from] = issued_[from];
  flag.time = std::max(flag.time, results_[from]);
  return flag;
}

Clock Pipes::publish(int from, int core) {
  KG_CHECK_GE(core, 0);
  Clock flag = set(from);
  auto mine = std::make_shared<Others>(static_cast<std::size_t>(core) + 1);
  mine->back() = flag.ended;
  Clock seen;
  seen.time = flag.time;
  seen.others = std::move(mine);
  flag.ended = {};
  seen.join(flag);  // this core's knowledge of third cores
  return seen;
}

void Pipes::wait(int to, const Clock& flag) {
  KG_CHECK(is_pipe(to));
  clock_[to].join(clock_[kS]);
  clock_[to].join(flag);
}

void Pipes::barrier(int pipe) {
  KG_CHECK(is_pipe(pipe));
  if (pipe == kAllPipes) {
    for (int p = 0; p < kPipes; ++p) clock_[kS].join(set(p));
    for (int p = 0; p < kPipes; ++p) clock_[p].join(clock_[kS]);
  } else {
    clock_[pipe].join(set(pipe));
  }
}

void Pipes::scalar_meets(int other) { clock_[kS].join(set(other)); }

double Pipes::finish() const {
  double last = 0;
  for (int p = 0; p < kPipes; ++p) last = std::max({last, clock_[p].time, results_[p]});
  return last;
}

void Pipes::start_at(double time) {
  for (Clock& clock : clock_) clock.time = std::max(clock.time, time);
}

}  // namespace kg::npu
