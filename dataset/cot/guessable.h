#pragma once

#include <string>

#include "proto/task.pb.h"

namespace kg::dataset::cot {

// Why a task could be answered without computing its operator: by a constant, by outputs for other inputs, or by a
// multiple of an input. Empty: it could not. An operator that really is such a function, in fp64, may be answered so.
//
// The inputs are drawn from several seeds. No output may pass for that of another seed; one with few elements must
// spread over a hundred times its tolerance, because a guess then has to match only one number.
std::string why_guessable(const proto::Task& task);

}  // namespace kg::dataset::cot
