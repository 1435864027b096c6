#include "trainer/progress.h"

#include <algorithm>

#include "base/clock.h"
#include "base/duration.h"

namespace kg::trainer {
namespace {

constexpr double kPlainLineSeconds = 10;  // between plain lines
constexpr int kBarWidth = 24, kLeastBar = 5;

}  // namespace

Progress::Progress(std::string title, std::int64_t start, std::int64_t total)
    : title_(std::move(title)), start_(start), total_(total), began_(monotonic_seconds()) {}

Progress::~Progress() {
  if (!last_.empty()) line_.keep(last_);
}

void Progress::show(std::int64_t done, const std::string& details) {
  const double now = monotonic_seconds();
  const bool last = done >= total_;
  if (!line_.there() && !last && now - last_shown_ < kPlainLineSeconds) return;
  last_shown_ = now;
  const double part = total_ > 0 ? static_cast<double>(done) / static_cast<double>(total_) : 1;
  std::string eta;
  if (done > start_ && !last)
    eta = "  ETA " +
          duration_text((now - began_) / static_cast<double>(done - start_) * static_cast<double>(total_ - done));
  else if (last)
    eta = "  took " + duration_text(now - began_);
  const std::string count = " " + std::to_string(done) + "/" + std::to_string(total_) + "  ";
  if (!line_.there()) return line_.keep(title_ + count + details + eta);
  // The bar takes the space that the words leave.
  const auto words = static_cast<int>(title_.size() + count.size() + details.size() + eta.size() + 2);
  const int width = std::min(kBarWidth, line_.columns() - words);
  std::string bar;
  if (width >= kLeastBar)
    for (int i = 0; i < width; ++i) bar += i < static_cast<int>(std::min(1.0, part) * width) ? "█" : "░";
  last_ = title_ + (bar.empty() ? "" : " ") + bar + count + details + eta;
  line_.draw(last_);
  if (last) {
    line_.keep(last_);
    last_.clear();
  }
}

void Progress::note(const std::string& text) { line_.keep(text); }

}  // namespace kg::trainer
