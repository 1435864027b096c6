#pragma once

#include <cstdint>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "dataset/store/dataset.h"
#include "trainer/rl_options.h"
#include "trainer/rollout_source.h"
#include "trainer/run.h"

namespace kg::trainer {

// Evaluation of the policy while it is trained: held-out tasks, one after the other structure by structure, with the
// weights as published after an update. The rollouts are stored as those of an evaluation "RUN@STEP", which
// `kgtrain eval --table` and `--show` know. `data` outlives it.
class RlEvaluation {
 public:
  // Throws Error if there is no task to ask for.
  RlEvaluation(const RlOptions& options, const dataset::Dataset& data, std::string run);

  // After `step` updates, 0: before the first; `ended`: after the last. The same in every process that trains.
  static bool due(const RlOptions& options, std::int64_t step, bool ended);

  struct Outcome {
    std::string label;
    std::uint64_t answers = 0;
    double compiled = 0, correct = 0;  // shares of the answers
    double low = 0, high = 0;          // 95 % interval of `correct`, clustered by structure
    nlohmann::json metrics() const;
    std::string text() const;
  };
  // Waits until every answer is judged, calling `show` at least once a second. Nothing if a stop was requested before.
  std::optional<Outcome> evaluate(std::int64_t step, std::uint64_t version, RolloutSource& source,
                                  const std::function<void()>& show) const;

 private:
  const RlOptions& options_;
  const dataset::Dataset& data_;
  std::string run_;
  std::vector<std::string> tasks_;
};

// The largest share of correct answers among the evaluations in a run's metrics.jsonl; negative: there is none.
double best_evaluation(const fs::path& metrics);

}  // namespace kg::trainer
