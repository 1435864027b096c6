#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kg::npu::coverage {

std::string text_of(const std::filesystem::path& file);

// The rows of a comma-separated file behind its heading; a cell with commas stands in quotes.
std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file);

std::vector<std::string> words_of(const std::string& text);  // apart by spaces

}  // namespace kg::npu::coverage
