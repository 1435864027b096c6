#pragma once

#include <string>

#include "dataset/store/dataset.h"

namespace kg::dataset {

// XXH3-128 of all tasks and samples in storage order: equal for data sets with equal content, however they were
// written.
std::string content_hash(const Dataset& data);

}  // namespace kg::dataset
