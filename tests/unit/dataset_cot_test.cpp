// Compositions of operators and what is written of them, without any process.
#include <gtest/gtest.h>

#include <map>
#include <set>

#include "dataset/cot/composition.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/vocabulary.h"
#include "reward/operators.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kMany = 2500;

TEST(CotStructures, ThousandsOfDistinctOnesUseEveryOperator) {
  std::set<std::string> names, operators;
  std::map<std::string, int> families, splits;
  std::map<int, int> levels;
  for (const Structure& structure : structures(kMany)) {
    names.insert(structure.name);
    ++families[structure.family];
    ++splits[structure.split];
    ++levels[structure.level];
    EXPECT_LE(structure.level, 5);
    for (const Node& node : structure.nodes) operators.insert(node.op);
  }
  EXPECT_EQ(names.size(), kMany);
  EXPECT_EQ(families.size(), 7u);
  for (const auto& [name, count] : families) EXPECT_GE(count, 20) << name;
  for (int level = 1; level <= 5; ++level) EXPECT_GE(levels[level], 100) << level;
  EXPECT_GT(splits["heldout"], 350);
  EXPECT_LT(splits["heldout"], 650);
  std::string missing;
  for (const Word& each : vocabulary())
    if (!operators.contains(std::string(each.op))) missing += " " + std::string(each.op);
  EXPECT_EQ(missing, "");
  EXPECT_GE(operators.size(), 100u);
}

TEST(CotStructures, AreTheSameListHoweverManyAreAskedFor) {
  const std::string tenth = structures(20)[10].name;
  EXPECT_EQ(structures(200)[10].name, tenth);
}

TEST(CotKernels, EveryInstanceHasAtLeastEightStyles) {
  std::map<std::string, int> refused;
  int instances = 0, lowered = 0;
  for (const Structure& structure : structures(400)) {
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance) || is_empty(instance)) continue;
    ++instances;
    std::set<std::string> kernels;
    for (const KernelStyle& style : styles_of(instance)) {
      const LoweredKernel kernel = lower_kernel(instance, style);
      if (kernel.refusal.empty())
        kernels.insert(kernel.source);
      else
        ++refused[kernel.refusal.substr(0, 90) + " | " + (refused.size() < 12 ? kernel.program : "")];
    }
    lowered += kernels.size() >= 8;
  }
  for (const auto& [why, count] : refused) std::printf("%5d  %s\n", count, why.c_str());
  std::printf("%d of %d instances\n", lowered, instances);
  EXPECT_GE(instances, 300);
  EXPECT_GE(lowered, instances * 9 / 10);
}

}  // namespace
}  // namespace kg::dataset::cot
