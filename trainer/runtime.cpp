#include "trainer/runtime.h"

#include <ATen/Parallel.h>
#include <malloc.h>
#include <sched.h>

#include <algorithm>

namespace kg::trainer {

int set_threads(int wanted) {
  if (wanted <= 0) {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    wanted = ::sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? CPU_COUNT(&allowed) : 1;
  }
  at::set_num_threads(std::max(1, wanted));
  return std::max(1, wanted);
}

void keep_freed_memory() {
  ::mallopt(M_MMAP_MAX, 0);          // large tensors come from the heap too
  ::mallopt(M_TRIM_THRESHOLD, -1);   // which is never cut
  ::mallopt(M_TOP_PAD, 64 << 20);    // and grows in steps
}

}  // namespace kg::trainer
