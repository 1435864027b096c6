#include "policy/model/memory.h"

#include <jemalloc/jemalloc.h>

#include <cstdint>

#include "base/check.h"

// Read by jemalloc before main: freed pages are kept (a decay of -1), those of blocks above 8 MiB like all others.
extern "C" {
const char* malloc_conf = "dirty_decay_ms:-1,muzzy_decay_ms:-1,oversize_threshold:0";
}

#define KG_QUOTED(x) #x
#define KG_ALL_ARENAS(x) "arena." KG_QUOTED(x) ".purge"

namespace kg::policy {
namespace {

std::size_t statistic(const char* name) {
  std::size_t value = 0, size = sizeof value;
  KG_CHECK_EQ(mallctl(name, &value, &size, nullptr, 0), 0);
  return value;
}

}  // namespace

bool release_freed_memory_beyond(std::size_t bytes) {
  std::uint64_t epoch = 1;  // statistics are of the moment when it was last written
  KG_CHECK_EQ(mallctl("epoch", nullptr, nullptr, &epoch, sizeof epoch), 0);
  const std::size_t resident = statistic("stats.resident"), used = statistic("stats.active");
  if (resident <= used || resident - used <= bytes) return false;
  return mallctl(KG_ALL_ARENAS(MALLCTL_ARENAS_ALL), nullptr, nullptr, nullptr, 0) == 0;
}

}  // namespace kg::policy
