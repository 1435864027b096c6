#include "sandbox/programs/profile_lines.h"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <utility>

namespace kg::sandbox {
namespace {

void merge_lines(proto::CycleProfile& profile) {
  std::map<std::pair<int, std::string>, proto::CycleProfile::Line> merged;
  for (const proto::CycleProfile::Line& line : profile.lines()) {
    proto::CycleProfile::Line& sum = merged[{line.line(), line.pipe()}];
    sum.set_line(line.line());
    sum.set_pipe(line.pipe());
    sum.set_busy(sum.busy() + line.busy());
    sum.set_instructions(sum.instructions() + line.instructions());
  }
  profile.clear_lines();
  for (auto& [place, line] : merged) *profile.add_lines() = std::move(line);
  std::stable_sort(profile.mutable_lines()->begin(), profile.mutable_lines()->end(),
                   [](const auto& a, const auto& b) { return a.busy() > b.busy(); });
}

void merge_waits(proto::CycleProfile::Pipe& pipe) {
  std::map<std::pair<int, std::string>, double> merged;
  for (const proto::CycleProfile::Wait& wait : pipe.waits()) merged[{wait.line(), wait.on()}] += wait.cycles();
  pipe.clear_waits();
  for (const auto& [place, cycles] : merged) {
    proto::CycleProfile::Wait& wait = *pipe.add_waits();
    wait.set_line(place.first);
    wait.set_on(place.second);
    wait.set_cycles(cycles);
  }
  std::stable_sort(pipe.mutable_waits()->begin(), pipe.mutable_waits()->end(),
                   [](const auto& a, const auto& b) { return a.cycles() > b.cycles(); });
}

}  // namespace

void place_profile(proto::CycleProfile& profile, const std::function<int(int)>& line_of) {
  for_each_place(profile, [&](auto& entry) { entry.set_line(line_of(entry.line())); });
  merge_lines(profile);
  for (proto::CycleProfile::Pipe& pipe : *profile.mutable_pipes()) merge_waits(pipe);
}

std::string placed_timeline(const std::string& timeline_json, const std::function<int(int)>& line_of) {
  const std::string mark = "\"line\":";
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = timeline_json.find(mark); at != std::string::npos; at = timeline_json.find(mark, done)) {
    at += mark.size();
    char* end = nullptr;
    const long line = std::strtol(timeline_json.c_str() + at, &end, 10);
    result.append(timeline_json, done, at - done);
    result += std::to_string(line_of(static_cast<int>(line)));
    done = static_cast<std::size_t>(end - timeline_json.c_str());
  }
  return result + timeline_json.substr(done);
}

}  // namespace kg::sandbox
