#pragma once

#include <cstdint>
#include <string>

#include "base/terminal_line.h"

namespace kg::trainer {

// What a long command shows on stderr: on a terminal one bar that is drawn over, elsewhere a plain line now and then.
class Progress {
 public:
  // `start` of `total` steps are done already (a resumed run).
  Progress(std::string title, std::int64_t start, std::int64_t total);
  ~Progress();
  // `details`: "loss 0.412  210 tokens/s".
  void show(std::int64_t done, const std::string& details);
  // A line of its own above the bar.
  void note(const std::string& text);

 private:
  std::string title_;
  std::int64_t start_, total_;
  double began_, last_shown_ = -1e9;
  TerminalLine line_;
  std::string last_;  // what is drawn, to stay when this ends
};

}  // namespace kg::trainer
