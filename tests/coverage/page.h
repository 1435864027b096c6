#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kg::npu::coverage {

struct Page {
  std::string text;
  std::vector<std::string> errors;  // rows of proofs.csv that are not true
};

// docs/reference/ascend-c-coverage.md from the headers, the tests and the tables in tests/coverage.
Page coverage_page(const std::filesystem::path& source);

}  // namespace kg::npu::coverage
