#pragma once

namespace kg {

// Of a command that SIGTERM stopped before its work was done: started again, it goes on from where it was. A job's
// script requeues itself on it. It is EX_TEMPFAIL of sysexits.h.
inline constexpr int kStoppedStatus = 75;

}  // namespace kg
