#include "trainer/algorithm.h"

#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/nearest_name.h"

namespace kg::trainer {

const std::vector<Algorithm>& algorithm_table() {
  constexpr auto kClipped = Surrogate::kClipped;
  constexpr auto kToken = RatioLevel::kToken;
  const AdvantageRule normalised{AdvantageBaseline::kGroupMean, /*divide_by_std=*/true};
  const AdvantageRule centred{AdvantageBaseline::kGroupMean, /*divide_by_std=*/false};
  const AdvantageRule leave_one_out{AdvantageBaseline::kLeaveOneOut, /*divide_by_std=*/false};
  static const std::vector<Algorithm> table = {
      {"grpo", normalised, Aggregation::kToken, kClipped, kToken, 0.2, 0.28, /*refill=*/1, /*overlong_share=*/0,
       "advantage of arXiv 2402.03300 (4.1.2) with DAPO's token mean and clip, as in TRL by default; the paper's own "
       "loss (eq. 3): --aggregation sequence-mean --clip-high 0.2"},
      {"dr_grpo", centred, Aggregation::kConstant, kClipped, kToken, 0.2, 0.2, 1, 0,
       "arXiv 2503.20783 (3.2): no division by the standard deviation; a constant replaces the length; over all "
       "answers of the update"},
      {"dapo", normalised, Aggregation::kToken, kClipped, kToken, 0.2, 0.28, 3, 0.2,
       "arXiv 2503.14476 (eq. 8, 11, 13): token mean, clip-higher, groups without signal replaced, soft overlong "
       "penalty"},
      {"rloo", leave_one_out, Aggregation::kSequenceSum, Surrogate::kLogProb, kToken, 0, 0, 1, 0,
       "arXiv 2402.14740 (eq. 8): REINFORCE on whole answers; the baseline is the mean reward of the other answers"},
      {"loo", leave_one_out, Aggregation::kConstant, kClipped, kToken, 0.2, 0.28, 2, 0,
       "leave-one-out advantage, Dr. GRPO's constant over all answers, groups without signal replaced; for binary "
       "rewards and small models"},
      {"reinforce++",
       {AdvantageBaseline::kBatch, /*divide_by_std=*/true},
       Aggregation::kToken,
       kClipped,
       kToken,
       0.2,
       0.2,
       1,
       0,
       "arXiv 2501.03262 (eq. 6): advantages normalised over all tokens of the update; --kl-weight --kl-in-reward adds "
       "the paper's token-level penalty"},
      {"gspo", normalised, Aggregation::kSequenceMean, kClipped, RatioLevel::kSequence, 3e-4, 4e-4, 1, 0,
       "arXiv 2507.18071 (eq. 5, 7): length-normalised ratio of whole answers"},
      {"cispo", normalised, Aggregation::kToken, Surrogate::kDetached, kToken, 1, 4, 1, 0,
       "arXiv 2506.13585 (eq. 4): the clipped ratio weights log pi; upper bound 5, no lower bound, as in TRL"},
      {"rft",
       {AdvantageBaseline::kCorrect, /*divide_by_std=*/false},
       Aggregation::kToken,
       Surrogate::kLogProb,
       kToken,
       0,
       0,
       1,
       0,
       "rejection fine-tuning (expert iteration; arXiv 2308.01825): maximises the likelihood of the correct answers"},
  };
  return table;
}

std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithm_table()) names.push_back(algorithm.name);
  return names;
}

const Algorithm& find_algorithm(const std::string& name) {
  for (const Algorithm& algorithm : algorithm_table())
    if (algorithm.name == name) return algorithm;
  const std::string near = nearest_name(name, algorithm_names());
  throw Error("no algorithm is named \"" + name + "\"", "--algorithm", near.empty() ? "kgtrain rl --help" : near);
}

Aggregation aggregation_from_name(const std::string& name) {
  if (name == "token") return Aggregation::kToken;
  if (name == "sequence-mean") return Aggregation::kSequenceMean;
  if (name == "sequence-sum") return Aggregation::kSequenceSum;
  if (name == "constant") return Aggregation::kConstant;
  throw Error("no aggregation is named \"" + name + "\"", "--aggregation",
              "token, sequence-mean, sequence-sum or constant");
}

std::vector<double> token_weights(const std::vector<std::int64_t>& lengths, Aggregation aggregation,
                                  std::int64_t token_limit) {
  const auto total = static_cast<double>(std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0}));
  const auto count = static_cast<double>(lengths.size());
  std::vector<double> weights;
  for (const std::int64_t length : lengths) {
    KG_CHECK_GT(length, 0);
    switch (aggregation) {
      case Aggregation::kToken:
        weights.push_back(1 / total);
        break;
      case Aggregation::kSequenceMean:
        weights.push_back(1 / (count * static_cast<double>(length)));
        break;
      case Aggregation::kSequenceSum:
        weights.push_back(1 / count);
        break;
      case Aggregation::kConstant:
        weights.push_back(1 / (count * static_cast<double>(token_limit)));
        break;
    }
  }
  return weights;
}

}  // namespace kg::trainer
