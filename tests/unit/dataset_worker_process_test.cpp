#include <gtest/gtest.h>

#include <cstdlib>
#include <sstream>
#include <thread>

#include "dataset/benchmarks/worker_process.h"

namespace kg::dataset::benchmarks {
namespace {

constexpr int kCallers = 6;

// Stands in for `python3 -m venv FOLDER` and for that environment's `python -m pip install`, and tells its calls. The
// installation takes until all callers have come.
constexpr const char* kPython = R"sh(#!/bin/sh
echo "$2" >> "$KG_TEST_FOLDER/calls"
if [ "$2" = venv ]; then
  mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
else
  while [ "$(ls "$KG_TEST_FOLDER/callers" | wc -l)" -lt "$KG_TEST_CALLERS" ]; do sleep 0.02; done
fi
)sh";

// Two imports that began at once made one environment over each other.
TEST(OwnPython, ManyWhoWantItAtOnceMakeItOnce) {
  const TemporaryFolder folder;
  const fs::path python = folder.path() / "python3";
  write_file_atomically(python, kPython);
  fs::permissions(python, fs::perms::owner_all);
  fs::create_directory(folder.path() / "callers");
  ::unsetenv("KGTRAIN_PYTHON");
  ::setenv("KGTRAIN_HOME", (folder.path() / "home").c_str(), /*replace=*/1);
  ::setenv("KG_TEST_FOLDER", folder.path().c_str(), /*replace=*/1);
  ::setenv("KG_TEST_CALLERS", std::to_string(kCallers).c_str(), /*replace=*/1);
  ::setenv("PATH", (folder.path().string() + ":" + std::getenv("PATH")).c_str(), /*replace=*/1);

  EXPECT_FALSE(python_is_there({}));
  std::vector<std::string> found(kCallers);
  std::vector<std::thread> callers;
  for (int i = 0; i < kCallers; ++i)
    callers.emplace_back([&, i] {
      write_file_atomically(folder.path() / "callers" / std::to_string(i), "");
      found[static_cast<std::size_t>(i)] = python_of({});
    });
  for (std::thread& caller : callers) caller.join();

  EXPECT_EQ(read_file(folder.path() / "calls"), "venv\npip\n");
  for (const std::string& path : found) EXPECT_EQ(path, found[0]);
  EXPECT_TRUE(fs::exists(found[0]));
  EXPECT_TRUE(python_is_there({}));
}

}  // namespace
}  // namespace kg::dataset::benchmarks
