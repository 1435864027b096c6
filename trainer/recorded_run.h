#pragma once

#include <string>

#include "dataset/store/dataset.h"

namespace kg::trainer {

// The data set that the run which made this model used; the default data set's name if no run made it.
std::string data_of_model(const fs::path& model);

// `name`, or name-2, name-3, ... if the data set holds rollouts of a run of that name: (run, work_id, sample) is the
// key of a rollout, and a folder's name may be used again.
std::string unused_run_id(const dataset::Dataset& data, const std::string& name);

}  // namespace kg::trainer
