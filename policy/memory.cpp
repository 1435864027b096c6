#include "policy/memory.h"

#include <malloc.h>

namespace kg::policy {

#if defined(__GLIBC__)

void keep_freed_memory() {
  // By default every block above a threshold is a map of its own, undone when freed, and the free top of the heap is
  // given back.
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
  mallopt(M_TOP_PAD, 64 << 20);
}

bool release_freed_memory_beyond(std::size_t bytes) {
  if (mallinfo2().fordblks <= bytes) return false;
  return malloc_trim(/*pad=*/64 << 20) != 0;
}

#else

void keep_freed_memory() {}
bool release_freed_memory_beyond(std::size_t) { return false; }

#endif

}  // namespace kg::policy
