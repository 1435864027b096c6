#pragma once

#include <map>
#include <string>
#include <vector>

#include "rollout/judge_queue.h"
#include "rollout/spot_checks.h"

namespace kg::rollout {

// Judges again on this host what SpotChecks finds due. A verdict that differs is judged a third time before anybody is
// called a liar: a kernel whose end changes from run to run has no verdict.
class TrustedChecks {
 public:
  struct Outcome {
    enum class Kind { kGood, kUnknown, kFalse } kind = Kind::kGood;
    std::string key;
    SpotChecks::Held held;  // as it is to be stored
    std::string reason;     // kFalse: what was claimed and what was found
  };

  explicit TrustedChecks(JudgeQueue::Judge judge) : queue_(std::move(judge)) {}

  int descriptor() const { return queue_.descriptor(); }  // readable when something is judged
  void begin_due(SpotChecks& checks, double now);
  std::vector<Outcome> take();

 private:
  struct Check {
    std::string key;
    SpotChecks::Held held;
    std::vector<proto::Rollout> trusted;  // verdicts so far
    int failures = 0;                     // of this host's sandbox
  };
  void push(const Check& check);
  bool conclude(Check& check, Outcome& outcome);  // false: once more

  std::map<std::uint64_t, Check> checks_;  // by number
  JudgeQueue queue_;
};

}  // namespace kg::rollout
