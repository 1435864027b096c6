#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "operators/golden.h"
#include "operators/operators.h"
#include "reward/baseline.h"

namespace kg::reward {
namespace {

proto::Tensor tensor_of(const nlohmann::json& entry) {
  const std::vector<std::int64_t> shape = entry[0];
  const std::vector<double> values = entry[1];
  proto::Tensor tensor;
  tensor.set_dtype(proto::FLOAT64);
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  tensor.mutable_data()->assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return tensor;
}

proto::OperatorGraph graph_of(const std::string& name) {
  proto::OperatorGraph graph;
  graph.set_input_count(4);
  proto::GraphNode& node = *graph.add_nodes();
  node.set_op(name);
  for (int i = 0; i < 4; ++i) node.add_inputs(i);
  graph.add_outputs(4);
  return graph;
}

TEST(HyperConnections, EveryOperatorEqualsPyTorch) {
  const auto reference =
      nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/unit/reward_hyper_connections_reference.json"));
  std::size_t seen = 0;
  for (const operators::OperatorInfo& info : operators::hyper_connection_operators()) {
    SCOPED_TRACE(info.name);
    const nlohmann::json& cases = reference[info.name == "mhc_post" ? "post" : "pre"];
    std::vector<proto::Tensor> inputs;
    for (const auto& entry : cases["inputs"]) inputs.push_back(tensor_of(entry));
    const auto outputs = operators::golden_outputs(graph_of(info.name), inputs);
    const std::vector<double> wanted = cases[info.name];
    ASSERT_EQ(outputs[0].values.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i) EXPECT_NEAR(outputs[0].values[i], wanted[i], 1e-12);
    ++seen;
  }
  EXPECT_EQ(seen, 4u);
}

TEST(HyperConnections, OtherShapesAreRefused) {
  std::vector<proto::Tensor> inputs;
  for (int i = 0; i < 4; ++i) inputs.push_back(tensor_of(nlohmann::json{{2, 2}, {1, 2, 3, 4}}));
  EXPECT_THROW(operators::golden_outputs(graph_of("mhc_post"), inputs), Error);
  EXPECT_THROW(operators::golden_outputs(graph_of("mhc_pre_mix"), inputs), Error);
}

// Six operators: the bytes of cast, bmm, cast, mul, add, cast at 80 % of 1.46 TB/s, and a launch each.
TEST(HyperConnections, TheBaselineIsTheOperatorsOneByOne) {
  proto::TaskCase task_case;
  const std::vector<std::vector<std::int64_t>> shapes = {{384, 1024}, {384, 4, 1024}, {384, 4}, {384, 4, 4}};
  for (const auto& shape : shapes) {
    proto::TensorSpec& spec = *task_case.add_inputs();
    spec.set_dtype(proto::BFLOAT16);
    spec.mutable_shape()->Add(shape.begin(), shape.end());
  }
  const double elements = 384 * 1024, bytes = elements * (24 + 32 + 6 + 20 + 48 + 24) + 384 * 64;
  EXPECT_NEAR(static_cast<double>(baseline_cycles(graph_of("mhc_post"), task_case)),
              (bytes / 1.46e12 / 0.8 + 6 * 5e-6) * 1.85e9, 2);
}

}  // namespace
}  // namespace kg::reward
