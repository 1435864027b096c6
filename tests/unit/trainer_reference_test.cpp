// Loss, optimiser and schedule against PyTorch (trainer_reference.py made the numbers): 1e-10 relative in fp64; 1e-5
// relative or 1e-7 absolute in fp32.
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer/adamw.h"
#include "trainer/algorithm.h"
#include "trainer/gradient.h"
#include "trainer/policy_loss.h"
#include "trainer/schedule.h"

namespace kg::trainer {
namespace {

nlohmann::json reference() {
  std::ifstream file(std::string(KG_SOURCE_DIR) + "/tests/unit/trainer_reference.json");
  return nlohmann::json::parse(file);
}

at::ScalarType type_of(const nlohmann::json& c) { return c["dtype"] == "float64" ? at::kDouble : at::kFloat; }

at::Tensor tensor_of(std::vector<double> values, at::ScalarType type, at::IntArrayRef shape = {}) {
  at::Tensor tensor =
      at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kDouble).to(type).clone();
  return shape.empty() ? tensor : tensor.reshape(shape);
}

void expect_near(double got, double want, at::ScalarType type, const std::string& what) {
  const double bound = type == at::kDouble ? 1e-10 * std::abs(want) + 1e-300 : std::max(1e-5 * std::abs(want), 1e-7);
  EXPECT_LE(std::abs(got - want), bound) << what << ": " << got << " against " << want;
}

void expect_near(const at::Tensor& got, const std::vector<double>& want, at::ScalarType type, const std::string& what) {
  const at::Tensor flat = got.detach().to(at::kDouble).flatten().contiguous();
  ASSERT_EQ(flat.numel(), static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) expect_near(flat.data_ptr<double>()[i], want[i], type, what);
}

TEST(TrainerReference, PolicyLossItsGradientAndK3AgreeWithPyTorch) {
  for (const auto& c : reference()["policy_loss"]) {
    const at::ScalarType type = type_of(c);
    const AdvantageRule rule{c["leave_one_out"] ? AdvantageBaseline::kLeaveOneOut : AdvantageBaseline::kGroupMean,
                             c["std"]};
    std::vector<double> advantages;
    for (const auto& group : c["rewards"]) {
      const auto some = group_advantages(group.get<std::vector<double>>(), rule);
      ASSERT_TRUE(some.has_value());
      advantages.insert(advantages.end(), some->begin(), some->end());
    }
    const auto wanted = c["advantages"].get<std::vector<double>>();
    for (std::size_t i = 0; i < wanted.size(); ++i) expect_near(advantages[i], wanted[i], at::kDouble, "advantage");

    const auto lengths = c["lengths"].get<std::vector<std::int64_t>>();
    const auto weights = token_weights(lengths, aggregation_from_name(c["aggregation"]), c["limit"]);
    std::vector<double> advantage, weight;
    for (std::size_t i = 0; i < lengths.size(); ++i) {
      advantage.insert(advantage.end(), static_cast<std::size_t>(lengths[i]), advantages[i]);
      weight.insert(weight.end(), static_cast<std::size_t>(lengths[i]), weights[i]);
    }
    const at::Tensor current = tensor_of(c["current"], type).set_requires_grad(true);
    const PolicyLoss result = policy_loss({.current = current,
                                           .old = tensor_of(c["old"], type),
                                           .sampler = tensor_of(c["sampler"], type),
                                           .reference = tensor_of(c["reference"], type),
                                           .advantage = tensor_of(advantage, type),
                                           .weight = tensor_of(weight, type)},
                                          {.importance_cap = c["cap"], .kl_weight = c["kl_weight"]});
    result.loss.backward();
    expect_near(result.loss.item<double>(), c["loss"], type, "loss");
    expect_near(current.grad(), c["gradient"], type, "gradient");
    EXPECT_EQ(result.clipped_tokens, c["clipped"].get<double>());
    if (c["kl_weight"] > 0) expect_near(result.kl_sum, c["kl"], type, "k3");
  }
}

TEST(TrainerReference, AdamWWithClippingAgreesWithPyTorch) {
  for (const auto& c : reference()["adamw"]) {
    const at::ScalarType type = type_of(c);
    const std::vector<policy::NamedTensor> weights = {{"matrix", tensor_of(c["start"][0], type, {4, 5})},
                                                      {"vector", tensor_of(c["start"][1], type)}};
    AdamW optimizer(weights, {.weight_decay = c["weight_decay"]});
    for (const auto& step : c["steps"]) {
      const std::vector<at::Tensor> gradients = {tensor_of(step["gradients"][0], type, {4, 5}),
                                                 tensor_of(step["gradients"][1], type)};
      const double norm = global_norm(gradients);
      expect_near(norm, step["norm"], type, "norm");
      optimizer.step(gradients, step["rate"], clip_scale(norm, c["clip"]));
      for (std::size_t i = 0; i < 2; ++i) expect_near(weights[i].tensor, step["weights"][i], type, weights[i].name);
    }
  }
}

TEST(TrainerReference, ScheduleAgreesWithPyTorch) {
  for (const auto& c : reference()["schedule"]) {
    const Schedule schedule{.peak = c["peak"],
                            .warmup_steps = c["warmup"],
                            .total_steps = c["total"],
                            .decay = c["decay"],
                            .final_ratio = c["final_ratio"]};
    for (std::int64_t step = 0; step < schedule.total_steps; ++step)
      expect_near(learning_rate(schedule, step), c["rates"][static_cast<std::size_t>(step)], at::kDouble, "rate");
  }
}

}  // namespace
}  // namespace kg::trainer
