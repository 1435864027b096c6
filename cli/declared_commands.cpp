#include "cli/declared_commands.h"

#include <sstream>

#include "base/child_process.h"
#include "base/error.h"
#include "base/file.h"

namespace kg::cli {
namespace {

std::string trimmed(const std::string& text, const char* off = " ") {
  const std::size_t begin = text.find_first_not_of(off), end = text.find_last_not_of(off);
  return begin == std::string::npos ? "" : text.substr(begin, end - begin + 1);
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

// The cells of a row of a table; "\|" is a stroke inside one.
std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> all{""};
  for (std::size_t i = 1; i + 1 < row.size(); ++i) {
    if (row[i] == '\\' && row[i + 1] == '|')
      all.back() += row[++i];
    else if (row[i] == '|')
      all.emplace_back();
    else
      all.back() += row[i];
  }
  for (std::string& cell : all) cell = replaced(trimmed(cell), "&lt;", "<");
  return all;
}

DeclaredOption option_of(const std::vector<std::string>& row) {
  DeclaredOption option{.name = trimmed(row[0], "`"), .standard = trimmed(row[2], "`"), .meaning = row[3]};
  option.positional = !option.name.starts_with("--");
  if (!option.positional) option.name = option.name.substr(2);
  if (row[1].find('`') == std::string::npos) {
    option.kind = row[1];
    return option;
  }
  std::istringstream words(row[1]);
  for (std::string word; std::getline(words, word, ',');)
    if (word = trimmed(word); word.starts_with("`")) option.choices.push_back(trimmed(word, "`"));
  return option;
}

}  // namespace

std::vector<DeclaredCommand> parse_reference(const std::string& page) {
  std::vector<DeclaredCommand> commands;
  std::istringstream lines(page);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("## kgtrain ")) {
      commands.push_back({.name = line.substr(11)});
    } else if (commands.empty() || line.empty()) {
      continue;
    } else if (line.starts_with("| `")) {
      if (const std::vector<std::string> row = cells(line); row.size() == 4)
        commands.back().options.push_back(option_of(row));
    } else if (commands.back().summary.empty() && line[0] != '|') {
      commands.back().summary = replaced(line, "&lt;", "<");
    }
  }
  return commands;
}

std::vector<DeclaredCommand> declared_commands() {
  const fs::path program = program_folder() / "kgtrain";
  const FinishedChild child = run_child({.words = {program.string(), "--reference"}, .output = ChildCommand::kPipe});
  if (!child.end.success())
    throw Error("kgtrain --reference failed", program.string(), "kgtrain doctor", Error::Kind::kFailed);
  return parse_reference(child.output);
}

}  // namespace kg::cli
