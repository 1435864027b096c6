#include <ATen/TensorOperators.h>
#include <gtest/gtest.h>

#include <limits>

#include "tests/support/trainer_tiny_model.h"
#include "trainer/trainable.h"

namespace kg::trainer {
namespace {

Trainable make(const char* dtype) {
  const policy::LoadedModel model = tiny_model();
  return Trainable(model.config, model.weights, dtype, {});
}

at::Tensor norm_of(const Trainable& trainable) { return trainable.model().parameter("model.norm.weight"); }  // all ones
at::Tensor master_norm_of(const Trainable& trainable) {
  for (const policy::NamedTensor& master : trainable.masters())
    if (master.name == "model.norm.weight") return master.tensor.detach();
  return {};
}

TEST(Trainable, AGradientThatIsNotFiniteChangesNothingAndNamesTheWeight) {
  Trainable trainable = make("float32");
  const at::Tensor before = master_norm_of(trainable).clone();
  trainable.accumulate((norm_of(trainable) * std::numeric_limits<float>::infinity()).sum());
  const StepOutcome outcome = trainable.step(0.1, 1.0);
  EXPECT_NE(outcome.skipped.find("model.norm.weight"), std::string::npos) << outcome.skipped;
  EXPECT_TRUE(master_norm_of(trainable).equal(before));
  EXPECT_EQ(trainable.optimizer_steps(), 0);
  // The next step is a normal one: nothing of the bad gradient is left.
  trainable.accumulate(norm_of(trainable).sum());
  EXPECT_EQ(trainable.step(0.1, 1.0).skipped, "");
  EXPECT_NEAR((before - master_norm_of(trainable)).mean().item<double>(), 0.1, 1e-6);
}

// 8 micro-batches of 1 are the batch of 8, in both compute types.
TEST(Trainable, GradientsOfMicroBatchesAddUp) {
  for (const char* dtype : {"float32", "bfloat16"}) {
    Trainable once = make(dtype), often = make(dtype);
    once.accumulate((norm_of(once) * 8).sum());
    for (int i = 0; i < 8; ++i) often.accumulate(norm_of(often).sum());
    EXPECT_DOUBLE_EQ(once.step(0.1, 0).gradient_norm, often.step(0.1, 0).gradient_norm);
    EXPECT_TRUE(master_norm_of(once).equal(master_norm_of(often)));
  }
}

// A step of 1e-4 is below half a unit in the last place of 1.0 in bf16: without fp32 masters the weight would never
// move.
TEST(Trainable, MasterWeightsKeepStepsThatTheComputeCopyCannotShow) {
  Trainable trainable = make("bfloat16");
  for (int i = 0; i < 40; ++i) {
    trainable.accumulate(norm_of(trainable).sum());
    trainable.step(1e-4, 0);
  }
  EXPECT_NEAR(master_norm_of(trainable).mean().item<double>(), 0.996, 1e-4);
  EXPECT_NEAR(norm_of(trainable).detach().to(at::kFloat).mean().item<double>(), 0.996, 2e-3);
}

}  // namespace
}  // namespace kg::trainer
