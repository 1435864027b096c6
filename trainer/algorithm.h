#pragma once

#include <string>
#include <vector>

#include "trainer/advantage.h"
#include "trainer/policy_loss_options.h"

namespace kg::trainer {

enum class Aggregation {
  kToken,         // mean over all tokens of the update (DAPO, arXiv 2503.14476, eq. 8)
  kSequenceMean,  // mean over each answer, then over answers (DeepSeekMath, arXiv 2402.03300, eq. 3)
  kSequenceSum,   // sum over each answer, then mean over answers (REINFORCE; RLOO, arXiv 2402.14740, eq. 8)
  kConstant,      // sum over tokens / (answers x token limit) (Dr. GRPO, arXiv 2503.20783)
};

// A named algorithm from the literature: a row of switches, each of which an option can override. `source` gives the
// paper and the equation, and where the row differs from it.
struct Algorithm {
  std::string name;
  AdvantageRule advantage;
  Aggregation aggregation;
  Surrogate surrogate;
  RatioLevel ratio;
  double clip_low, clip_high;
  double refill;          // maximum groups made for an update, in units of groups-per-step; 1 = no refill
  double overlong_share;  // share of the token limit over which the soft overlong penalty grows; 0 = off
  std::string source;
};

const std::vector<Algorithm>& algorithm_table();
std::vector<std::string> algorithm_names();
// Throws Error with the nearest known name.
const Algorithm& find_algorithm(const std::string& name);
Aggregation aggregation_from_name(const std::string& name);  // "token", "sequence-mean", "sequence-sum", "constant"

// Weight of each token's objective for answers of these lengths, one number for each answer; over all tokens of an
// update they sum to 1 (kConstant: to at most 1; kSequenceSum: to the mean length). A loss cut into micro-batches uses
// the weights of the whole update.
std::vector<double> token_weights(const std::vector<std::int64_t>& lengths, Aggregation aggregation,
                                  std::int64_t token_limit);

}  // namespace kg::trainer
