#include "dataset/store/feedback.h"

#include <algorithm>
#include <sstream>

#include "dataset/store/answer.h"
#include "proto/fault_class.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kMostMessage = 420;

// The first error with its place; notes and carets are omitted.
std::string compiler_words(const std::string& output) {
  std::istringstream lines(output);
  std::string text;
  for (std::string line; std::getline(lines, line) && text.size() < kMostMessage;) {
    if (line.find("error") == std::string::npos && !text.empty()) continue;
    if (line.empty()) continue;
    text += (text.empty() ? "" : "\n") + line;
    if (std::count(text.begin(), text.end(), '\n') >= 1) break;
  }
  if (text.size() > kMostMessage) text = text.substr(0, text.find_last_of(' ', kMostMessage)) + " ...";
  return text;
}

const proto::Fault* first_error(const proto::Verdict& verdict) {
  for (const proto::Fault& fault : verdict.faults())
    if (fault.severity() == proto::ERROR) return &fault;
  return nullptr;
}

}  // namespace

std::string feedback_text(const proto::Verdict& verdict) {
  if (!verdict.compiled()) return compiler_words(verdict.compiler_output());
  const proto::Fault* fault = first_error(verdict);
  if (fault == nullptr) return "";
  std::string text = fault->fault_class();
  if (fault->line() > 0) text += ", line " + std::to_string(fault->line());
  if (fault->core() >= 0) text += ", core " + std::to_string(fault->core());
  return text + ": " + fault->message().substr(0, kMostMessage);
}

std::string verdict_word(const proto::Verdict& verdict) {
  if (verdict.correct()) return "correct";
  if (!verdict.compiled()) return "compile error";
  const proto::Fault* fault = first_error(verdict);
  return fault != nullptr && !has_class(*fault, proto::FaultClass::kNumbers) ? "fault" : "wrong numbers";
}

bool is_repeatable(const proto::Verdict& verdict) {
  if (!verdict.sandbox_error().empty() || !verdict.reward_valid()) return false;
  for (const proto::Fault& fault : verdict.faults())
    if (has_class(fault, proto::FaultClass::kLimit)) return false;
  return verdict.compiler_output().find("time limit") == std::string::npos;
}

std::string judge_words(const proto::Verdict& verdict, const std::string& no_kernel) {
  if (!no_kernel.empty()) return no_kernel;
  if (!verdict.reward_valid()) return verdict.invalid_reason();
  const std::string words = feedback_text(verdict);
  if (!words.empty() || verdict.correct()) return words;
  return std::to_string(verdict.cases_passed()) + " of " + std::to_string(verdict.cases_total()) + " cases pass";
}

std::string repair_request(const proto::Verdict& verdict, const std::string& no_kernel,
                           proto::SourceLanguage language) {
  if (!no_kernel.empty())
    return "The answer holds no kernel: " + no_kernel + ". Write the whole kernel in one block that begins with " +
           (language == proto::DSL ? "```dsl" : "```cpp") + ".";
  return "This kernel is not right. Say why and repair it.\nThe judge says:\n" + judge_words(verdict, no_kernel);
}

std::string why_no_kernel(const std::string& answer, bool cut_off, proto::SourceLanguage language) {
  const Answer held = extract_kernel(answer, language);
  if (!held.kernel.empty()) return "";
  return cut_off ? "cut off at the token limit" : held.reason;
}

}  // namespace kg::dataset
