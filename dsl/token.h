#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kg::dsl {

struct Token {
  enum class Kind { kName, kNumber, kSign, kNewline, kIndent, kDedent, kEnd };
  Kind kind = Kind::kEnd;
  std::string text;  // of a name, number or sign
  int line = 0;
};

// Cuts a program into tokens. Lines that hold nothing but a comment leave none; a deeper line begins a block (kIndent),
// a shallower one ends as many as it leaves. Inside brackets a line may be continued.
std::vector<Token> tokenise(std::string_view source);

}  // namespace kg::dsl
