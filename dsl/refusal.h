#pragma once

#include <exception>
#include <string>
#include <utility>

namespace kg::dsl {

// Why a program cannot be lowered: the line, the construct on it, and the rule it breaks, in one sentence. Thrown
// only inside this folder; lower() returns it as a value.
class Refusal : public std::exception {
 public:
  Refusal(int line, std::string construct, std::string rule)
      : line_(line), construct_(std::move(construct)), rule_(std::move(rule)) {
    text_ = "line " + std::to_string(line_) + ": " + construct_ + ": " + rule_;
  }
  const char* what() const noexcept override { return text_.c_str(); }
  int line() const { return line_; }
  const std::string& construct() const { return construct_; }
  const std::string& rule() const { return rule_; }

 private:
  int line_;
  std::string construct_, rule_, text_;
};

}  // namespace kg::dsl
