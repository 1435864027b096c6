#pragma once

#include <string>
#include <vector>

#include "trainer/advantage.h"

namespace kg::trainer {

enum class Aggregation {
  kToken,         // mean over all tokens of the update (DAPO, arXiv 2503.14476, eq. 8)
  kSequenceMean,  // mean over each answer, then over answers (DeepSeekMath, arXiv 2402.03300, eq. 3)
  kConstant,      // sum over tokens / (answers x token limit) (Dr. GRPO, arXiv 2503.20783)
};

// A named variant of group-based policy gradient: a row of switches. Options given on the command line override a row's
// values.
struct Algorithm {
  std::string name;
  AdvantageRule advantage;
  Aggregation aggregation;
};

const std::vector<Algorithm>& algorithm_table();
// Throws Error with the known names.
const Algorithm& find_algorithm(const std::string& name);
Aggregation aggregation_from_name(const std::string& name);  // "token", "sequence-mean", "constant"

// Weight of each token's objective for answers of these lengths, one number for each answer; over all tokens of an
// update they sum to 1 (kConstant: to at most 1). A loss cut into micro-batches uses the weights of the whole update.
std::vector<double> token_weights(const std::vector<std::int64_t>& lengths, Aggregation aggregation,
                                  std::int64_t token_limit);

}  // namespace kg::trainer
