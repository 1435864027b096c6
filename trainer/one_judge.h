#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proto/record.pb.h"

namespace kg::trainer {

// Verdicts of two versions of the judge (reward/judge_version.h) may differ for one kernel, so no run learns from a
// mixture of them.

// Whose verdict stands behind a sample: a version, "unknown" if it was judged before there were versions, or nothing if
// no kernel of it was run.
std::string judge_of(const proto::Sample& sample);

// Throws Error naming the versions if there are several. `samples` has how many each judged.
void require_one_judge(const std::map<std::string, std::uint64_t>& samples);

}  // namespace kg::trainer
