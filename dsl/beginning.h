#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dsl/prospect.h"
#include "dsl/token.h"

namespace kg::dsl {

// A text as the beginning of a program: whether some program begins like this, as far as grammar, names, numbers of
// arguments and places of statements tell, and what may come next. Comments and tabs are not supported.
struct Beginning {
  bool right = false;   // some program begins like this
  bool whole = false;   // it is a complete program, up to the end of a line, and every output is stored
  TokenBeginning text;  // its tokens; text.open is not among them
  Prospect next;        // what may follow where text.open begins; at the start of a line: in this column
  bool may_indent = false, must_indent = false;  // at a line's start: a block begins
};
// `expected`: the parameters that the program must have; null: any. It outlives the result.
Beginning read_beginning(std::string_view source, const ExpectedHeader* expected = nullptr);

// The same for growing texts: the result for everything before the current line is remembered.
class BeginningReader {
 public:
  explicit BeginningReader(const ExpectedHeader* expected = nullptr) : expected_(expected) {}

  Beginning read(const std::string& source);
  // The same without a look at what is remembered, and without a change of it.
  Beginning read_alone(std::string_view source) const { return read_beginning(source, expected_); }

 private:
  // Moves `head_` up to the source's last line, if that can begin there; false: it cannot.
  bool find_head(const std::string& source);
  // What may follow `rest`, which begins after the head; nothing if it is more than a part of one line.
  std::optional<Beginning> read_line(std::string_view rest) const;

  const ExpectedHeader* expected_;
  std::string head_;  // up to the first word of a line of the body
  Beginning at_;      // the result there
};

// A short text that completes the beginning to a program, up to the end of a line; nothing if none is found.
std::optional<std::string> short_end(std::string source);
std::optional<std::string> short_end(std::string source, BeginningReader& reader);

inline constexpr int kMostIndent = 8;  // largest extra indentation of a block

}  // namespace kg::dsl
