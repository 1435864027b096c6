#include "dataset/cot/mutator.h"

#include <cctype>
#include <sstream>

namespace kg::dataset::cot {
namespace {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& source) {
  Lines lines;
  std::istringstream in(source);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string text_of(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

bool is_comment(const std::string& line) { return trimmed(line).starts_with("//") || trimmed(line).starts_with("#"); }

}  // namespace

std::string trimmed(const std::string& line) {
  const std::size_t first = line.find_first_not_of(' ');
  return first == std::string::npos ? "" : line.substr(first);
}

bool replace_first(std::string& text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  if (at == std::string::npos) return false;
  text.replace(at, from.size(), to);
  return true;
}

bool replace_call(std::string& line, const std::string& from, const std::string& to) {
  for (std::size_t at = line.find(from + "("); at != std::string::npos; at = line.find(from + "(", at + 1)) {
    if (at > 0 &&
        (std::isalnum(static_cast<unsigned char>(line[at - 1])) != 0 || line[at - 1] == '_' || line[at - 1] == '.'))
      continue;
    line.replace(at, from.size(), to);
    return true;
  }
  return false;
}

Mutator::Mutator(const std::string& source) : lines_(lines_of(source)) {}

void Mutator::edit(const char* kind, const std::string& cause, const std::function<bool(std::string&)>& change) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < lines_.size(); ++i) {
    std::string line = lines_[i];
    if (!is_comment(line) && change(line) && line != lines_[i]) fitting.push_back(i);
  }
  if (fitting.empty()) return;
  add(kind, cause, fitting.front(), change);
  if (fitting.back() != fitting.front()) add(kind, cause, fitting.back(), change);
}

void Mutator::remove(const char* kind, const std::string& cause, const std::function<bool(const std::string&)>& which) {
  std::vector<std::size_t> fitting;
  for (std::size_t i = 0; i < lines_.size(); ++i)
    if (!is_comment(lines_[i]) && which(lines_[i])) fitting.push_back(i);
  if (fitting.empty()) return;
  for (const std::size_t at : {fitting.front(), fitting.back()}) {
    Lines rest = lines_;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(at));
    made_.push_back({kind, text_of(rest), static_cast<int>(at) + 1, trimmed(lines_[at]), "", cause});
    if (fitting.size() == 1) break;
  }
}

void Mutator::add(const char* kind, const std::string& cause, std::size_t at,
                  const std::function<bool(std::string&)>& change) {
  Lines changed = lines_;
  change(changed[at]);
  made_.push_back({kind, text_of(changed), static_cast<int>(at) + 1, trimmed(lines_[at]), trimmed(changed[at]), cause});
}

}  // namespace kg::dataset::cot
