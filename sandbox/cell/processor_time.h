#pragma once

#include <sys/types.h>

#include <vector>

namespace kg::sandbox {

// The process and the chain of children below it: bubblewrap, the cell's first process and finally a job.
std::vector<pid_t> chain_of_children(pid_t process);

// Processor time used by the process; 0 if it is gone.
double processor_seconds(pid_t process);

// How long the process wanted to run but could not, because others had the processors: the longest wait of any of its
// threads. The kernel counts it exactly (/proc/PID/schedstat), so it also covers a load that has just begun and other
// priorities, which the load average does not show. A wait that has not ended is not included. 0 if the kernel
// does not count it.
double denied_seconds(pid_t process);

// Whether a thread of the process is running or runnable, not asleep.
bool runnable(pid_t process);

}  // namespace kg::sandbox
