#include "npu/machine/timeline.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/check.h"
#include "npu/chip.h"
#include "npu/machine/gm_traffic.h"

namespace kg::npu {
namespace {

using nlohmann::json;

const char* unit_of(int pipe) { return pipe == kV || pipe == kM ? "elements" : "bytes"; }

}  // namespace

void Timeline::start(std::uint32_t cores) {
  per_core_ = std::max<std::size_t>(kMostEvents / std::max(cores, 1u), 1);
  cores_.resize(cores);
}

Timeline::Track* Timeline::track_for_next(int core) {
  KG_CHECK_GE(core, 0);
  if (static_cast<std::size_t>(core) >= cores_.size()) cores_.resize(static_cast<std::size_t>(core) + 1);
  Track& track = cores_[static_cast<std::size_t>(core)];
  return track.seen++ < per_core_ ? &track : nullptr;
}

void Timeline::instruction(int core, const Instruction& instruction, double occupied, const char* name, int line,
                           std::uint64_t amount) {
  if (occupied <= 0) return;  // a flag: seen where somebody waits for it
  if (Track* track = track_for_next(core))
    track->events.push_back({.pipe = static_cast<std::uint8_t>(instruction.pipe),
                             .line = line,
                             .name = name,
                             .begin = instruction.start,
                             .end = instruction.start + occupied,
                             .amount = amount});
}

void Timeline::wait(int core, int pipe, int from, double begin, double end, const char* name, int line) {
  if (end <= begin) return;
  if (Track* track = track_for_next(core))
    track->events.push_back({.kind = Event::Kind::kWait,
                             .pipe = static_cast<std::uint8_t>(pipe),
                             .from = static_cast<std::uint8_t>(from),
                             .line = line,
                             .name = name,
                             .begin = begin,
                             .end = end});
}

// Names the core's process and the thread of each pipe that did something.
void Timeline::name_tracks(std::size_t core, const Track& track, nlohmann::json& events) {
  events.push_back(
      {{"ph", "M"}, {"name", "process_name"}, {"pid", core}, {"args", {{"name", "core " + std::to_string(core)}}}});
  bool used[kPipes] = {};
  for (const Event& event : track.events) {
    KG_CHECK(is_pipe(event.pipe));
    KG_CHECK_LE(event.begin, event.end);
    used[event.pipe] = true;
  }
  for (int pipe = 0; pipe < kPipes; ++pipe) {
    if (!used[pipe]) continue;
    events.push_back(
        {{"ph", "M"}, {"name", "thread_name"}, {"pid", core}, {"tid", pipe}, {"args", {{"name", pipe_name(pipe)}}}});
    events.push_back(
        {{"ph", "M"}, {"name", "thread_sort_index"}, {"pid", core}, {"tid", pipe}, {"args", {{"sort_index", pipe}}}});
  }
}

// `begin` and `end` in microseconds of the device.
void Timeline::add_event(std::size_t core, const Event& event, double begin, double end, nlohmann::json& events) {
  const bool waits = event.kind == Event::Kind::kWait;
  nlohmann::json arguments = {{"line", event.line}, {"cycles", event.end - event.begin}};
  if (waits)
    arguments["for"] = pipe_name(event.from);
  else if (event.amount > 0)
    arguments[unit_of(event.pipe)] = event.amount;
  events.push_back({{"ph", "X"},
                    {"name", event.title()},
                    {"cat", waits ? "wait" : "instruction"},
                    {"pid", core},
                    {"tid", event.pipe},
                    {"ts", begin},
                    {"dur", end - begin},
                    {"args", std::move(arguments)}});
}

// From the pipe that set a flag to the one that waited for it.
void Timeline::add_arrow(std::size_t core, const Event& event, double at, std::uint64_t arrow, nlohmann::json& events) {
  events.push_back({{"ph", "s"},
                    {"name", event.title()},
                    {"cat", "flag"},
                    {"id", arrow},
                    {"pid", core},
                    {"tid", event.from},
                    {"ts", at}});
  events.push_back({{"ph", "f"},
                    {"bp", "e"},
                    {"name", event.title()},
                    {"cat", "flag"},
                    {"id", arrow},
                    {"pid", core},
                    {"tid", event.pipe},
                    {"ts", at}});
}

std::string Timeline::Event::title() const {
  return name != nullptr ? name : std::string("instruction of ") + pipe_name(pipe);
}

std::string Timeline::json(const GmTraffic& traffic) const {
  const auto microseconds = [&](double cycles) { return traffic.stretched(cycles) / chip::kHertz * 1e6; };
  nlohmann::json events = nlohmann::json::array();
  std::size_t shown = 0, seen = 0;
  std::uint64_t arrow = 0;
  for (std::size_t core = 0; core < cores_.size(); ++core) {
    const Track& track = cores_[core];
    KG_CHECK_LE(track.events.size(), std::min(track.seen, per_core_));
    shown += track.events.size();
    seen += track.seen;
    name_tracks(core, track, events);
    for (const Event& event : track.events) {
      const double begin = microseconds(event.begin), end = microseconds(event.end);
      add_event(core, event, begin, end, events);
      if (event.kind == Event::Kind::kWait && event.from != event.pipe) add_arrow(core, event, end, ++arrow, events);
    }
  }
  nlohmann::json other = {{"clock_hertz", chip::kHertz}, {"launch_microseconds", chip::kLaunch / chip::kHertz * 1e6}};
  if (shown < seen)
    other["cut"] = "the first " + std::to_string(shown) + " of " + std::to_string(seen) + " events are shown, " +
                   std::to_string(per_core_) + " of a core at most";
  return nlohmann::json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}, {"otherData", std::move(other)}}
      .dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace kg::npu
