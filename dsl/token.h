#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace kg::dsl {

inline constexpr std::size_t kLongestNumber = 40;  // characters
inline constexpr double kLargestWhole = 9e15;      // as a literal without point and exponent

struct Token {
  enum class Kind { kName, kNumber, kSign, kNewline, kIndent, kDedent, kEnd, kCut };
  Kind kind = Kind::kEnd;
  std::string text;  // text of a name, number or sign
  int line = 0;
};

// The beginning of a program as tokens, all of them complete; `open` may still continue.
struct TokenBeginning {
  std::vector<Token> tokens;
  std::string open;          // a name, number or sign that the end of the text touches
  bool line_start = false;   // after the spaces at the start of a line; its indentation is not in the tokens yet
  int column = 0;            // column of a line start
  int depth = 0;             // number of open brackets
  std::vector<int> indents;  // columns of the open blocks
  int line = 1;
};
TokenBeginning tokenise_beginning(std::string_view source);
// The indentation tokens before a first token at this column: kIndent, or this many kDedent. False: no block has it.
bool lay_out(const TokenBeginning& beginning, int column, std::vector<Token>& tokens);

// Splits a program into tokens. Lines with only a comment give none; a line with more indentation begins a block
// (kIndent), a line with less ends as many as it leaves. Inside brackets a line may be continued.
std::vector<Token> tokenise(std::string_view source);

}  // namespace kg::dsl
