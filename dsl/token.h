#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kg::dsl {

struct Token {
  enum class Kind { kName, kNumber, kSign, kNewline, kIndent, kDedent, kEnd, kCut };
  Kind kind = Kind::kEnd;
  std::string text;  // of a name, number or sign
  int line = 0;
};

// The beginning of a program in tokens, each of them ended: what still may go on is `open`.
struct TokenBeginning {
  std::vector<Token> tokens;
  std::string open;          // a name, number or sign that the end of the text touches
  bool line_start = false;   // behind the spaces that a line begins with; its indentation is not in the tokens yet
  int column = 0;            // of a line start
  int depth = 0;             // brackets that are open
  std::vector<int> indents;  // columns of the blocks that are open
  int line = 1;
};
TokenBeginning tokenise_beginning(std::string_view source);
// What a first token at this column puts in front of itself: kIndent, or so many kDedent. False: no block has it.
bool lay_out(const TokenBeginning& beginning, int column, std::vector<Token>& tokens);

// Cuts a program into tokens. Lines that hold nothing but a comment leave none; a deeper line begins a block (kIndent),
// a shallower one ends as many as it leaves. Inside brackets a line may be continued.
std::vector<Token> tokenise(std::string_view source);

}  // namespace kg::dsl
