#include <cstdio>
#include <fstream>

#include "tests/coverage/page.h"
#include "tests/coverage/table.h"

// Writes docs/reference/ascend-c-coverage.md; with --check it only says whether the file is up to date. Fails where a
// table names a test that does not hold what the table says.
//
//   ascendc_coverage <source folder> [--check]
int main(int argc, char** argv) {
  using namespace kg::npu::coverage;
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <source folder> [--check]\n", argv[0]);
    return 2;
  }
  const std::filesystem::path source = argv[1], file = source / "docs/reference/ascend-c-coverage.md";
  const Page page = coverage_page(source);
  for (const std::string& error : page.errors) std::fprintf(stderr, "%s\n", error.c_str());
  if (argc > 2 && std::string(argv[2]) == "--check") {
    if (text_of(file) == page.text) return page.errors.empty() ? 0 : 1;
    std::fprintf(stderr, "%s is out of date: cmake --build build/sandbox --target ascendc_coverage_update\n",
                 file.c_str());
    return 1;
  }
  std::ofstream(file, std::ios::binary) << page.text;
  return page.errors.empty() ? 0 : 1;
}
