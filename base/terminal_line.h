#pragma once

#include <string>
#include <string_view>

namespace kg {

// `text` as one line of at most `columns` characters: line breaks become blanks, and a longer text ends in "...".
std::string fitted(std::string_view text, int columns);

// The width of the terminal behind a descriptor; 0 if there is no terminal, or its width is unknown.
int terminal_columns(int descriptor);

// The last line on standard error, if that is a terminal: it is redrawn in place, cut to the terminal's width,
// and removed before anything else is printed. Without a terminal nothing is drawn.
class TerminalLine {
 public:
  TerminalLine();
  ~TerminalLine() { clear(); }
  TerminalLine(const TerminalLine&) = delete;
  TerminalLine& operator=(const TerminalLine&) = delete;

  bool there() const { return there_; }
  int columns() const;  // the terminal's width now
  void draw(std::string_view text);
  void clear();
  // Prints a line that stays, above the redrawn one; a plain line if there is no terminal.
  void keep(std::string_view text);

 private:
  bool there_, drawn_ = false;
};

}  // namespace kg
