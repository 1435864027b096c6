#pragma once

#include <spdlog/spdlog.h>

#include <string>

namespace kg {

// Log lines go to stderr as "12:34:56.789 program level message"; the level comes from $KGTRAIN_LOG (default "info").
// Call once, first thing in main. Use spdlog::info and its siblings afterwards.
void start_logging(const std::string& program);

}  // namespace kg
