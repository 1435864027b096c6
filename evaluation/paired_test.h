#pragma once

#include <cstdint>

namespace kg::evaluation {

// Two runs on the same tasks: how often only one of them solved a task, and how likely a difference as large is if both
// are equally good. McNemar's exact test, two-sided: twice the smaller tail of a binomial of `only_first + only_second`
// fair coins, at most 1.
struct PairedTest {
  std::uint64_t both = 0, only_first = 0, only_second = 0, neither = 0;
  double p_value() const;
};

double mcnemar_exact(std::uint64_t only_first, std::uint64_t only_second);

}  // namespace kg::evaluation
