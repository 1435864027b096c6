#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace kg::cli {

// One core of the emulated NPU's Chrome trace as inline SVG: a row for each pipe, a bar for each instruction,
// hatched where a pipe waits for another one. Times in microseconds of the device, without the launch. Only the first
// kMostBars events.
inline constexpr int kMostBars = 2500;
std::string timeline_chart(const nlohmann::json& trace, int core);

// The core that ends last.
int slowest_core(const nlohmann::json& trace);

}  // namespace kg::cli
