// Locks of files: one holder, others are told who it is, or wait.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <optional>
#include <thread>

#include "base/error.h"
#include "base/file.h"

namespace kg {
namespace {

TEST(FileLock, TellsWhoHoldsIt) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  std::optional<FileLock> first(std::in_place, path, "the data set");
  try {
    const FileLock second(path, "the data set");
    FAIL() << "locked twice";
  } catch (const Error& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("in use by process " + std::to_string(::getpid())));
  }
  first.reset();
  EXPECT_NO_THROW(FileLock(path, "the data set"));
}

TEST(FileLock, KnowsWhetherItsFileIsStillThere) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  const FileLock lock(path, "the data set");
  EXPECT_TRUE(lock.is_of(path));
  fs::remove(path);
  EXPECT_FALSE(lock.is_of(path));
  const FileLock newer(path, "the data set");
  EXPECT_TRUE(newer.is_of(path));
  EXPECT_FALSE(lock.is_of(path));
}

TEST(WaitingLock, IsTakenWhenTheOtherHolderLetsGo) {
  const TemporaryFolder folder;
  const fs::path path = folder.path() / "lock";
  std::optional<WaitingLock> held(std::in_place, path);
  std::atomic<bool> let_go{false};
  std::thread other([&] {
    const WaitingLock lock(path);
    EXPECT_TRUE(let_go);
  });
  let_go = true;
  held.reset();
  other.join();
}

}  // namespace
}  // namespace kg
