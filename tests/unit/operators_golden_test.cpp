#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "operators/draw.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "operators/operators.h"
#include "proto/dtype.h"

namespace kg::operators {
namespace {

nlohmann::json reference() {
  return nlohmann::json::parse(read_file(KG_SOURCE_DIR "/tests/unit/reward_reference.json"));
}

proto::Tensor tensor_of(const std::vector<double>& values, const std::vector<std::int64_t>& shape) {
  proto::Tensor tensor;
  tensor.set_dtype(proto::FLOAT64);
  tensor.mutable_shape()->Add(shape.begin(), shape.end());
  tensor.mutable_data()->assign(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double));
  return tensor;
}

TEST(Golden, EveryOperatorEqualsPyTorch) {
  const nlohmann::json cases = reference();
  std::size_t seen = 0;
  for (const auto& entry : cases["operators"]) {
    const std::string name = entry["name"];
    SCOPED_TRACE(name);
    proto::OperatorGraph graph;
    std::vector<proto::Tensor> inputs;
    proto::GraphNode& node = *graph.add_nodes();
    node.set_op(name);
    for (std::size_t i = 0; i < entry["inputs"].size(); ++i) {
      node.add_inputs(static_cast<int>(i));
      inputs.push_back(tensor_of(entry["inputs"][i], entry["input_shapes"][i]));
    }
    for (const double attribute : entry["attributes"]) node.add_attributes(attribute);
    graph.set_input_count(static_cast<int>(inputs.size()));
    graph.add_outputs(static_cast<int>(inputs.size()));
    const std::vector<GoldenTensor> outputs = golden_outputs(graph, inputs);
    ASSERT_EQ(outputs.size(), 1u);
    EXPECT_EQ(outputs[0].shape, entry["output_shape"].get<std::vector<std::int64_t>>());
    const std::vector<double> wanted = entry["output"];
    ASSERT_EQ(outputs[0].values.size(), wanted.size());
    for (std::size_t i = 0; i < wanted.size(); ++i)
      EXPECT_NEAR(outputs[0].values[i], wanted[i], 1e-13 * std::max(1.0, std::abs(wanted[i])));
    ++seen;
  }
  EXPECT_EQ(seen, operator_table().size());
}

// As numpy does, also where an operand of one number a row is given an axis of its own.
TEST(Golden, ElementwiseOperandsAreBroadcast) {
  proto::OperatorGraph graph;
  graph.set_input_count(3);
  const auto add = [&](const char* op, std::vector<int> operands) {
    proto::GraphNode& node = *graph.add_nodes();
    node.set_op(op);
    node.mutable_inputs()->Add(operands.begin(), operands.end());
  };
  add("unsqueeze", {1});
  add("sub", {0, 3});
  add("muladd", {4, 2, 0});
  graph.add_outputs(5);
  const auto outputs = golden_outputs(
      graph, {tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}), tensor_of({10, 20}, {2}), tensor_of({1, 0, -1}, {3})});
  EXPECT_EQ(outputs[0].shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(outputs[0].values, (std::vector<double>{-8, 2, 10, -12, 5, 20}));
  graph.mutable_nodes(1)->set_inputs(1, 1);  // (2, 3) against (2)
  EXPECT_THROW(golden_outputs(graph, {tensor_of({1, 2, 3, 4, 5, 6}, {2, 3}), tensor_of({10, 20}, {2}),
                                      tensor_of({1, 0, -1}, {3})}),
               Error);
}

TEST(Golden, GraphsThatAreNoneAreRefusedByName) {
  proto::OperatorGraph graph;
  graph.set_input_count(1);
  proto::GraphNode& node = *graph.add_nodes();
  node.set_op("rellu");
  node.add_inputs(0);
  graph.add_outputs(1);
  const std::vector<proto::Tensor> inputs{tensor_of({1, 2}, {2})};
  try {
    golden_outputs(graph, inputs);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(error.full_message().find("relu"), std::string::npos) << error.full_message();
  }
  node.set_op("add");
  EXPECT_THROW(golden_outputs(graph, inputs), Error);
  node.set_op("relu");
  node.set_inputs(0, 1);
  EXPECT_THROW(golden_outputs(graph, inputs), Error);
}

TEST(Golden, InputsAreAFunctionOfTheSeed) {
  proto::TaskCase task_case;
  proto::TensorSpec& spec = *task_case.add_inputs();
  spec.set_dtype(proto::FLOAT16);
  spec.add_shape(1000);
  spec.mutable_distribution()->set_kind(proto::Distribution::UNIFORM);
  spec.mutable_distribution()->set_low(-2);
  spec.mutable_distribution()->set_high(2);
  task_case.set_seed(5);
  const auto first = make_inputs(task_case), second = make_inputs(task_case);
  EXPECT_EQ(first[0].data(), second[0].data());
  task_case.set_seed(6);
  EXPECT_NE(make_inputs(task_case)[0].data(), first[0].data());
  double sum = 0;
  for (const double value : to_golden(first[0]).values) {
    EXPECT_GE(value, -2);
    EXPECT_LE(value, 2);
    sum += value;
  }
  EXPECT_NEAR(sum / 1000, 0, 0.15);
}

// Means differ from seed to seed by far more than those of even numbers, and the first sixteenth does not tell them.
TEST(Golden, UnevenInputsStayInTheirRangeAndNoPartTellsTheRest) {
  proto::Distribution drawn;
  drawn.set_kind(proto::Distribution::UNEVEN);
  drawn.set_low(-2);
  drawn.set_high(2);
  std::vector<double> means, sizes, most;
  int close = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    Philox random(seed, 0);
    const std::vector<double> values = draw(random, drawn, 8192);
    ASSERT_EQ(values.size(), 8192u);
    double sum = 0, part = 0, largest = -2;
    for (std::size_t n = 0; n < values.size(); ++n) {
      ASSERT_GE(values[n], -2);
      ASSERT_LT(values[n], 2);
      sum += std::abs(values[n]);
      if (n < 512) part += std::abs(values[n]);
      largest = std::max(largest, values[n]);
    }
    means.push_back(sum / 8192);
    most.push_back(largest);
    close += std::abs(part / 512 - means.back()) < 0.02 * means.back();
  }
  const auto [least, greatest] = std::minmax_element(means.begin(), means.end());
  EXPECT_GT(*greatest / *least, 8);
  EXPECT_GT(*std::max_element(most.begin(), most.end()) / *std::min_element(most.begin(), most.end()), 8);
  EXPECT_LE(close, 6);
  drawn.set_low(0.25);  // what is positive stays so
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    Philox random(seed, 0);
    for (const double value : draw(random, drawn, 100)) {
      ASSERT_GE(value, 0.25);
      ASSERT_LT(value, 2);
    }
  }
}

TEST(NumberFormat, RoundingEqualsPyTorch) {
  const nlohmann::json cases = reference();
  for (const auto& row : cases["rounding"]) {
    const proto::DType dtype = proto::dtype_from_name(row[0]);
    const double wanted = row[2].is_string() ? (row[2] == "inf" ? INFINITY : -INFINITY) : row[2].get<double>();
    EXPECT_EQ(round_to(dtype, row[1]), wanted) << row.dump();
    char bytes[8];
    write_element(dtype, bytes, 0, row[1]);
    EXPECT_EQ(read_element(dtype, bytes, 0), wanted) << row.dump();
  }
}

}  // namespace
}  // namespace kg::operators
