#pragma once

#include <chrono>
#include <cstdint>

namespace kg {

// Monotonic seconds since an arbitrary point: for durations and deadlines.
inline double monotonic_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Microseconds since the Unix epoch: for records.
inline std::int64_t epoch_microseconds() {
  return std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

}  // namespace kg
