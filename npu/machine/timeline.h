#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "npu/machine/pipes.h"

namespace kg::npu {

class GmTraffic;

// The activity of every pipe of every core, for people: written as a Chrome trace, which Perfetto and chrome://tracing
// can open. A process is a core, a thread one of its pipes. The trace is limited: for each core only the first events
// are kept, up to its share of kMostEvents; `otherData.cut` in the file says how many there were.
class Timeline {
 public:
  static constexpr std::size_t kMostEvents = 48000;

  // `cores` share the limit.
  void start(std::uint32_t cores);
  bool wanted() const { return per_core_ > 0; }
  void instruction(int core, const Instruction& instruction, double occupied, const char* name, int line,
                   std::uint64_t amount);
  // `pipe` was idle from `begin` until a flag, set by `from` at `end`, let it continue.
  void wait(int core, int pipe, int from, double begin, double end, const char* name, int line);

  // Chrome trace JSON, in microseconds of the device.
  std::string json(const GmTraffic& traffic) const;

 private:
  struct Event {
    enum class Kind : std::uint8_t { kInstruction, kWait };
    Kind kind = Kind::kInstruction;
    std::uint8_t pipe = 0;
    std::uint8_t from = 0;
    std::int32_t line = 0;
    const char* name = nullptr;  // static, or owned by the kernel, which stays loaded
    double begin = 0, end = 0;
    std::uint64_t amount = 0;

    std::string title() const;
  };
  struct Track {
    std::vector<Event> events;
    std::size_t seen = 0;
  };
  Track* track_for_next(int core);
  static void name_tracks(std::size_t core, const Track& track, nlohmann::json& events);
  static void add_event(std::size_t core, const Event& event, double begin, double end, nlohmann::json& events);
  static void add_arrow(std::size_t core, const Event& event, double at, std::uint64_t arrow, nlohmann::json& events);

  std::size_t per_core_ = 0;
  std::vector<Track> cores_;
};

}  // namespace kg::npu
