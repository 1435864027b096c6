#include <cstdio>
#include <string>

#include "base/file.h"
#include "reward/code_hash.h"

// Part of the build: writes a header with a hash of each part of the source that decides a verdict (judge_version.h).
// The hash depends on names below the root and on code alone, so that two checkouts of one commit agree.
//
//   judge_sources <root> <header> <folder or file>...
namespace kg::reward {
namespace {

int run(int argc, char** argv) {
  if (argc < 4) {
    std::fprintf(stderr, "usage: %s <root> <header> <folder or file>...\n", argv[0]);
    return 2;
  }
  std::string text = "#pragma once\n\ninline constexpr const char* kJudgeSources[][2] = {\n";
  for (int i = 3; i < argc; ++i)
    text += std::string("    {\"") + argv[i] + "\", \"" + code_hash(argv[1], argv[i]) + "\"},\n";
  text += "};\n";
  // Left untouched if unchanged, so that nothing is compiled again.
  if (!fs::exists(argv[2]) || read_file(argv[2]) != text) write_file_atomically(argv[2], text);
  return 0;
}

}  // namespace
}  // namespace kg::reward

int main(int argc, char** argv) { return kg::reward::run(argc, argv); }
