#pragma once

namespace kg::trainer {

// From here on the first SIGINT or SIGTERM asks the run to write a checkpoint and stop (Slurm preemption); a second
// SIGINT ends the process at once.
void watch_stop_signals();
bool stop_requested();
// The exit status of a run that was stopped, so that a chain of commands does not continue as if it were done: 75 after
// SIGTERM (base/exit_status.h), 130 after SIGINT.
int stop_status();

}  // namespace kg::trainer
