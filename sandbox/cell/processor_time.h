#pragma once

#include <sys/types.h>

#include <vector>

namespace kg::sandbox {

// The process, and the chain of children below it: bubblewrap, the cell's first process and, last, a job.
std::vector<pid_t> chain_of_children(pid_t process);

// Processor time that the process has had; 0 if it has gone.
double processor_seconds(pid_t process);

// How long the process wanted to run and did not, since others had the processors: of its threads, the one that waited
// longest. The kernel counts it exactly (/proc/PID/schedstat), so it holds for a load that has just come, and for other
// priorities, neither of which the load average tells. A wait that has not ended is not in it yet. 0 where the kernel
// does not count it.
double denied_seconds(pid_t process);

// Whether a thread of the process runs, or would if it had a processor: it does not sleep.
bool runnable(pid_t process);

}  // namespace kg::sandbox
