#pragma once

namespace kg::trainer {

// From here on the first SIGINT or SIGTERM asks the run to write a checkpoint and end (Slurm preemption); a second
// SIGINT ends the process at once.
void watch_stop_signals();
bool stop_requested();
// The exit status of a run that was stopped: 128 + signal, so that a chain of commands does not go on as if it were
// done.
int stop_status();

}  // namespace kg::trainer
