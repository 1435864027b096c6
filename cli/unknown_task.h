#pragma once

#include <string>

#include "dataset/store/dataset.h"

namespace kg::cli {

// Throws the Error for a task that is not in `data`, with the nearest id. `name`: the data set as the user named it;
// `where`: the option or command that named the task.
[[noreturn]] void refuse_task(const dataset::Dataset& data, const std::string& id, const std::string& name,
                              const std::string& where);

}  // namespace kg::cli
