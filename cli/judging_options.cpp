#include "cli/judging_options.h"

#include "reward/reward_config.h"
#include "sandbox/isolation_option.h"

namespace kg::cli {

void declare_judging(Options& options, JudgingOptions& values) {
  options.add("jobs", values.jobs, "number of sandboxes that judge at once").range(1, 256);
  options.add("reward", values.reward, "reward preset").choices(reward::reward_presets());
  options.add("checkout", values.worker.checkout,
              "imported tasks: checkout of the benchmark, if it has moved since the import");
  options.add("python", values.worker.python,
              "imported tasks: Python that makes large cases again and runs answers that are PyTorch modules");
  sandbox::declare_isolation(options, values.sandbox.allow_less_isolation);
}

}  // namespace kg::cli
