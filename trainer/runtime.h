#pragma once

#include <string>

namespace kg::trainer {

// Sets the number of computing threads (0: one for each core that this process may use) and returns it. A run records it, because
// sums are cut by thread: the same count gives the same bits.
int set_threads(int wanted);

// Keeps freed memory in the process. Activations are allocated and freed by the gigabyte in every step; handed back to the
// system each time, they cost a million page faults a step.
void keep_freed_memory();

}  // namespace kg::trainer
