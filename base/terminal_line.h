#pragma once

#include <string>
#include <string_view>

namespace kg {

// `text` as one line of at most `columns` characters: line breaks become blanks, what is too long ends in "...".
std::string fitted(std::string_view text, int columns);

// The columns of the terminal behind a descriptor; 0 if it is none, or does not say.
int terminal_columns(int descriptor);

// The last line on standard error where that is a terminal: drawn over again and again, cut to the terminal's width,
// and taken away before anything else is printed. Elsewhere nothing is drawn.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool there() const { return there_; }
  int columns() const;  // as wide as the terminal is now
  void draw(std::string_view text);
  void clear();
  // A line that stays, above what is drawn next; a plain line where there is no terminal.
  void keep(std::string_view text);

 private:
  bool there_, drawn_ = false;
};

}  // namespace kg
