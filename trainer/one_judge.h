#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "proto/record.pb.h"

namespace kg::trainer {

// Verdicts of two judge versions (reward/judge_version.h) may differ for the same kernel, so no run learns from a
// mixture of them.

// The judge version of a sample's verdict, "unknown" if it was judged before there were versions, or nothing if
// no kernel of it was run.
std::string judge_of(const proto::Sample& sample);

// Throws Error with the versions if there are several. `samples` counts the samples of each.
void require_one_judge(const std::map<std::string, std::uint64_t>& samples);

}  // namespace kg::trainer
