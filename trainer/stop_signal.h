#pragma once

namespace kg::trainer {

// From here on the first SIGINT or SIGTERM asks the run to write a checkpoint and end (Slurm preemption); a second SIGINT
// ends the process at once.
void watch_stop_signals();
bool stop_requested();

}  // namespace kg::trainer
