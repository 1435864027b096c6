// Puts one mistake at a time into correct kernels and judges each mutant by compiling, faults and numbers. Here a
// sample; ascendc_all_mutants_test takes all of them.

#include "ascendc_mutants.h"

#include <gtest/gtest.h>

namespace kg::npu::testing {
namespace {

#ifdef KG_ALL_MUTANTS
constexpr std::size_t kSample = 0;
#else
constexpr std::size_t kSample = 80;
#endif

TEST(Mutants, AreToldApart) {
  const Tally tally = judge_mutants_of_all(kSample);
  EXPECT_GT(tally.judged, 70u);
  EXPECT_GE(1000 * tally.told(), 999 * (tally.told() + tally.missed()));
}

}  // namespace
}  // namespace kg::npu::testing
