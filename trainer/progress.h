#pragma once

#include <cstdint>
#include <string>

#include "base/terminal_line.h"

namespace kg::trainer {

// The progress of a long command on stderr: one redrawn bar on a terminal, otherwise a plain line now and then.
class Progress {
 public:
  // `start` of `total` steps are already done (a resumed run).
  Progress(std::string title, std::int64_t start, std::int64_t total);
  ~Progress();
  // There will be `total` steps, as far as can be told now.
  void expect(std::int64_t total) { total_ = total; }
  // `details`: "loss 0.412  210 tokens/s".
  void show(std::int64_t done, const std::string& details);
  // A line that stays, above the bar.
  void note(const std::string& text);

 private:
  std::string title_;
  std::int64_t start_, total_;
  double began_, last_shown_ = -1e9;
  TerminalLine line_;
  std::string last_;  // the last bar, which stays when this ends
};

}  // namespace kg::trainer
