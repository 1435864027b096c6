#include "reward/affine_answer.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kg::reward {

void AffineAnswer::add(double x, double wanted, double tolerance) { elements_.push_back({x, wanted, tolerance}); }

double AffineAnswer::room(double a, std::size_t count) const {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();
  for (std::size_t n = 0; n < count; ++n) {
    const Element& element = elements_[n];
    const double rest = element.wanted - a * element.x;
    low = std::max(low, rest - element.tolerance);
    high = std::min(high, rest + element.tolerance);
  }
  return high - low;
}

// A pair of elements with different x bounds a. Within these bounds the room is concave: golden-section search.
double AffineAnswer::most_room(std::size_t count) const {
  double low = -1e6, high = 1e6;
  const auto by_x = [](const Element& p, const Element& q) { return p.x < q.x; };
  const auto end = elements_.begin() + static_cast<std::ptrdiff_t>(count);
  const auto [least, most] = std::minmax_element(elements_.begin(), end, by_x);
  if (most->x > least->x) {
    const double run = most->x - least->x, slack = (most->tolerance + least->tolerance) / run;
    const double slope = (most->wanted - least->wanted) / run;
    low = slope - slack;
    high = slope + slack;
  }
  constexpr double kRatio = 0.6180339887498949;
  constexpr int kSteps = 60;
  double left = high - kRatio * (high - low), right = low + kRatio * (high - low);
  double at_left = room(left, count), at_right = room(right, count);
  for (int step = 0; step < kSteps && std::max(at_left, at_right) < 0; ++step) {
    if (at_left < at_right) {
      low = left;
      left = right;
      at_left = at_right;
      right = low + kRatio * (high - low);
      at_right = room(right, count);
    } else {
      high = right;
      right = left;
      at_right = at_left;
      left = high - kRatio * (high - low);
      at_left = room(left, count);
    }
  }
  return std::max(at_left, at_right);
}

bool AffineAnswer::exists() const {
  constexpr std::size_t kSome = 64;  // a first check: if these do not fit, all elements do not fit
  if (elements_.size() > 2 * kSome && most_room(kSome) < 0) return false;
  return !elements_.empty() && most_room(elements_.size()) >= 0;
}

bool AffineAnswer::constant_exists() const { return room(0, elements_.size()) >= 0; }

bool AffineAnswer::copy_exists() const {
  return std::all_of(elements_.begin(), elements_.end(),
                     [](const Element& e) { return std::abs(e.x - e.wanted) <= e.tolerance; });
}

}  // namespace kg::reward
