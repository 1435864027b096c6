#include "sandbox/ascendc/runtime/pipes.h"

#include <algorithm>

#include "sandbox/ascendc/runtime/cost_table.h"

namespace kg::sandbox::ascendc {

const char* pipe_name(int pipe) {
  static constexpr const char* kNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "FIX"};
  return pipe >= 0 && pipe < kPipes ? kNames[pipe] : "?";
}

void Clock::join(const Clock& other) {
  for (int p = 0; p < kPipes; ++p) ended[p] = std::max(ended[p], other.ended[p]);
  time = std::max(time, other.time);
}

Instruction Pipes::issue(int pipe, double occupied, double latency) {
  if (pipe != kS || occupied == 0) clock_[kS].time += cost::kScalarIssue;  // its own accesses hold that already
  Clock& mine = clock_[pipe];
  if (pipe != kS) mine.join(clock_[kS]);  // issued by S, so after everything S has waited for
  Instruction instruction{pipe, ++issued_[pipe], mine.time, 0};
  mine.time += occupied;
  busy_[pipe] += occupied;
  instruction.end = mine.time + latency;
  results_[pipe] = std::max(results_[pipe], instruction.end);
  // V and S finish one instruction before the next that depends on it (the compiler adds the barrier between vector
  // instructions); copies of one pipe may still be under way, so their own numbers count only after an event.
  if (pipe == kV || pipe == kS) mine.ended[pipe] = instruction.number;
  return instruction;
}

bool Pipes::ordered(int pipe, int other, std::uint32_t number) const { return clock_[pipe].ended[other] >= number; }

Clock Pipes::set(int from) {
  Clock flag = clock_[from];
  flag.join(clock_[kS]);
  flag.ended[from] = issued_[from];
  flag.time = std::max(flag.time, results_[from]);
  return flag;
}

void Pipes::wait(int to, const Clock& flag) {
  clock_[to].join(clock_[kS]);
  clock_[to].join(flag);
}

void Pipes::barrier(int pipe) {
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

}  // namespace kg::sandbox::ascendc
