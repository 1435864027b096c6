#include "trainer/runtime.h"

#include <ATen/Parallel.h>
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

}  // namespace kg::trainer
