#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "base/file.h"

namespace kg::cli {

// The folder of a run named on the command line: a folder, or a name under $KGTRAIN_HOME/runs; empty: the run that is
// running, else the one that ended last. Throws Error with the runs there are.
fs::path find_run(const std::string& name);

// A JSON file of a run; null if there is none. Throws Error if it is not JSON.
nlohmann::json read_run_json(const fs::path& file);

// Whether `pid` is a living kgtrain process of this host.
bool lives(int pid);

}  // namespace kg::cli
