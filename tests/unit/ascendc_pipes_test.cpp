#include <gtest/gtest.h>

#include "npu/calls/rate_table.h"
#include "npu/chip.h"
#include "npu/machine/local_memory.h"
#include "npu/machine/pipes.h"

namespace kg::npu {
namespace {

TEST(Pipes, InstructionsOfTwoPipesOverlapUntilAFlagOrdersThem) {
  Pipes pipes;
  pipes.issue(kMte2, 100, 50);
  const Instruction free_running = pipes.issue(kV, 10, 0);
  EXPECT_LT(free_running.end, 100);
  pipes.wait(kV, pipes.set(kMte2));
  const Instruction ordered = pipes.issue(kV, 10, 0);
  EXPECT_GE(ordered.start, 150);
}

TEST(Pipes, AFlagOrdersWhatCameBeforeItOnly) {
  Pipes pipes;
  const Instruction before = pipes.issue(kMte2, 1, 0);
  const Clock flag = pipes.set(kMte2);
  const Instruction after = pipes.issue(kMte2, 1, 0);
  pipes.wait(kV, flag);
  pipes.issue(kV, 1, 0);
  EXPECT_TRUE(pipes.ordered(kV, kMte2, before.number));
  EXPECT_FALSE(pipes.ordered(kV, kMte2, after.number));
}

TEST(Pipes, OrderPassesThroughAThirdPipe) {
  Pipes pipes;
  const Instruction load = pipes.issue(kMte2, 1, 0);
  pipes.wait(kV, pipes.set(kMte2));
  pipes.issue(kV, 1, 0);
  pipes.wait(kMte3, pipes.set(kV));
  pipes.issue(kMte3, 1, 0);
  EXPECT_TRUE(pipes.ordered(kMte3, kMte2, load.number));
}

TEST(Pipes, AFullBarrierOrdersEverything) {
  Pipes pipes;
  const Instruction load = pipes.issue(kMte2, 1, 0);
  const Instruction store = pipes.issue(kMte3, 1, 0);
  pipes.barrier(kAllPipes);
  pipes.issue(kV, 1, 0);
  EXPECT_TRUE(pipes.ordered(kV, kMte2, load.number));
  EXPECT_TRUE(pipes.ordered(kV, kMte3, store.number));
}

TEST(UnifiedBuffer, AnUnorderedReadAfterWriteIsARaceWithTheWritersLine) {
  Pipes pipes;
  UnifiedBuffer ub;
  const Instruction load = pipes.issue(kMte2, 1, 0);
  EXPECT_TRUE(ub.touch(pipes, load, 64, 128, /*writes=*/true, 7).empty());
  const Instruction add = pipes.issue(kV, 1, 0);
  const std::vector<UnifiedBuffer::Race> races = ub.touch(pipes, add, 96, 32, /*writes=*/false, 9);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_TRUE(races[0].wrote);
  EXPECT_EQ(races[0].pipe, kMte2);
  EXPECT_EQ(races[0].line, 7);
  EXPECT_TRUE(ub.touch(pipes, add, 192, 32, /*writes=*/false, 9).empty());
}

TEST(UnifiedBuffer, TheScalarUnitWaitsInsteadOfRacing) {
  Pipes pipes;
  UnifiedBuffer ub;
  ub.touch(pipes, pipes.issue(kMte2, 100, 0), 0, 32, /*writes=*/true, 1);
  EXPECT_TRUE(ub.touch(pipes, pipes.issue(kS, 1, 0), 0, 4, /*writes=*/false, 2).empty());
  EXPECT_GE(pipes.scalar_time(), 100);
  // What S has waited for is over for every later instruction.
  EXPECT_TRUE(ub.touch(pipes, pipes.issue(kV, 1, 0), 0, 32, /*writes=*/false, 3).empty());
}

// The published points that the constants were fitted to, within 10 %.
TEST(CostTable, PublishedPoints) {
  EXPECT_NEAR(chip::kVectorStart + vector_cycles(kgnpu::Op::kAdd, kgnpu::Type::kFloat, kgnpu::Type::kFloat, 64), 88,
              8.8);
  EXPECT_NEAR(chip::kMoveInLatency + 8192 / chip::kMoveBytesPerCycle, 350, 35);
  EXPECT_NEAR(chip::kMoveOutLatency + 8192 / chip::kMoveBytesPerCycle, 295, 29.5);
  EXPECT_DOUBLE_EQ(vector_cycles(kgnpu::Op::kExp, kgnpu::Type::kHalf, kgnpu::Type::kHalf, 1),
                   4);  // 128 elements at 32 a cycle
  EXPECT_DOUBLE_EQ(vector_cycles(kgnpu::Op::kExp, kgnpu::Type::kFloat, kgnpu::Type::kFloat, 1), 2);
}

}  // namespace
}  // namespace kg::npu
