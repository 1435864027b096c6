#pragma once

#include "base/terminal_line.h"
#include "cli/solve/search.h"

namespace kg::cli {

// What `kgtrain solve` shows on stderr while it works: on a terminal a line for each answer and one that is drawn over
// below them, none longer than the terminal is wide; elsewhere nothing.
class SolveDisplay {
 public:
  SolveDisplay(int attempts, int turns);

  void tried(const Tried& tried);
  void waiting(const SearchState& state);
  void left(const std::string& why);                       // by the model
  void say(const std::string& text) { line_.draw(text); }  // in the line that is drawn over

 private:
  int attempts_, turns_;
  TerminalLine line_;
  double began_;
  int correct_ = 0;
  std::uint64_t best_ = 0;  // cycles
};

}  // namespace kg::cli
