#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kg::evaluation {

// Outcomes of one task: `passed` of `samples` independent samples.
struct TaskOutcome {
  std::string cluster;  // tasks of one operator structure are not independent: they are drawn together
  std::uint32_t samples = 0;
  std::uint32_t passed = 0;
};

// Probability that at least one of k samples drawn without replacement passes: 1 - C(n-c, k) / C(n, k), the unbiased
// estimator of Chen et al., "Evaluating large language models trained on code" (arXiv 2107.03374), eq. 1. NaN if k > n.
double pass_at_k(std::uint32_t samples, std::uint32_t passed, std::uint32_t k);

struct Estimate {
  double value = 0;          // mean over tasks
  double low = 0, high = 0;  // 95 % interval
  std::uint64_t samples = 0, tasks = 0, clusters = 0;
};

std::string percent_text(const Estimate& estimate);  // "12.5 % [10.0, 15.1]"

// Mean of pass@k over tasks with a 95 % score interval (Wilson, JASA 22, 1927) whose effective number of tasks comes
// from a bootstrap over clusters (10,000 resamples, fixed seed): docs/guide/metrics.md. Tasks with fewer than k samples
// are left out. With no outcome that passes, or none that fails, every resample is alike and the bootstrap says
// nothing; the exact binomial (Clopper-Pearson) bound over clusters is given instead.
Estimate mean_pass_at_k(const std::vector<TaskOutcome>& outcomes, std::uint32_t k);

// The same for any mean over tasks of values from 0 to 1.
Estimate clustered_mean(const std::vector<std::pair<std::string, double>>& values_by_cluster);

}  // namespace kg::evaluation
