#include "rollout/trusted_checks.h"

#include <utility>

#include "proto/message_json.h"
#include "reward/verdict.h"

namespace kg::rollout {
namespace {

constexpr std::size_t kChecksAtOnce = 2;  // one is judged while the next waits
constexpr int kFailuresAllowed = 2;

std::string told(const proto::Rollout& rollout) {
  return proto::stage_name(rollout.verdict().stage()) + std::string(" and reward ") +
         std::to_string(rollout.verdict().reward());
}

}  // namespace

void TrustedChecks::push(const Check& check) {
  JudgeJob job{.lease_id = check.held.number, .task = check.held.task, .rollout = check.held.rollout};
  job.rollout.clear_verdict();
  job.rollout.clear_kernel();
  queue_.push(std::move(job));
}

void TrustedChecks::begin_due(SpotChecks& checks, double now) {
  while (checks_.size() < kChecksAtOnce) {
    auto due = checks.next(now);
    if (!due) return;
    const std::uint64_t number = due->second.number;
    Check& check = checks_[number];
    check.key = std::move(due->first);
    check.held = std::move(due->second);
    push(check);
  }
}

bool TrustedChecks::conclude(Check& check, Outcome& outcome) {
  if (check.failures > 0 && check.trusted.empty()) {
    if (check.failures <= kFailuresAllowed) return false;
    outcome.kind = Outcome::Kind::kUnknown;
    return true;
  }
  const proto::Rollout& newest = check.trusted.back();
  switch (compare_verdicts(check.held.rollout, newest)) {
    case Agreement::kSame:
      break;
    case Agreement::kSlower:
      *check.held.rollout.mutable_verdict() = newest.verdict();
      return true;
    case Agreement::kFalse:
      if (check.trusted.size() == 1) return false;
      if (compare_verdicts(check.trusted[0], newest) == Agreement::kSame) {
        outcome.kind = Outcome::Kind::kFalse;
        outcome.reason = "work " + std::to_string(newest.work_id()) + " sample " + std::to_string(newest.sample()) +
                         " was said to end at " + told(check.held.rollout) + ", here it ended twice at " + told(newest);
        return true;
      }
      break;
  }
  if (check.trusted.size() > 1)
    reward::mark_invalid(*check.held.rollout.mutable_verdict(), "the kernel's end changes from run to run");
  return true;
}

std::vector<TrustedChecks::Outcome> TrustedChecks::take() {
  std::vector<Outcome> outcomes;
  for (JudgeJob& job : queue_.take_judged()) {
    const auto at = checks_.find(job.lease_id);
    if (at == checks_.end()) continue;
    Check& check = at->second;
    const std::string failure = job.rollout.verdict().sandbox_error();
    if (failure.empty())
      check.trusted.push_back(std::move(job.rollout));
    else
      ++check.failures;
    Outcome outcome;
    if (!conclude(check, outcome)) {
      push(check);
      continue;
    }
    if (outcome.kind == Outcome::Kind::kUnknown)
      reward::mark_invalid(*check.held.rollout.mutable_verdict(), "it could not be checked: " + failure);
    outcome.key = std::move(check.key);
    outcome.held = std::move(check.held);
    checks_.erase(at);
    outcomes.push_back(std::move(outcome));
  }
  return outcomes;
}

}  // namespace kg::rollout
