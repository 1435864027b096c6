#include <cstdio>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/file.h"
#include "tests/reference/chip_page.h"

// Writes docs/reference/chip.md and the table of section "Time" in docs/design/emulated-npu.md from npu/chip.h; with
// --check it only says whether they are up to date.
//
//   chip_page <source folder> [--check]
int main(int argc, char** argv) try {
  using namespace kg::npu::reference;
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <source folder> [--check]\n", argv[0]);
    return 2;
  }
  const std::string docs = std::string(argv[1]) + "/docs/", emulated = docs + "design/emulated-npu.md";
  const std::vector<std::pair<std::string, std::string>> pages = {
      {docs + "reference/chip.md", chip_page()},
      {emulated, with_section(kg::read_file(emulated), "time, from npu/chip.h", time_table())}};
  const bool checks = argc > 2 && std::string(argv[2]) == "--check";
  int status = 0;
  for (const auto& [file, text] : pages) {
    if (!checks) {
      std::ofstream(file, std::ios::binary) << text;
    } else if (kg::read_file(file) != text) {
      std::fprintf(stderr, "%s is out of date: cmake --build build/sandbox --target chip_page_update\n", file.c_str());
      status = 1;
    }
  }
  return status;
} catch (const kg::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
