#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "policy/files/model_io.h"
#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "trainer/rl_options.h"
#include "trainer/run_request.h"

// Turns the options of `kgtrain rl` into what its parts are built from.
namespace kg::trainer {

// Refuses options that contradict each other, and finds model and data.
void settle_rl(RlOptions& options, RunRequest& request);

// What config.json records about the run.
nlohmann::json rl_config(const RlOptions& options, const RunRequest& request);
// What --dry-run prints in addition.
nlohmann::json rl_estimates(const RlOptions& options, const policy::LoadedModel& loaded);

rollout::CoordinatorOptions rl_coordinator(const RlOptions& options, const std::string& run_id,
                                           const fs::path& run_folder);
rollout::LocalFleetOptions rl_fleet(const RlOptions& options, const RunRequest& request, const fs::path& run_folder);

}  // namespace kg::trainer
