#include "operators/draw.h"

#include <algorithm>
#include <cmath>

namespace kg::operators {
namespace {

double between(Philox& random, double low, double high) { return low + (high - low) * random.next_double(); }

double draw_one(Philox& random, const proto::Distribution& distribution) {
  switch (distribution.kind()) {
    case proto::Distribution::NORMAL:
      return distribution.low() + distribution.high() * random.next_normal();
    case proto::Distribution::INTEGER: {
      const auto low = static_cast<std::int64_t>(distribution.low());
      const auto high = static_cast<std::int64_t>(distribution.high());
      return static_cast<double>(
          low + static_cast<std::int64_t>(random.next_below(static_cast<std::uint64_t>(high - low + 1))));
    }
    case proto::Distribution::CONSTANT:
      return distribution.low();
    default:
      return between(random, distribution.low(), distribution.high());
  }
}

struct Interval {
  double low, high;
};

// The number of octaves that magnitudes span, for a whole tensor and for its runs. Together they leave numbers of 1/256
// of the range, which half still represents with all its digits.
constexpr double kTensorOctaves = 4, kRunOctaves = 4;
constexpr double kRuns = 12;          // about so many runs in a tensor,
constexpr std::size_t kShortest = 4;  // shortest run, in elements
constexpr double kLone = 256;         // one element in this many is drawn from the whole range

// The part of `whole` whose numbers are smaller by `octaves`. A range without zero keeps its lower end.
Interval shrunk(Interval whole, double octaves) {
  const double factor = std::exp2(-octaves);
  if (whole.low <= 0 && whole.high >= 0) return {whole.low * factor, whole.high * factor};
  // Between the two ends the magnitude is bounded by their ratio.
  if (whole.low > 0) return {whole.low, std::max(whole.high * factor, std::min(whole.high, 2 * whole.low))};
  return {std::min(whole.low * factor, std::max(whole.low, 2 * whole.high)), whole.high};
}

// An off-centre part of `whole` that is at least half as wide.
Interval moved(Philox& random, Interval whole) {
  const double width = (whole.high - whole.low) * between(random, 0.5, 1);
  const double low = between(random, whole.low, whole.high - width);
  return {low, low + width};
}

std::vector<double> draw_uneven(Philox& random, Interval whole, std::size_t count) {
  std::vector<double> drawn;
  drawn.reserve(count);
  // A third of the tensors use the whole range.
  const double octaves = std::max(0.0, between(random, -0.5 * kTensorOctaves, kTensorOctaves));
  const Interval all = shrunk(whole, octaves);
  const double usual = std::max(static_cast<double>(kShortest), static_cast<double>(count) / kRuns);
  while (drawn.size() < count) {
    // Lengths from a quarter to twice the usual one, in no grid that a kernel's blocks have.
    const auto length = static_cast<std::size_t>(usual * std::exp2(between(random, -2, 1))) + 1;
    const Interval run = moved(random, shrunk(all, kRunOctaves * random.next_double()));
    for (std::size_t n = 0; n < length && drawn.size() < count; ++n) {
      const double number = random.next_double() * kLone;  // its integer part decides
      drawn.push_back(number < 1 ? all.low + (all.high - all.low) * number
                                 : run.low + (run.high - run.low) * (number - std::floor(number)));
    }
  }
  return drawn;
}

}  // namespace

std::vector<double> draw(Philox& random, const proto::Distribution& distribution, std::size_t count) {
  if (distribution.kind() == proto::Distribution::UNEVEN)
    return draw_uneven(random, {distribution.low(), distribution.high()}, count);
  std::vector<double> drawn(count);
  for (double& value : drawn) value = draw_one(random, distribution);
  return drawn;
}

}  // namespace kg::operators
