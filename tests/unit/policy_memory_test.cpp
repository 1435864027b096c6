#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <memory>

#include "policy/model/memory.h"

namespace kg::policy {
namespace {

long page_faults() {
  struct rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return usage.ru_minflt;
}

void use(std::size_t bytes) {
  const std::unique_ptr<char[]> block(new char[bytes]);
  std::memset(block.get(), 1, bytes);
  asm volatile("" : : "r"(block.get()) : "memory");
}

TEST(Memory, FreedBlocksAreUsedAgainWithoutPageFaultsAndGivenBackBeyondTheBound) {
  constexpr std::size_t kBytes = 256 << 20;
  use(kBytes);
  const long before = page_faults();
  for (int i = 0; i < 4; ++i) use(kBytes);
  EXPECT_LT(page_faults() - before, 1000);  // 65,536 pages each time otherwise
  EXPECT_FALSE(release_freed_memory_beyond(kBytes * 4));
  EXPECT_TRUE(release_freed_memory_beyond(kBytes / 2));
  EXPECT_FALSE(release_freed_memory_beyond(kBytes / 2));
}

}  // namespace
}  // namespace kg::policy
