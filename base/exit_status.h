#pragma once

namespace kg {

// The exit status of a command that SIGTERM stopped before its work was done: started again, it continues where it was.
// A job's script requeues the job on it. The value is EX_TEMPFAIL of sysexits.h.
inline constexpr int kStoppedStatus = 75;

}  // namespace kg
