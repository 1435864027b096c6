#pragma once

#include <functional>
#include <string>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// A profile, and a timeline, of a text whose lines another program wrote: with the lines of the text that it was
// written from. Several lines may become one.
void place_profile(proto::CycleProfile& profile, const std::function<int(int)>& line_of);
std::string placed_timeline(const std::string& timeline_json, const std::function<int(int)>& line_of);

}  // namespace kg::sandbox
