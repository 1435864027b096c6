#include "cli/solve/solve_display.h"

#include <spdlog/fmt/fmt.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/duration.h"

namespace kg::cli {

SolveDisplay::SolveDisplay(int attempts, int turns)
    : attempts_(attempts), turns_(turns), terminal_(::isatty(2) == 1), began_(monotonic_seconds()) {
  winsize size{};
  if (terminal_ && ::ioctl(2, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) width_ = std::min<int>(size.ws_col, 100);
}

SolveDisplay::~SolveDisplay() { clear(); }

void SolveDisplay::clear() {
  if (drawn_) std::fputs("\r\033[K", stderr);
  drawn_ = false;
}

// One line, cut to the terminal's width.
std::string SolveDisplay::fitted(const std::string& text) const {
  std::string line;
  for (const char c : text) line += c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  const auto most = static_cast<std::size_t>(width_ - 1);
  return line.size() <= most ? line : line.substr(0, most - 3) + "...";
}

void SolveDisplay::tried(const Tried& tried) {
  const std::uint64_t cycles = tried.verdict.cycles();
  if (tried.correct()) {
    ++correct_;
    if (best_ == 0 || cycles < best_) best_ = cycles;
  }
  if (!terminal_) return;
  clear();
  const std::string place =
      turns_ > 1 ? fmt::format("{}.{}", tried.attempt + 1, tried.turn + 1) : fmt::format("{}", tried.attempt + 1);
  const std::string what = tried.correct()
                               ? fmt::format("{} cycles, {:.2f} times the baseline", cycles, tried.verdict.speedup())
                               : judge_words(tried);
  std::fprintf(stderr, "%s\n", fitted(fmt::format("{:>5}  {:<14} {}", place, outcome_word(tried), what)).c_str());
}

void SolveDisplay::waiting(const SearchState& state) {
  const double seconds = monotonic_seconds() - began_;
  std::string line = fmt::format("      {} of {} attempts correct", correct_, attempts_);
  if (best_ > 0) line += fmt::format(", best {} cycles", best_);
  line += fmt::format(" | writing {}, judging {} | {}", state.asked, state.judging, duration_text(seconds));
  if (state.tokens > 0) line += fmt::format(", {:.0f} tokens/s", state.tokens / std::max(seconds, 1e-3));
  say(line);
}

void SolveDisplay::say(const std::string& text) {
  if (!terminal_) return;
  std::fprintf(stderr, "\r\033[K%s", fitted(text).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

}  // namespace kg::cli
