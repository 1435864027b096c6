#include "tests/coverage/table.h"

#include <fstream>
#include <iterator>
#include <sstream>

namespace kg::npu::coverage {

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<std::vector<std::string>> rows_of(const std::filesystem::path& file) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream lines(text_of(file));
  std::string line;
  for (std::getline(lines, line); std::getline(lines, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (line.empty()) continue;
    std::vector<std::string> row(1);
    bool quoted = false;
    for (const char c : line) {
      if (c == '"')
        quoted = !quoted;
      else if (c == ',' && !quoted)
        row.emplace_back();
      else
        row.back() += c;
    }
    rows.push_back(row);
  }
  return rows;
}

std::vector<std::string> words_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

}  // namespace kg::npu::coverage
