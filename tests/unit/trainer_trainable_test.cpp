#include <ATen/TensorOperators.h>
#include <ATen/ops/full.h>
#include <ATen/ops/ones.h>
#include <gtest/gtest.h>

#include <limits>

#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

std::vector<policy::NamedTensor> two_weights() {
  return {{"model.a.weight", at::ones({3, 2})}, {"model.b.weight", at::ones({2})}};
}

TEST(Trainable, AGradientThatIsNotFiniteChangesNothingAndNamesTheWeight) {
  Trainable trainable({}, two_weights(), "float32", {});
  at::Tensor a = trainable.model().parameters()[0].tensor, b = trainable.model().parameters()[1].tensor;
  trainable.accumulate(a.sum() + (b * std::numeric_limits<float>::infinity()).sum());
  const StepOutcome outcome = trainable.step(0.1, 1.0);
  EXPECT_NE(outcome.skipped.find("model.b.weight"), std::string::npos) << outcome.skipped;
  EXPECT_TRUE(trainable.masters()[0].tensor.equal(at::ones({3, 2})));
  EXPECT_EQ(trainable.optimizer().steps(), 0);
  // The next step is a normal one: nothing of the bad gradient is left.
  trainable.accumulate(a.sum() + b.sum());
  EXPECT_EQ(trainable.step(0.1, 1.0).skipped, "");
  EXPECT_FALSE(trainable.masters()[0].tensor.equal(at::ones({3, 2})));
}

// 8 micro-batches of 1 are the batch of 8, in both compute types.
TEST(Trainable, GradientsOfMicroBatchesAddUp) {
  for (const char* dtype : {"float32", "bfloat16"}) {
    Trainable once({}, two_weights(), dtype, {}), often({}, two_weights(), dtype, {});
    at::Tensor whole = once.model().parameters()[0].tensor, part = often.model().parameters()[0].tensor;
    once.accumulate((whole * 8).sum());
    for (int i = 0; i < 8; ++i) often.accumulate(part.sum());
    EXPECT_DOUBLE_EQ(once.step(0.1, 0).gradient_norm, often.step(0.1, 0).gradient_norm);
    EXPECT_TRUE(once.masters()[0].tensor.equal(often.masters()[0].tensor));
  }
}

// A step of 1e-4 is below half a unit in the last place of 1.0 in bf16: without fp32 masters the weight would never move.
TEST(Trainable, MasterWeightsKeepStepsThatTheComputeCopyCannotShow) {
  Trainable trainable({}, two_weights(), "bfloat16", {});
  at::Tensor a = trainable.model().parameters()[0].tensor;
  for (int i = 0; i < 100; ++i) {
    trainable.accumulate(a.sum());
    trainable.step(1e-4, 0);
  }
  EXPECT_NEAR(trainable.masters()[0].tensor.mean().item<double>(), 0.99, 1e-4);
  EXPECT_NEAR(a.to(at::kFloat).mean().item<double>(), 0.99, 4e-3);
}

}  // namespace
}  // namespace kg::trainer
