#include "evaluation/paired_test.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace kg::evaluation {

double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second) {
  const std::uint64_t n = only_first + only_second, fewer = std::min(only_first, only_second);
  const auto log_choose = [&](std::uint64_t k) {
    return std::lgamma(static_cast<double>(n + 1)) - std::lgamma(static_cast<double>(k + 1)) -
           std::lgamma(static_cast<double>(n - k + 1));
  };
  double tail = 0;
  for (std::uint64_t k = 0; k <= fewer; ++k)
    tail += std::exp(log_choose(k) - static_cast<double>(n) * std::numbers::ln2);
  return std::min(1.0, 2 * tail);
}

double PairedTest::p_value() const { return mcnemar_exact(only_first, only_second); }

}  // namespace kg::evaluation
