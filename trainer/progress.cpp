#include "trainer/progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "base/clock.h"
#include "base/duration.h"

namespace kg::trainer {
namespace {

constexpr double kPlainLineSeconds = 10;  // between plain lines
constexpr int kBarWidth = 24;

}  // namespace

Progress::Progress(std::string title, std::int64_t start, std::int64_t total)
    : title_(std::move(title)),
      start_(start),
      total_(total),
      began_(monotonic_seconds()),
      terminal_(::isatty(2) == 1) {}

Progress::~Progress() {
  if (drawn_) std::fputc('\n', stderr);
}

void Progress::show(std::int64_t done, const std::string& details) {
  const double now = monotonic_seconds();
  const bool last = done >= total_;
  if (!terminal_ && !last && now - last_shown_ < kPlainLineSeconds) return;
  last_shown_ = now;
  const double part = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  std::string eta;
  if (done > start_ && !last)
    eta = "  ETA " +
          duration_text((now - began_) / static_cast<double>(done - start_) * static_cast<double>(total_ - done));
  else if (last)
    eta = "  took " + duration_text(now - began_);
  if (!terminal_) {
    std::fprintf(stderr, "%s %lld/%lld  %s%s\n", title_.c_str(), static_cast<long long>(done),
                 static_cast<long long>(total_), details.c_str(), eta.c_str());
    return;
  }
  const int filled = static_cast<int>(std::min(1.0, part) * kBarWidth);
  std::string bar;
  for (int i = 0; i < kBarWidth; ++i) bar += i < filled ? "█" : "░";
  std::fprintf(stderr, "\r\033[K%s %s %lld/%lld  %s%s", title_.c_str(), bar.c_str(), static_cast<long long>(done),
               static_cast<long long>(total_), details.c_str(), eta.c_str());
  std::fflush(stderr);
  drawn_ = true;
}

void Progress::note(const std::string& text) {
  if (drawn_) std::fputs("\r\033[K", stderr);
  std::fprintf(stderr, "%s\n", text.c_str());
}

}  // namespace kg::trainer
