#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "proto/fault_class.h"

namespace {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

// Writes the generated pages of docs/reference/; with --check it only says which of them are out of date.
//
//   reference_pages <source folder> [--check]
int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: %s <source folder> [--check]\n", argv[0]);
    return 2;
  }
  const struct {
    const char* name;
    std::string text;
  } pages[] = {{"faults.md", kg::proto::faults_page()}};
  const bool check = argc > 2 && std::string(argv[2]) == "--check";
  int status = 0;
  for (const auto& page : pages) {
    const std::filesystem::path file = std::filesystem::path(argv[1]) / "docs/reference" / page.name;
    if (!check) {
      std::ofstream(file, std::ios::binary) << page.text;
    } else if (text_of(file) != page.text) {
      std::fprintf(stderr, "%s is out of date: cmake --build build/sandbox --target reference_pages_update\n",
                   file.c_str());
      status = 1;
    }
  }
  return status;
}
