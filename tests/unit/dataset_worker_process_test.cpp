#include <gtest/gtest.h>

#include <cstdlib>
#include <thread>

#include "dataset/benchmarks/worker_process.h"

namespace kg::dataset::benchmarks {
namespace {

// Stands in for `python3 -m venv FOLDER` and for that environment's `python -m pip install`, and tells its calls. The
// installation takes until all callers have come. `python -c` asks whether PyTorch's own index can be reached.
constexpr const char* kPython = R"sh(#!/bin/sh
if [ "$1" = -c ]; then exit "$KG_TEST_INDEX"; fi
echo "$2" >> "$KG_TEST_FOLDER/calls"
echo "$@" >> "$KG_TEST_FOLDER/words"
if [ "$2" = venv ]; then
  mkdir -p "$3/bin" && cp "$0" "$3/bin/python"
else
  while [ "$(ls "$KG_TEST_FOLDER/callers" | wc -l)" -lt "$KG_TEST_CALLERS" ]; do sleep 0.02; done
fi
)sh";

class OwnPython : public ::testing::Test {
 protected:
  OwnPython() {
    const fs::path python = folder_.path() / "python3";
    write_file_atomically(python, kPython);
    fs::permissions(python, fs::perms::owner_all);
    fs::create_directory(folder_.path() / "callers");
    ::unsetenv("KGTRAIN_PYTHON");
    ::setenv("KGTRAIN_HOME", (folder_.path() / "home").c_str(), /*replace=*/1);
    ::setenv("KG_TEST_FOLDER", folder_.path().c_str(), /*replace=*/1);
    ::setenv("PATH", (folder_.path().string() + ":" + std::getenv("PATH")).c_str(), /*replace=*/1);
  }

  std::vector<std::string> found_by(int callers, bool index_is_reached) {
    ::setenv("KG_TEST_CALLERS", std::to_string(callers).c_str(), /*replace=*/1);
    ::setenv("KG_TEST_INDEX", index_is_reached ? "0" : "1", /*replace=*/1);
    std::vector<std::string> found(static_cast<std::size_t>(callers));
    std::vector<std::thread> threads;
    for (int i = 0; i < callers; ++i)
      threads.emplace_back([&, i] {
        write_file_atomically(folder_.path() / "callers" / std::to_string(i), "");
        found[static_cast<std::size_t>(i)] = python_of({});
      });
    for (std::thread& thread : threads) thread.join();
    return found;
  }

  std::string told(const char* what) const { return read_file(folder_.path() / what); }

 private:
  TemporaryFolder folder_;
};

// Two imports that began at once made one environment over each other.
TEST_F(OwnPython, ManyWhoWantItAtOnceMakeItOnce) {
  EXPECT_FALSE(python_is_there({}));
  const std::vector<std::string> found = found_by(/*callers=*/6, /*index_is_reached=*/false);
  EXPECT_EQ(told("calls"), "venv\npip\n");
  for (const std::string& path : found) EXPECT_EQ(path, found[0]);
  EXPECT_TRUE(fs::exists(found[0]));
  EXPECT_TRUE(python_is_there({}));
  EXPECT_EQ(told("words").find("--extra-index-url"), std::string::npos);
}

TEST_F(OwnPython, PyTorchWithoutNvidiasLibrariesIsTakenWhereItsIndexIsReached) {
  found_by(/*callers=*/1, /*index_is_reached=*/true);
  EXPECT_NE(told("words").find("--extra-index-url https://download.pytorch.org/whl/cpu -r "), std::string::npos);
}

}  // namespace
}  // namespace kg::dataset::benchmarks
