#pragma once

#include <functional>
#include <string>

#include "proto/sandbox.pb.h"

namespace kg::sandbox {

// Calls f(entry) for each entry of a profile that has a line.
template <typename F>
void for_each_place(proto::CycleProfile& profile, const F& f) {
  for (proto::CycleProfile::Line& line : *profile.mutable_lines()) f(line);
  for (proto::CycleProfile::Pipe& pipe : *profile.mutable_pipes())
    for (proto::CycleProfile::Wait& wait : *pipe.mutable_waits()) f(wait);
}

// Maps a profile, and a timeline, of a generated text back to the lines of the text that it was generated
// from. Several lines may become one.
void place_profile(proto::CycleProfile& profile, const std::function<int(int)>& line_of);
std::string placed_timeline(const std::string& timeline_json, const std::function<int(int)>& line_of);

}  // namespace kg::sandbox
