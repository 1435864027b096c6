#pragma once

namespace kg {

// From here on SIGINT and SIGTERM do not end the process: they make the returned descriptor readable, for a loop that
// polls it.
int stop_event();

}  // namespace kg
