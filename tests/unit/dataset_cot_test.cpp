// Compositions of operators and what is written of them, without any process.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>
#include <sstream>

#include "dataset/cot/composition.h"
#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_style.h"
#include "dataset/cot/prompts.h"
#include "dataset/cot/reasoning.h"
#include "dataset/cot/strided_form.h"
#include "operators/operators.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kStructures = 2500;

TEST(CotStructures, ThousandsOfDistinctOnesUseEveryOperator) {
  std::set<std::string> names, operators;
  std::map<std::string, int> families, splits;
  std::map<int, int> levels;
  for (const Structure& structure : structures(kStructures)) {
    names.insert(structure.name);
    ++families[structure.family];
    ++splits[structure.split];
    ++levels[structure.level];
    EXPECT_LE(structure.level, 5);
    for (const Node& node : structure.nodes) operators.insert(node.op);
  }
  EXPECT_EQ(names.size(), kStructures);
  EXPECT_EQ(families.size(), 7u);
  for (const auto& [name, count] : families) EXPECT_GE(count, 20) << name;
  for (int level = 1; level <= 5; ++level) EXPECT_GE(levels[level], 100) << level;
  EXPECT_GT(splits["heldout"], 350);
  EXPECT_LT(splits["heldout"], 650);
  std::string missing;
  for (const auto& row : operators::operator_table())
    if (row.word && !operators.contains(row.name)) missing += " " + row.name;
  EXPECT_EQ(missing, "");
  EXPECT_GE(operators.size(), 100u);
}

TEST(CotStructures, AreTheSameListHoweverManyAreAskedFor) {
  const std::string tenth = structures(20)[10].name;
  EXPECT_EQ(structures(200)[10].name, tenth);
}

TEST(CotNames, AreReadInThePromptBecauseTheOperatorsDoNotTellThem) {
  constexpr std::size_t kSome = 1500;
  const std::regex form("[a-z][a-z0-9]*(_[a-z0-9]+)+");
  std::map<std::string, double> tasks, told;  // by split
  std::set<std::string> names;
  for (const Structure& structure : structures(kSome)) {
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance)) continue;
    const std::string name = entry_point(instance), op = structure.nodes[0].op;
    EXPECT_TRUE(std::regex_match(name, form)) << name;
    EXPECT_TRUE(dsl_program(instance, Writing{}).starts_with("kernel " + name + "(")) << structure.name;
    EXPECT_NE(short_prompt(instance, "").find("kernel " + name + " for "), std::string::npos) << structure.name;
    EXPECT_EQ(task_of(instance, 1).entry_point(), name);
    names.insert(name);
    ++tasks[structure.split];
    told[structure.split] += name.starts_with(op + "_") || name.starts_with("fused_" + op) ? 1 : 0;
  }
  for (const auto& [split, count] : tasks) EXPECT_NEAR(told[split] / count, 0.6, 3 * std::sqrt(0.24 / count)) << split;
  EXPECT_GT(names.size(), kSome * 2 / 3);
}

TEST(CotKernels, EveryInstanceHasAtLeastEightStyles) {
  std::map<std::string, int> refused;
  int instances = 0, lowered = 0;
  for (const Structure& structure : structures(250)) {
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
  EXPECT_GE(instances, 180);
  EXPECT_GE(lowered, instances * 9 / 10);
}

TEST(CotPrograms, HaveAStatementForEachStepOfThePromptUnderItsName) {
  int steps = 0;
  for (const Structure& structure : structures(400)) {
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance) || structure.walk != Walk::kFlat) continue;
    const std::string program = dsl_program(instance, {.nested = false, .naming = Writing::Naming::kAsPrompt});
    for (const std::string& step : step_lines(structure, outputs_of(instance))) {
      const std::string name = step.substr(0, step.find(' '));
      if (name[0] != 't') continue;
      ++steps;
      EXPECT_NE(program.find("    " + name + " = "), std::string::npos) << step << "\n" << program;
    }
  }
  EXPECT_GE(steps, 100);
}

const KernelStyle& strided_style(const std::vector<KernelStyle>& styles) {
  return *std::find_if(styles.begin(), styles.end(), [](const KernelStyle& each) { return each.strided; });
}

// The lines behind the one that takes UB.
std::vector<std::string> body_of(const std::string& source) {
  std::vector<std::string> lines;
  std::istringstream rows(source);
  bool inside = false;
  for (std::string row; std::getline(rows, row);) {
    if (inside) lines.push_back(row);
    inside = inside || row.find("InitBuffer(buf") != std::string::npos;
  }
  return lines;
}

TEST(CotStrided, EachTileIsDeclaredOnceBeforeItsFirstUseInASlotOfUb) {
  static const std::regex declaration(R"(auto (\w+) = ub\[(\d+) \* S\])"), room(R"(buf, (\d+) \* S \* 4)"),
      size(R"(\bS = (\d+))");
  int instances = 0, refused = 0;
  for (const Structure& structure : structures(400)) {
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance) || is_empty(instance)) continue;
    ++instances;
    const LoweredKernel kernel = lower_kernel(instance, strided_style(styles_of(instance)));
    if (!kernel.refusal.empty()) {
      ++refused;
      continue;
    }
    EXPECT_NE(kernel.source.find("GetBlockNum()"), std::string::npos) << kernel.source;
    EXPECT_EQ(kernel.source.find("Begin"), std::string::npos) << kernel.source;
    std::smatch found;
    ASSERT_TRUE(std::regex_search(kernel.source, found, room)) << kernel.source;
    const std::int64_t slots = std::stoll(found[1]);
    ASSERT_TRUE(std::regex_search(kernel.source, found, size)) << kernel.source;
    EXPECT_LE(slots * std::stoll(found[1]) * 4, 184 * 1024);
    const std::vector<std::string> lines = body_of(kernel.source);
    std::int64_t next = 0, temporaries = 0;
    for (std::size_t i = 0; i < lines.size(); ++i) {
      if (!std::regex_search(lines[i], found, declaration)) continue;
      if (found[1].str().starts_with("tmp")) {
        EXPECT_EQ(found[1], "tmp" + std::to_string(temporaries++)) << kernel.source;
      }
      EXPECT_EQ(std::stoll(found[2]), next++) << kernel.source;
      const std::regex name("\\b" + found[1].str() + "\\b");
      const auto uses = [&](std::size_t from, std::size_t to) {
        return std::count_if(lines.begin() + static_cast<std::ptrdiff_t>(from),
                             lines.begin() + static_cast<std::ptrdiff_t>(to),
                             [&](const std::string& line) { return std::regex_search(line, name); });
      };
      EXPECT_EQ(uses(0, i), 0) << found[1] << "\n" << kernel.source;
      EXPECT_GT(uses(i + 1, lines.size()), 0) << found[1] << "\n" << kernel.source;
    }
    EXPECT_LE(next, slots) << kernel.source;
  }
  EXPECT_GE(instances, 180);
  EXPECT_LE(refused, instances / 10);
}

TEST(CotStrided, TilesAreDoubledUntilARoundOfTheCoresCoversTheTensor) {
  const std::int64_t longest = 2048;
  int covered = 0;
  for (const Structure& structure : structures(400)) {
    if (structure.walk != Walk::kFlat) continue;
    const Instance instance = instance_of(structure, 0);
    if (!possible(instance) || is_empty(instance)) continue;
    const std::int64_t tile = strided_tile(instance), elements = instance.rows() * instance.columns;
    EXPECT_TRUE(tile * instance.cores >= elements || tile == longest);
    EXPECT_TRUE(tile == 128 || tile / 2 * instance.cores < elements);
    covered += tile > 128;
  }
  EXPECT_GT(covered, 0);
}

TEST(CotStrided, TheReasoningNamesTheConstantsAndTheCallsOfEachStep) {
  for (const Structure& structure : structures(400)) {
    if (structure.name != "exp") continue;
    Instance instance = instance_of(structure, 0);
    instance.dtype = proto::FLOAT16;
    instance.cores = 8;
    instance.lead = {3, 40};
    instance.columns = 50;
    const KernelStyle style = strided_style(styles_of(instance));
    const LoweredKernel kernel = lower_kernel(instance, style);
    ASSERT_EQ(kernel.refusal, "");
    EXPECT_EQ(short_reasoning(instance, style, kernel.facts, 0),
              "N = 3 x 40 = 120, x 50 = 6000. 8 x 128 = 1024 < 6000, 8 x 256 = 2048 < 6000, 8 x 512 = 4096 < 6000, "
              "8 x 1024 = 8192 >= 6000, so L = 1024. half: Cast to float, and back to store. z: Exp, Cast.");
    return;
  }
  FAIL() << "no structure exp";
}

}  // namespace
}  // namespace kg::dataset::cot
