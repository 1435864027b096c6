#include "cli/solve/solve_display.h"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/duration.h"

namespace kg::cli {

SolveDisplay::SolveDisplay(int attempts, int turns) : attempts_(attempts), turns_(turns), began_(monotonic_seconds()) {}

void SolveDisplay::tried(const Tried& tried) {
  const std::uint64_t cycles = tried.verdict.cycles();
  if (tried.correct()) {
    if (tried.attempt != kTranslation) ++correct_;
    if (best_ == 0 || cycles < best_) best_ = cycles;
  }
  if (!line_.there()) return;
  const std::string place = tried.attempt == kTranslation ? "-"
                            : turns_ > 1                  ? fmt::format("{}.{}", tried.attempt + 1, tried.turn + 1)
                                                          : fmt::format("{}", tried.attempt + 1);
  const std::string what = tried.correct()
                               ? fmt::format("{} cycles, {:.2f} times the baseline", cycles, tried.verdict.speedup())
                               : judge_words(tried);
  line_.keep(fmt::format("{:>5}  {:<14} {}", place, outcome_word(tried), what));
}

void SolveDisplay::waiting(const SearchState& state) {
  const double seconds = monotonic_seconds() - began_;
  std::string line = attempts_ > 0 ? fmt::format("      {} of {} attempts correct", correct_, attempts_)
                                   : "      the translation is judged";
  if (best_ > 0) line += fmt::format(", best {} cycles", best_);
  line += fmt::format(" | writing {}, judging {} | {}", state.asked, state.judging, duration_text(seconds));
  if (state.tokens > 0) line += fmt::format(", {:.0f} tokens/s", state.tokens / std::max(seconds, 1e-3));
  line_.draw(line);
}

void SolveDisplay::left(const std::string& why) {
  line_.clear();
  std::fprintf(stderr, "note: %s; what there is without it is judged\n", why.c_str());
}

}  // namespace kg::cli
