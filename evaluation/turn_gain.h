#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "evaluation/paired_difference.h"
#include "evaluation/pass_at_k.h"

// What further turns are worth: first answers that failed were repaired, by the judge's words, and beside that fresh
// answers to the same task were drawn with as many tokens. docs/guide/metrics.md defines the numbers.
namespace kg::evaluation {

std::string repair_purpose_of(const std::string& label);  // "repair:LABEL"
std::string fresh_purpose_of(const std::string& label);   // "fresh:LABEL"

struct DrawnAnswer {
  std::int64_t tokens = 0;
  bool valid = true, correct = false;
};
DrawnAnswer drawn_answer(const proto::Rollout& rollout);

// Fresh answers in place of repairs that took `budget` tokens: each counts that fits into what is left of the budget,
// and the one that does not in part, by the share of its tokens that fits. So the tokens are the budget's, whatever the
// lengths.
struct FreshOutcome {
  double solved = 0;    // the probability that a counted one is correct
  double tokens = 0;    // spent: up to the budget, or to the first correct answer
  bool enough = false;  // no further answer would change it
  bool valid = true;    // each that counts has a valid verdict
};
FreshOutcome spend_on_fresh(std::int64_t budget, const std::vector<DrawnAnswer>& answers);

struct TurnGain {
  std::uint64_t answers = 0, failed = 0;  // first answers with a valid verdict; those that are not correct
  std::uint64_t no_room = 0;              // failed ones whose repair would not have fitted into the context
  std::uint64_t left_out = 0;             // with a repair or a fresh answer that has no valid verdict: not in the rates
  std::uint64_t continued = 0;            // failed ones in the rates that were repaired, whatever came of it
  std::uint64_t repaired = 0;             // of those the ones that a repair made right
  double fresh_solved = 0;                // expected number of failed ones that fresh answers made right
  double first_tokens = 0;                // mean tokens of a first answer
  double repair_tokens = 0, fresh_tokens = 0;  // mean tokens for one of those that were repaired
  std::uint64_t short_of_budget =
      0;                           // failed ones whose fresh answers were ended with tokens left (most answers drawn)
  std::vector<Estimate> after;     // rate of correct episodes after turn 1, 2, ...
  Estimate fresh;                  // with fresh answers in place of all further turns
  PairedDifference against_fresh;  // the rate after the last turn less that, paired by task
  std::map<std::string, PairedShares> tasks;  // after the last turn, and with fresh answers in its place
};

// The rate after the last turn of one evaluation less that of another, on the tasks of both.
PairedDifference compare_last_turns(const TurnGain& first, const TurnGain& second);

// Of the evaluation of that label by that run; nothing if it has no further turns.
std::optional<TurnGain> turn_gain(const dataset::Dataset& data, const std::string& label, const std::string& run);

std::string text_of(const TurnGain& gain, int columns);
nlohmann::json json_of(const TurnGain& gain);

}  // namespace kg::evaluation
