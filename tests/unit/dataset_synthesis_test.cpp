#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <regex>
#include <set>

#include "base/error.h"
#include "dataset/synthesis/builtin_tasks.h"
#include "dataset/synthesis/families.h"
#include "dataset/synthesis/kernel.h"
#include "dataset/synthesis/plan.h"
#include "dataset/synthesis/text.h"
#include "dataset/synthesis/token_pieces.h"
#include "operators/golden.h"
#include "operators/operators.h"

namespace kg::dataset {
namespace {

const Structure& structure_named(const std::string& name) {
  for (const Structure& structure : builtin_structures())
    if (structure.name == name) return structure;
  throw std::runtime_error("no structure " + name);
}

TEST(Structures, AreManyOfManyFamiliesAndCategories) {
  std::set<std::string> names, families, categories;
  for (const Structure& structure : builtin_structures()) {
    EXPECT_TRUE(names.insert(structure.name).second) << structure.name;
    families.insert(structure.family);
    categories.insert(structure.category);
  }
  EXPECT_GE(names.size(), 150u);
  EXPECT_GE(families.size(), 12u);
  EXPECT_GE(categories.size(), 4u);
  EXPECT_EQ(families.size(), dataset::families().size());  // no family is empty
}

TEST(Structures, HeldoutOnesAreCompositionsOfOperatorsSeenInTraining) {
  std::set<std::string> trained;
  std::size_t heldout = 0;
  for (const Structure& structure : builtin_structures())
    if (structure.split == "train")
      for (const Step& step : structure.steps) trained.insert(step.op);
  for (const Structure& structure : builtin_structures()) {
    if (structure.split != "heldout") continue;
    ++heldout;
    EXPECT_GT(structure.steps.size(), 1u) << structure.name;
    for (const Step& step : structure.steps) EXPECT_TRUE(trained.contains(step.op)) << step.op;
  }
  EXPECT_GE(heldout, 40u);
  const double part = static_cast<double>(heldout) / static_cast<double>(builtin_structures().size());
  EXPECT_GE(part, 0.15);
  EXPECT_LE(part, 0.20);
}

TEST(Structures, OperatorsOfTheTableThatCanBeWrittenAreUsed) {
  std::set<std::string> used;
  for (const Structure& structure : builtin_structures())
    for (const Step& step : structure.steps) used.insert(step.op);
  for (const OperatorForm& form : operator_forms()) {
    EXPECT_TRUE(used.contains(form.op)) << form.op;
    EXPECT_EQ(static_cast<int>(form.attribute_choices.size()), operators::operator_info(form.op).attribute_count)
        << form.op;
  }
}

TEST(Structures, ValuesStayFiniteAndWithinHalf) {
  for (const Structure& structure : builtin_structures()) {
    const proto::Task task =
        make_task({.structure = &structure, .dtype = proto::FLOAT32, .rows = 4, .columns = 64}, /*seed=*/3);
    for (const auto& tensor : operators::golden_outputs(task.graph(), operators::make_inputs(task.cases(0))))
      for (const double value : tensor.values) {
        ASSERT_TRUE(std::isfinite(value)) << structure.name;
        ASSERT_LT(std::abs(value), 65504) << structure.name;
      }
    EXPECT_GT(task.absolute_bound(), 0) << structure.name;
  }
}

TEST(Structures, StepsReadAsTheGraphComputes) {
  const Structure& gated = structure_named("sigmoid-mul");
  EXPECT_EQ(step_texts(gated), (std::vector<std::string>{"x = sigmoid(x)", "z = x * y"}));
  const proto::OperatorGraph graph = operator_graph(gated);
  ASSERT_EQ(graph.nodes_size(), 2);
  EXPECT_EQ(graph.nodes(1).op(), "mul");
  EXPECT_EQ(graph.nodes(1).inputs(0), 2);  // the value of sigmoid: two inputs come before
  EXPECT_EQ(graph.nodes(1).inputs(1), 1);  // y
  EXPECT_EQ(graph.outputs(0), 3);
  EXPECT_EQ(compute_statements(structure_named("add"), "N", "S"), std::vector<std::string>{"Add(z, x, y, N);"});
}

TEST(Variants, SplitIsByStructureWhateverTheShape) {
  std::map<std::string, std::set<std::string>> splits;
  std::set<std::string> ids;
  std::set<int> types;
  for (const Variant& variant : builtin_variants(kMostShapes)) {
    splits[variant.structure->name].insert(variant.structure->split);
    EXPECT_TRUE(ids.insert(task_id(variant)).second) << task_id(variant);
    types.insert(variant.dtype);
  }
  EXPECT_EQ(splits.size(), builtin_structures().size());
  for (const auto& [name, of_structure] : splits) EXPECT_EQ(of_structure.size(), 1u) << name;
  EXPECT_EQ(types.size(), 3u);
}

TEST(Variants, HaveFriendlyShapesAndTails) {
  std::size_t aligned = 0, tailed = 0;
  for (const Variant& variant : builtin_variants(2)) (variant.row_bytes() % 32 == 0 ? aligned : tailed) += 1;
  EXPECT_GT(aligned, 400u);
  EXPECT_GT(tailed, 400u);
}

TEST(Kernels, FitTheUnifiedBufferAndTheTokenBudget) {
  for (const Variant& variant : builtin_variants(kMostShapes)) {
    ASSERT_LE(variant.columns, kLargestColumns);
    ASSERT_LE(token_pieces(compact_kernel(variant)), kMostCompactPieces) << task_id(variant);
    const Tiling tiling = full_tiling(variant);
    ASSERT_LE(tiling.buffer_bytes, kUnifiedBuffer) << task_id(variant);
    ASSERT_EQ(tiling.tile % 128, 0) << task_id(variant);
  }
}

TEST(Kernels, LeaveNoPlaceholder) {
  const std::regex placeholder("\\$[a-zA-Z]");
  for (const Variant& variant : builtin_variants(2))
    for (const std::string& text : {compact_kernel(variant), full_kernel(variant), short_prompt(variant, Style::kFull),
                                    npukernelbench_prompt(variant)})
      ASSERT_FALSE(std::regex_search(text, placeholder)) << text;
}

TEST(Prompts, NameWhatTheKernelNeeds) {
  const Variant variant{
      .structure = &structure_named("axpy-relu"), .dtype = proto::FLOAT16, .rows = 20, .columns = 1000};
  const std::string prompt = short_prompt(variant, Style::kCompact);
  for (const char* part :
       {"custom_op", "compact", "Inputs x, y: half[20,1000]", "Output z: half[20,1000]", "z = relu(x)"})
    EXPECT_NE(prompt.find(part), std::string::npos) << part << "\n" << prompt;
  EXPECT_NE(npukernelbench_prompt(variant).find("<kernel_impl>"), std::string::npos);
  EXPECT_NE(reasoning(variant, Style::kCompact).find("2000 bytes a row, not a multiple of 32"), std::string::npos);
  EXPECT_NE(reasoning(variant, Style::kFull).find("20 x 1000 = 20000 elements"), std::string::npos);
}

TEST(Prompts, ShortOnesAreShort) {
  for (const Variant& variant : builtin_variants(kMostShapes))  // at most 1.14 tokens a piece
    ASSERT_LE(token_pieces(short_prompt(variant, Style::kCompact)), 88u) << short_prompt(variant, Style::kCompact);
}

std::vector<std::string> ids_of(const Plan& plan) {
  std::vector<std::string> ids;
  for (const PlannedSample& sample : plan.samples) ids.push_back(sample_id(sample));
  return ids;
}

TEST(PlanBuild, DependsOnTheSeedAloneAndGrowsByAppending) {
  const auto styles = styles_named("both");
  const auto forms = prompt_forms_named("both");
  const auto ids = ids_of(plan_build(300, 7, styles, forms));
  EXPECT_EQ(ids, ids_of(plan_build(300, 7, styles, forms)));
  EXPECT_NE(ids, ids_of(plan_build(300, 8, styles, forms)));
  const auto more = ids_of(plan_build(900, 7, styles, forms));
  EXPECT_TRUE(std::equal(ids.begin(), ids.end(), more.begin()));
  EXPECT_EQ(std::set(more.begin(), more.end()).size(), more.size());
}

TEST(PlanBuild, TakesTrainingStructuresInTurn) {
  const Plan plan = plan_build(200, 1, styles_named("compact"), prompt_forms_named("short"));
  std::set<std::string> structures;
  for (const PlannedSample& sample : plan.samples) {
    EXPECT_EQ(sample.variant.structure->split, "train");
    EXPECT_EQ(sample.style, Style::kCompact);
    structures.insert(sample.variant.structure->name);
  }
  EXPECT_EQ(structures.size(), 200u);
}

TEST(PlanBuild, RefusesWhatItCannotMake) {
  EXPECT_THROW(plan_build(1000000, 1, styles_named("both"), prompt_forms_named("both")), Error);
  EXPECT_THROW(styles_named("terse"), Error);
  EXPECT_THROW(prompt_forms_named("long"), Error);
  EXPECT_THROW(plan_build(1, 1, styles_named("both"), prompt_forms_named("both"), {"binnary"}), Error);
}

TEST(PlanBuild, TakesMoreShapesWhereTheSamplesNeedThem) {
  const Plan plan = plan_build(3000, 1, styles_named("compact"), prompt_forms_named("short"));
  EXPECT_EQ(plan.samples.size(), 3000u);
  EXPECT_GT(plan.shapes, 2);
}

}  // namespace
}  // namespace kg::dataset
