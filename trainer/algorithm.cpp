#include "trainer/algorithm.h"

#include <numeric>

#include "base/check.h"
#include "base/error.h"
#include "base/nearest_name.h"
#include "base/options.h"

namespace kg::trainer {

const std::vector<Algorithm>& algorithm_table() {
  static const std::vector<Algorithm> table = {
      {"grpo", {AdvantageBaseline::kGroupMean, /*divide_by_std=*/true}, Aggregation::kToken},
      {"dr_grpo", {AdvantageBaseline::kGroupMean, /*divide_by_std=*/false}, Aggregation::kConstant},
      {"rloo", {AdvantageBaseline::kLeaveOneOut, /*divide_by_std=*/false}, Aggregation::kToken},
  };
  return table;
}

const Algorithm& find_algorithm(const std::string& name) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithm_table()) {
    if (algorithm.name == name) return algorithm;
    names.push_back(algorithm.name);
  }
  const std::string near = nearest_name(name, names);
  throw Error("no algorithm is named \"" + name + "\"", "--algorithm", near.empty() ? "grpo, dr_grpo or rloo" : near);
}

Aggregation aggregation_from_name(const std::string& name) {
  if (name == "token") return Aggregation::kToken;
  if (name == "sequence-mean") return Aggregation::kSequenceMean;
  if (name == "constant") return Aggregation::kConstant;
  throw Error("no aggregation is named \"" + name + "\"", "--aggregation", "token, sequence-mean or constant");
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
      case Aggregation::kConstant:
        weights.push_back(1 / (count * static_cast<double>(token_limit)));
        break;
    }
  }
  return weights;
}

}  // namespace kg::trainer
