// Which task a learner sees next, by simulation.
#include <gtest/gtest.h>

#include <map>

#include "trainer/curriculum.h"

namespace kg::trainer {
namespace {

TEST(Curriculum, BeginsWithTheLowestLevelAndOpensTheNextAtHalf) {
  Curriculum curriculum({1, 1, 2, 3});
  Philox random(1, 0);
  for (int i = 0; i < 50; ++i) EXPECT_LT(curriculum.draw(random), 2u);
  curriculum.record(0, 3, 16);
  curriculum.record(1, 4, 16);
  EXPECT_EQ(curriculum.highest_open(), 1);
  curriculum.record(0, 16, 16);
  curriculum.record(1, 16, 16);
  EXPECT_EQ(curriculum.highest_open(), 2);  // 39 of 64
  std::map<std::size_t, int> drawn;
  for (int i = 0; i < 200; ++i) ++drawn[curriculum.draw(random)];
  EXPECT_GT(drawn[2], 0);
  EXPECT_EQ(drawn.count(3), 0u);
}

TEST(Curriculum, LeavesOutTasksThatAllPassOrAllFail) {
  Curriculum curriculum({1, 1, 1});
  Philox random(2, 0);
  curriculum.record(0, 0, 8);
  curriculum.record(1, 8, 8);
  curriculum.record(2, 4, 8);
  for (int i = 0; i < 50; ++i) EXPECT_EQ(curriculum.draw(random), 2u);
  for (int i = 0; i < 12; ++i) curriculum.record(2, 8, 8);
  EXPECT_GT(curriculum.rate(2), 0.9);
  std::map<std::size_t, int> drawn;  // nothing has signal: any
  for (int i = 0; i < 100; ++i) ++drawn[curriculum.draw(random)];
  EXPECT_EQ(drawn.size(), 3u);
}

TEST(Curriculum, AnImprovingLearnerClimbsToTheTop) {
  std::vector<int> levels;
  for (int level = 1; level <= 5; ++level) levels.insert(levels.end(), 20, level);
  Curriculum curriculum(levels);
  Philox random(3, 0);
  double skill = 1;
  int with_signal = 0;
  for (int step = 0; step < 2000; ++step) {
    const std::size_t task = curriculum.draw(random);
    const double chance = std::min(0.97, std::max(0.02, 0.6 + 0.35 * (skill - levels[task])));
    std::uint64_t passed = 0;
    for (int i = 0; i < 8; ++i) passed += random.next_double() < chance;
    with_signal += passed > 0 && passed < 8;
    skill += 0.003;
    curriculum.record(task, passed, 8);
  }
  EXPECT_EQ(curriculum.highest_open(), 5);
  EXPECT_GT(with_signal, 1000);
}

}  // namespace
}  // namespace kg::trainer
