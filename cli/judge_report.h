#pragma once

#include <string>

#include "cli/cycle_summary.h"
#include "proto/verdict.pb.h"

namespace kg::cli {

// One judged kernel as a self-contained page: verdict, cycles, faults at their lines of the source,
// timeline. `trace` is the Chrome trace of its first case, empty if there is none; `cycles` is null if it did not run.
std::string judge_report(const proto::Verdict& verdict, const std::string& kernel, const std::string& trace,
                         const CycleSummary* cycles);

}  // namespace kg::cli
