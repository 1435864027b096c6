#include "evaluation/table_text.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <sstream>

namespace kg::evaluation {
namespace {

// The cells of one row, each after its column's name, in lines of at most `columns`.
std::string folded(const std::vector<std::string>& names, const std::vector<std::string>& row, std::size_t columns) {
  std::string text = row.front() + "\n", line = "  ";
  for (std::size_t i = 1; i < row.size(); ++i) {
    const std::string cell = names[i] + " " + row[i];
    if (line.size() > 2 && line.size() + cell.size() + 2 > columns) {
      text += line + "\n";
      line = "  ";
    }
    line += (line.size() > 2 ? ", " : "") + cell;
  }
  return text + line + "\n";
}

}  // namespace

std::string table_text(const std::vector<std::vector<std::string>>& rows, int columns) {
  std::vector<std::size_t> widths(rows.front().size(), 0);
  for (const auto& row : rows)
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], row[i].size());
  std::size_t whole = 0;
  for (const std::size_t width : widths) whole += width + 2;
  std::string text;
  if (columns > 0 && whole > static_cast<std::size_t>(columns) + 2) {
    for (std::size_t i = 1; i < rows.size(); ++i)
      text += folded(rows.front(), rows[i], static_cast<std::size_t>(columns));
    return text;
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i)
      text += i == 0 ? fmt::format("{:<{}}", row[i], widths[i]) : fmt::format("  {:>{}}", row[i], widths[i]);
    text += "\n";
  }
  return text;
}

std::string wrapped_text(const std::string& text, int columns) {
  if (columns <= 0) return text;
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line); out += "\n") {
    std::istringstream words(line);
    std::size_t at = 0;
    for (std::string word; words >> word; at += word.size()) {
      if (at > 0 && at + 1 + word.size() > static_cast<std::size_t>(columns)) {
        out += "\n";
        at = 0;
      }
      if (at > 0) {
        out += " ";
        ++at;
      }
      out += word;
    }
  }
  return out;
}

}  // namespace kg::evaluation
