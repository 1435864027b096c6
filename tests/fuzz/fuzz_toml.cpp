#include "base/error.h"
#include "base/options.h"
#include "tests/fuzz/fuzz_file.h"

// The configuration file of a command with an option of every kind.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bool flag = false;
  int whole = 1;
  std::int64_t large = 2;
  std::uint64_t seed = 3;
  double number = 0.5;
  std::string text, name;
  std::vector<std::string> list;
  kg::Options options("kgtrain fuzz", "a command");
  options.add("flag", flag, "f")
      .add("whole", whole, "w")
      .range(0, 10)
      .add("large", large, "l")
      .add("seed", seed, "s")
      .add("number", number, "n")
      .add("text", text, "t")
      .choices({"", "a", "b"})
      .add("list", list, "l")
      .positional("NAME", name, "n", false);
  const kg::testing::FuzzFile file(data, size);
  const std::string config = file.path();
  const char* words[] = {"fuzz", "--config", config.c_str()};
  try {
    options.parse(3, words);
  } catch (const kg::Error&) {
  }
  return 0;
}
