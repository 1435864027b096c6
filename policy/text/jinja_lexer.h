#pragma once

#include <string>
#include <vector>

namespace kg::policy::jinja {

struct Token {
  enum Kind { kText, kOutputBegin, kBlockBegin, kEnd, kName, kNumber, kString, kSign, kEndOfTemplate };
  Kind kind;  // kEnd closes an output or a block
  std::string text;
  int line;
};

// Splits a template into text and the tokens of its tags; comments are dropped, white space around tags follows the
// template's marks, trim_blocks and lstrip_blocks.
std::vector<Token> tokenise(const std::string& text);

[[noreturn]] void fail(const std::string& what, int line);

}  // namespace kg::policy::jinja
