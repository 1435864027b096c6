#pragma once

#include "cli/solve/search.h"

namespace kg::cli {

// What `kgtrain solve` shows on stderr while it works: on a terminal a line for each answer and one that is drawn over
// below them, none longer than the terminal is wide; elsewhere nothing.
class SolveDisplay {
 public:
  SolveDisplay(int attempts, int turns);
  ~SolveDisplay();

  void tried(const Tried& tried);
  void waiting(const SearchState& state);
  void say(const std::string& text);  // in the line that is drawn over

 private:
  void clear();
  std::string fitted(const std::string& text) const;

  int attempts_, turns_;
  bool terminal_;
  int width_ = 80;
  bool drawn_ = false;
  double began_;
  int correct_ = 0;
  std::uint64_t best_ = 0;  // cycles
};

}  // namespace kg::cli
