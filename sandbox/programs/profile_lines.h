#pragma once

#include <functional>
#include <string>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// Maps a profile, and a timeline, of a generated text back to the lines of the text that it was generated
// from. Several lines may become one.
void place_profile(proto::CycleProfile& profile, const std::function<int(int)>& line_of);
std::string placed_timeline(const std::string& timeline_json, const std::function<int(int)>& line_of);

}  // namespace kg::sandbox
