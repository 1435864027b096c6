#pragma once

#include <string>

#include "proto/verdict.pb.h"

namespace kg::cli {

// One judged kernel as a self-contained page: verdict, faults beside the source, timeline. `trace` is the Chrome trace
// of its first case, empty if there is none.
std::string judge_report(const proto::Verdict& verdict, const std::string& kernel, const std::string& trace);

}  // namespace kg::cli
