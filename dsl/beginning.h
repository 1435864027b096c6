#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "dsl/prospect.h"
#include "dsl/token.h"

namespace kg::dsl {

// A text as the beginning of a program: whether there is a program that begins so, as far as grammar, names, numbers of
// arguments and places of statements tell, and what may come next. Comments and tabs are not foreseen.
struct Beginning {
  bool right = false;   // a program begins so
  bool whole = false;   // it is a program as it stands, up to a line's end, and every output is stored
  TokenBeginning text;  // its tokens; text.open is not among them
  Prospect next;        // what may stand where text.open begins; at a line's start: in this column
  bool may_indent = false, must_indent = false;  // at a line's start: a block begins
};
Beginning read_beginning(std::string_view source);

// The same for texts that grow: of what is before the present line it remembers what came out.
class BeginningReader {
 public:
  Beginning read(const std::string& source);

 private:
  // Whether `head_` is now what is before the line that the source ends with.
  bool find_head(const std::string& source);
  // What may follow `rest`, which begins behind the head; nothing if it is more than a part of one line.
  std::optional<Beginning> read_line(std::string_view rest) const;

  std::string head_;  // up to the first word of a line of the body
  Beginning at_;      // what was read there
};

// A short text that makes a program of the beginning, up to a line's end; nothing if none is found.
std::optional<std::string> short_end(std::string source);
std::optional<std::string> short_end(std::string source, BeginningReader& reader);

inline constexpr int kMostIndent = 8;  // spaces that a block is further in than its head, at most

}  // namespace kg::dsl
