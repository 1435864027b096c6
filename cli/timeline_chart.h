#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kg::cli {

// One core of a Chrome trace of the emulated NPU as inline SVG: a row for each pipe, a bar for each instruction,
// hatched where a pipe waits for another. Times in microseconds of the device, the launch not counted. The first
// kMostBars events.
inline constexpr int kMostBars = 2500;
std::string timeline_chart(const nlohmann::json& trace, int core);

// The core whose events end last.
int slowest_core(const nlohmann::json& trace);

}  // namespace kg::cli
