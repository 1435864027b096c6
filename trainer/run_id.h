#pragma once

#include <string>

#include "dataset/store/dataset.h"
#include "trainer/run.h"

namespace kg::trainer {

// The name under which the run's rollouts are stored: for a resumed run the one recorded in its config.json; otherwise
// the folder's name, or name-2, name-3, ... if the data set has rollouts of a run with that name, since a folder's name
// may be used again and (run, work_id, sample) is the key of a rollout.
std::string run_id_of(const Run& run, const dataset::Dataset& data);

}  // namespace kg::trainer
