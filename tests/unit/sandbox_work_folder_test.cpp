// Scratch folders of sandboxes that start at the same time: none removes another's.
#include <gtest/gtest.h>

#include <thread>
#include <vector>

#include "sandbox/cell/work_folder.h"

namespace kg::sandbox {
namespace {

TEST(WorkFolder, IsNotTakenForAbandonedWhileItIsMade) {
  std::vector<std::jthread> sandboxes;
  for (int i = 0; i < 8; ++i)
    sandboxes.emplace_back([] {
      for (int round = 0; round < 100; ++round) {
        const WorkFolder folder;
        EXPECT_TRUE(fs::exists(folder.compile()));
        EXPECT_TRUE(fs::exists(folder.path() / "lock"));
      }
    });
}

}  // namespace
}  // namespace kg::sandbox
