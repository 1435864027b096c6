#include "cli/verdict_text.h"

#include <cstdio>
#include <sstream>
#include <string>

#include "proto/message_json.h"

namespace kg::cli {
namespace {

constexpr std::size_t kMostColumns = 100;

std::string skipped_text(const proto::NumbersVerdict& numbers) {
  return numbers.skipped().empty() ? "" : " (not applied to " + numbers.skipped() + ")";
}

// "    7 |   store z[t] = a" and a line of carets below what is not blank, or one below `column` (from 1).
std::string marked_line(const std::string& kernel, int number, int column = 0) {
  if (number <= 0) return "";
  std::istringstream lines(kernel);
  std::string line;
  for (int at = 0; at < number; ++at)
    if (!std::getline(lines, line)) return "";
  while (!line.empty() && (line.back() == ' ' || line.back() == '\r' || line.back() == '\t')) line.pop_back();
  if (line.size() > kMostColumns) line.resize(kMostColumns);
  std::string carets;
  for (const char c : line) carets += c == '\t' ? '\t' : carets.find('^') == std::string::npos && c == ' ' ? ' ' : '^';
  if (column > static_cast<int>(line.size()) + 1) return "";  // beyond the shown part
  if (column > 0) {
    carets.resize(line.size() + 1, ' ');
    for (std::size_t i = 0; i < carets.size(); ++i)
      if (i == line.size() || line[i] != '\t') carets[i] = static_cast<int>(i) + 1 == column ? '^' : ' ';
    carets.resize(static_cast<std::size_t>(column));
  }
  const std::string margin = std::to_string(number);
  return "  " + margin + " | " + line + "\n  " + std::string(margin.size(), ' ') + " | " + carets + "\n";
}

// The compiler's messages: the user's name of the file, and each error's line marked.
std::string named_messages(const std::string& messages, const std::string& kernel, const std::string& file) {
  std::istringstream lines(messages);
  std::string text;
  for (std::string line; std::getline(lines, line);) {
    int number = 0, column = 0;
    for (const std::string_view name : {"kernel.cpp", "kernel.dsl"}) {
      if (!line.starts_with(name) || line.size() <= name.size() || line[name.size()] != ':') continue;
      std::sscanf(line.c_str() + name.size(), ":%d:%d", &number, &column);
      if (!file.empty()) line.replace(0, name.size(), file);
      // The end of a program is after its last line.
      if (const std::string none = ":0: "; line.find(none) != std::string::npos) line.replace(line.find(none), 4, ": ");
      break;
    }
    text += line + "\n" + marked_line(kernel, number, column);
  }
  return text;
}

}  // namespace

void print_verdict(const proto::Verdict& verdict, const std::string& kernel, const std::string& file) {
  std::printf("task      %s\nstage     %s\n", verdict.task().c_str(), proto::stage_name(verdict.stage()).c_str());
  if (!verdict.sandbox_error().empty()) std::printf("sandbox   %s\n", verdict.sandbox_error().c_str());
  std::printf("cases     %u of %u passed", verdict.cases_passed(), verdict.cases_total());
  if (verdict.ran()) std::printf(", largest absolute error %.3g", verdict.max_abs_error());
  std::printf("\n");
  if (verdict.cycles() > 0)
    std::printf("cycles    %llu, baseline %llu, speed-up %.2f\n", static_cast<unsigned long long>(verdict.cycles()),
                static_cast<unsigned long long>(verdict.baseline_cycles()), verdict.speedup());
  std::printf(
      "reward    %.4g (%s)%s%s\n", verdict.reward(), verdict.reward_preset().c_str(),
      verdict.reward_valid() ? "" : ", not valid: ", verdict.reward_valid() ? "" : verdict.invalid_reason().c_str());
  if (verdict.has_published())
    std::printf("numbers   as published: %u of %u cases%s; strict: %u of %u cases%s\n",
                verdict.published().cases_passed(), verdict.cases_total(), skipped_text(verdict.published()).c_str(),
                verdict.strict().cases_passed(), verdict.cases_total(), skipped_text(verdict.strict()).c_str());
  for (const proto::Fault& fault : verdict.faults()) {
    std::string place = fault.line() > 0 ? " line " + std::to_string(fault.line()) : std::string();
    if (fault.core() >= 0) place += " core " + std::to_string(fault.core());
    std::printf("%-9s [%s]%s: %s\n", fault.severity() == proto::ERROR ? "error" : "warning",
                fault.fault_class().c_str(), place.c_str(), fault.message().c_str());
    std::fputs(marked_line(kernel, fault.line()).c_str(), stdout);
  }
  if (!verdict.compiler_output().empty())
    std::printf("\n%s", named_messages(verdict.compiler_output(), kernel, file).c_str());
}

}  // namespace kg::cli
