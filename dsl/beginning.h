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

// A short text that makes a program of the beginning, up to a line's end; nothing if none is found.
std::optional<std::string> short_end(std::string source);

inline constexpr int kMostIndent = 8;  // spaces that a block is further in than its head, at most

}  // namespace kg::dsl
