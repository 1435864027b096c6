// Which tasks the generator does not make, because their answer can be guessed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "dataset/cot/choice.h"
#include "dataset/cot/guessable.h"
#include "operators/golden.h"
#include "reward/affine_answer.h"

namespace kg::dataset::cot {
namespace {

using ::testing::HasSubstr;

proto::Task task_of(const std::vector<std::pair<const char*, std::vector<double>>>& ops, int inputs, proto::DType dtype,
                    std::int64_t in, std::int64_t out, proto::Distribution::Kind kind, double low, double high) {
  proto::Task task;
  task.mutable_graph()->set_input_count(inputs);
  for (const auto& [op, attributes] : ops) {
    proto::GraphNode& node = *task.mutable_graph()->add_nodes();
    node.set_op(op);
    const int before = task.graph().nodes_size() - 1;
    for (int i = 0; i < (before == 0 ? inputs : 1); ++i) node.add_inputs(before == 0 ? i : inputs + before - 1);
    for (const double attribute : attributes) node.add_attributes(attribute);
  }
  task.mutable_graph()->add_outputs(inputs + task.graph().nodes_size() - 1);
  for (std::uint64_t seed : {1, 2}) {
    proto::TaskCase& one = *task.add_cases();
    one.set_seed(seed);
    for (int i = 0; i < inputs; ++i) {
      proto::TensorSpec& spec = *one.add_inputs();
      spec.set_name(i == 0 ? "x" : "y");
      spec.set_dtype(dtype);
      spec.add_shape(in);
      spec.mutable_distribution()->set_kind(kind);
      spec.mutable_distribution()->set_low(low);
      spec.mutable_distribution()->set_high(high);
    }
    proto::TensorSpec& spec = *one.add_outputs();
    spec.set_name("z");
    spec.set_dtype(dtype);
    spec.add_shape(out);
  }
  return task;
}

constexpr auto kEven = proto::Distribution::UNIFORM;
constexpr auto kUneven = proto::Distribution::UNEVEN;

// The tasks of the review, which constants were right for.
TEST(Guessable, MeansAndExtremesOfManyEvenNumbersAre) {
  const auto why = [](const char* op, int inputs, proto::DType dtype, proto::Distribution::Kind kind, double low) {
    return why_guessable(task_of({{op, {}}}, inputs, dtype, 8192, 1, kind, low, 2));
  };
  EXPECT_THAT(why("bce_logits_loss", 2, proto::BFLOAT16, kEven, 0.25), HasSubstr("hardly depends on the inputs"));
  EXPECT_THAT(why("max_all", 1, proto::FLOAT32, kEven, -2), HasSubstr("z"));
  EXPECT_THAT(why("min_all", 1, proto::BFLOAT16, kEven, -2), HasSubstr("z"));
  EXPECT_EQ(why("max_all", 1, proto::FLOAT32, kUneven, -2), "");
  EXPECT_EQ(why("mean_all", 1, proto::FLOAT32, kUneven, -2), "");
  EXPECT_EQ(why("mse_loss", 2, proto::FLOAT32, kUneven, -2), "");
}

TEST(Guessable, ThresholdThatDecidesTheResultIs) {
  EXPECT_THAT(why_guessable(task_of({{"threshold", {0.5, 2}}, {"min_all", {}}, {"sqrt", {}}}, 1, proto::BFLOAT16, 8192,
                                    1, kEven, 0.25, 2)),
              HasSubstr("hardly depends on the inputs"));
}

TEST(Guessable, OneBitIs) {
  EXPECT_NE(why_guessable(task_of({{"step", {0}}}, 1, proto::FLOAT32, 1, 1, kUneven, -2, 2)), "");
  EXPECT_EQ(why_guessable(task_of({{"step", {0}}}, 1, proto::FLOAT32, 4096, 4096, kUneven, -2, 2)), "");
}

TEST(Guessable, WhatIsNearlyALineIsButALineIsNot) {
  EXPECT_THAT(why_guessable(task_of({{"tanh", {}}}, 1, proto::BFLOAT16, 4096, 4096, kEven, -0.05, 0.05)),
              HasSubstr("multiple of x"));
  EXPECT_EQ(why_guessable(task_of({{"tanh", {}}}, 1, proto::BFLOAT16, 4096, 4096, kUneven, -2, 2)), "");
  EXPECT_EQ(why_guessable(task_of({{"muls", {3}}}, 1, proto::BFLOAT16, 4096, 4096, kUneven, -2, 2)), "");
}

TEST(AffineAnswer, IsFoundIfAndOnlyIfThereIsOne) {
  reward::AffineAnswer line, bent;
  for (int i = 0; i < 1000; ++i) {
    const double x = -1 + 0.002 * i;
    line.add(x, 3 * x - 7 + (i % 2 == 0 ? 0.9e-3 : -0.9e-3), 1e-3);
    bent.add(x, x * x, 0.124);  // the best line is off by 1/8 at the ends and in the middle: 0.5 is off by 0.5
  }
  EXPECT_TRUE(line.exists());
  EXPECT_FALSE(line.constant_exists());
  EXPECT_FALSE(line.copy_exists());
  EXPECT_FALSE(bent.exists());
  reward::AffineAnswer half;  // x^2 on [0, 1]: x - 1/8 is off by 1/8
  reward::AffineAnswer less;
  for (int i = 0; i <= 1000; ++i) {
    const double x = 0.001 * i;
    half.add(x, x * x, 0.1251);
    less.add(x, x * x, 0.1249);
  }
  EXPECT_TRUE(half.exists());
  EXPECT_FALSE(less.exists());
}

TEST(Choice, IsAFunctionOfNumberAndSeedAndNeverGuessable) {
  for (std::uint64_t number = 0; number < 12; ++number) {
    const Choice one = choose_task(number, 5), again = choose_task(number, 5);
    EXPECT_EQ(one.found, again.found);
    EXPECT_EQ(one.task.SerializeAsString(), again.task.SerializeAsString());
    if (one.found) {
      EXPECT_EQ(why_guessable(one.task), "") << one.task.id();
    }
  }
}

}  // namespace
}  // namespace kg::dataset::cot
