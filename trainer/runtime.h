#pragma once

namespace kg::trainer {

// Sets the number of computing threads (0: one for each core that this process may use) and returns it. A run records
// it, because sums are split by thread: the same number of threads gives the same bits.
int set_threads(int wanted);

}  // namespace kg::trainer
