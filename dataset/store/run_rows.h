#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "dataset/store/view.h"

namespace kg::dataset {

// Visits the rollouts of one run whose work_id is from `first` to `last`, in storage order, until the visitor returns
// false. Segments, and stretches of rows in them, that have none according to their index are not read.
void for_each_rollout_of(const View& view, const std::string& run, std::uint64_t first, std::uint64_t last,
                         const std::function<bool(const proto::Rollout&)>& visit);

}  // namespace kg::dataset
