// Tasks of composed operators: their splits, shapes, values and prompts, without any process.
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "dataset/cot/composition.h"
#include "dataset/cot/dsl_writer.h"
#include "dataset/cot/instance.h"
#include "dataset/cot/kernel_only_prompt.h"
#include "dataset/cot/prompts.h"
#include "operators/golden.h"

namespace kg::dataset::cot {
namespace {

constexpr std::size_t kMany = 2500, kSome = 400;

std::vector<Instance> instances_of(std::size_t structure_count, std::uint64_t turns) {
  std::vector<Instance> instances;
  for (const Structure& structure : structures(structure_count))
    for (std::uint64_t turn = 0; turn < turns; ++turn)
      if (const Instance instance = instance_of(structure, turn); possible(instance)) instances.push_back(instance);
  return instances;
}

const Structure& structure_named(const std::string& name) {
  for (const Structure& structure : structures(kSome))
    if (structure.name == name) return structure;
  throw std::runtime_error("no structure " + name);
}

TEST(CotTasks, HeldOutOnesAreCompositionsOfOperatorsSeenInTraining) {
  std::set<std::string> trained;
  for (const Structure& structure : structures(kMany))
    if (structure.split == "train")
      for (const Node& node : structure.nodes) trained.insert(node.op);
  for (const Structure& structure : structures(kMany)) {
    if (structure.split != "heldout") continue;
    EXPECT_GT(structure.nodes.size(), 1u) << structure.name;
    for (const Node& node : structure.nodes) EXPECT_TRUE(trained.contains(node.op)) << node.op;
  }
}

TEST(CotTasks, HaveWholeUnitsOf32BytesAndTailsInAllTypes) {
  std::set<std::string> ids;
  std::set<int> types;
  std::size_t aligned = 0, tailed = 0;
  const std::vector<Instance> instances = instances_of(kSome, /*turns=*/4);
  for (const Instance& instance : instances) {
    ids.insert(task_id(instance));
    types.insert(instance.dtype);
    (instance.columns * (instance.dtype == proto::FLOAT32 ? 4 : 2) % 32 == 0 ? aligned : tailed) += 1;
  }
  for (const proto::DType dtype : {proto::FLOAT16, proto::BFLOAT16, proto::FLOAT32}) EXPECT_TRUE(types.contains(dtype));
  EXPECT_GT(aligned, 400u);
  EXPECT_GT(tailed, 400u);
  EXPECT_GT(ids.size(), instances.size() * 9 / 10);
}

TEST(CotTasks, ValuesAreFiniteAndWithinHalf) {
  for (const Instance& instance : instances_of(kSome, /*turns=*/1)) {
    const proto::Task task = task_of(instance, /*seed=*/3);
    for (const auto& tensor : operators::golden_outputs(task.graph(), operators::make_inputs(task.cases(0))))
      for (const double value : tensor.values) {
        ASSERT_TRUE(std::isfinite(value)) << task.id();
        ASSERT_LT(std::abs(value), 65504) << task.id();
      }
    EXPECT_EQ(task.absolute_bound() > 0, !is_empty(instance)) << task.id();
  }
}

TEST(CotTasks, StepsReadAsTheGraphComputes) {
  const Instance sub = instance_of(structure_named("sub"), 0);
  EXPECT_EQ(step_lines(*sub.structure, outputs_of(sub)), std::vector<std::string>{"z = x - y"});
  const proto::OperatorGraph graph = graph_of(*sub.structure);
  ASSERT_EQ(graph.nodes_size(), 1);
  EXPECT_EQ(graph.nodes(0).op(), "sub");
  EXPECT_EQ(graph.nodes(0).inputs(0), 0);  // x
  EXPECT_EQ(graph.nodes(0).inputs(1), 1);  // y
  EXPECT_EQ(graph.outputs(0), 2);          // the value of sub: two inputs come before
}

TEST(CotTasks, PromptsNameWhatTheKernelNeeds) {
  for (const Instance& instance : instances_of(kSome, /*turns=*/1)) {
    const std::string brief = short_prompt(instance, "in compact style"), whole = kernel_only_prompt(instance);
    EXPECT_NE(brief.find(entry_point(instance) + " in compact style for " + std::to_string(instance.cores)),
              std::string::npos)
        << brief;
    EXPECT_NE(whole.find("void " + entry_point(instance) + "(GM_ADDR "), std::string::npos) << whole;
    EXPECT_NE(whole.find("<kernel_impl>"), std::string::npos);
    const auto outputs = outputs_of(instance);
    for (const std::string& step : step_lines(*instance.structure, outputs)) {
      EXPECT_NE(brief.find("\n" + step), std::string::npos) << step << "\n" << brief;
      EXPECT_NE(whole.find("\n" + step + "\n"), std::string::npos) << step << "\n" << whole;
    }
    for (const auto& tensors : {inputs_of(instance), outputs})
      for (const TensorOf& tensor : tensors) {
        const std::string type = type_name(tensor.dtype), extents = "[" + extents_text(tensor) + "]";
        EXPECT_NE(brief.find(type + extents), std::string::npos) << tensor.name << "\n" << brief;
        EXPECT_NE(whole.find("\n" + tensor.name + ";" + type + ";" + extents + "\n"), std::string::npos) << whole;
      }
  }
}

}  // namespace
}  // namespace kg::dataset::cot
