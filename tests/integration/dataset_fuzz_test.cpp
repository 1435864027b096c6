// The full draw of tests/integration/dataset_damage.h: minutes.
#include <gtest/gtest.h>

#include <cstdio>

#include "tests/integration/dataset_damage.h"

namespace kg::dataset {
namespace {

void draw(std::uint64_t seed) {
  const FuzzCount count = fuzz(/*flips=*/2500, /*cuts=*/250, seed, /*repair_each=*/10);
  std::printf(
      "%d damages: %d hide rows, %d refused; %d repaired, %d of them lost rows, %d had flipped bits put right\n",
      count.done, count.with_loss, count.refused, count.repaired, count.lost_after_repair, count.flips_put_right);
  EXPECT_EQ(count.done, 2750);
}

// Four draws, so that cores share them: 10,000 flips and 1,000 cuts.
TEST(DatasetFullFuzz, FlipsAndCutsCostWhatTheyHitAndAreTold1) { draw(1001); }
TEST(DatasetFullFuzz, FlipsAndCutsCostWhatTheyHitAndAreTold2) { draw(1002); }
TEST(DatasetFullFuzz, FlipsAndCutsCostWhatTheyHitAndAreTold3) { draw(1003); }
TEST(DatasetFullFuzz, FlipsAndCutsCostWhatTheyHitAndAreTold4) { draw(1004); }

}  // namespace
}  // namespace kg::dataset
