#include "sandbox/programs/source_lines.h"

#include <cstdlib>

#include "base/text.h"
#include "sandbox/programs/profile_lines.h"

namespace kg::sandbox {
namespace {

constexpr int kLines = 1'000'000;  // more than a file has

// Calls change(number) for each number after `mark` that counts through the files, and replaces it by the result.
template <typename Change>
std::string changed(const std::string& text, const std::string& mark, const Change& change) {
  std::string result;
  std::size_t done = 0;
  for (std::size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at + 1)) {
    const std::size_t begin = at + mark.size();
    std::size_t end = begin;
    while (end < text.size() && is_digit(text[end])) ++end;
    if (begin < done || end - begin < 7 || end - begin > 9) continue;
    result += text.substr(done, begin - done) + change(std::atoi(text.substr(begin, end - begin).c_str()));
    done = end;
  }
  return result + text.substr(done);
}

std::string own_line(int number) { return std::to_string(number % kLines); }

const std::string* file_of(const Project& project, int number) {
  const auto file = static_cast<std::size_t>(number / kLines);
  return file >= 1 && file <= project.files.size() ? &project.files[file - 1].path : nullptr;
}

}  // namespace

std::string numbered_source(const Project& project, std::size_t file, const std::string& text) {
  const int first = static_cast<int>(file + 1) * kLines + 1;
  return "#line " + std::to_string(first) + " \"" + project.files[file].path + "\"\n" + text;
}

std::string with_own_lines(const std::string& text) { return changed(changed(text, ":", own_line), "line ", own_line); }

void place_in_files(const Project& project, proto::CaseResult& result) {
  for (proto::Fault& fault : *result.mutable_faults()) {
    std::string message = changed(fault.message(), "line ", [&](int number) {
      const std::string* const file = file_of(project, number);
      return own_line(number) + (file == nullptr ? "" : " of " + *file);
    });
    if (const std::string* const file = file_of(project, fault.line())) message = *file + ": " + message;
    fault.set_message(std::move(message));
    fault.set_line(fault.line() % kLines);
  }
  if (result.has_profile()) {
    for_each_place(*result.mutable_profile(), [&](auto& entry) {
      if (const std::string* const file = file_of(project, entry.line())) entry.set_file(*file);
      entry.set_line(entry.line() % kLines);
    });
  }
  if (!result.timeline_json().empty()) result.set_timeline_json(changed(result.timeline_json(), "\"line\":", own_line));
}

}  // namespace kg::sandbox
