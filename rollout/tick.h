#pragma once

namespace kg::rollout {

// How long a loop waits for a message before it looks whether it is to stop.
inline constexpr int kTickMilliseconds = 200;

}  // namespace kg::rollout
