// What an NVIDIA card computes against the same on the CPU; skipped where there is none.
#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/rand.h>
#include <ATen/ops/randint.h>
#include <ATen/ops/randn.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/attention.h"
#include "policy/model/cuda_layers.h"
#include "policy/model/device.h"
#include "policy/model/fused_layers.h"
#include "policy/model/token_log_prob.h"
#include "tests/support/relative_error.h"
#include "tests/support/tiny_model.h"
#include "trainer/answer_loss.h"
#include "trainer/trainable.h"

namespace kg {
namespace {

class Cuda : public testing::TestWithParam<at::ScalarType> {
 protected:
  void SetUp() override {
    try {
      device_ = policy::open_device("cuda");
    } catch (const Error& error) {
      GTEST_SKIP() << error.what();
    }
  }
  double bound() const { return GetParam() == at::kFloat ? 2e-5 : 1e-2; }
  at::Tensor drawn(c10::IntArrayRef shape) const { return at::randn(shape).mul(2).to(GetParam()); }

  // Values and gradients of `function(inputs)` there, against those in fp32 here.
  template <typename Function>
  void expect_equal(const std::vector<at::Tensor>& inputs, Function function) const {
    std::vector<at::Tensor> here, there;
    for (const at::Tensor& x : inputs) {
      here.push_back(x.to(at::kFloat).detach().requires_grad_(true));
      there.push_back(x.to(device_).detach().requires_grad_(true));
    }
    const at::Tensor wanted = function(here), value = function(there);
    ASSERT_TRUE(value.is_cuda());
    EXPECT_LT(policy::relative_error(value, wanted), bound());
    const at::Tensor upstream = at::randn(wanted.sizes()).to(value.scalar_type());
    value.backward(upstream.to(device_));
    wanted.backward(upstream.to(wanted.scalar_type()));
    for (std::size_t i = 0; i < inputs.size(); ++i)
      EXPECT_LT(policy::relative_error(there[i].grad(), here[i].grad()), bound()) << "gradient of argument " << i;
  }

  at::Device device_ = at::kCPU;
};

TEST_P(Cuda, RmsNorm) {
  for (const std::int64_t width : {53, 64, 576, 2048, 4096})
    expect_equal({drawn({371, width}), drawn({width})},
                 [](const auto& x) { return policy::rms_norm(x[0], x[1], 1e-5); });
}

TEST_P(Cuda, SumAndItsRmsNorm) {
  for (const std::int64_t width : {53, 576})
    expect_equal({drawn({371, width}), drawn({371, width}), drawn({width})}, [](const auto& x) {
      const auto [sum, normed] = policy::add_rms_norm(x[0], x[1], x[2], 1e-5);
      return normed.mul(0.7).add(sum);
    });
}

TEST_P(Cuda, HeadsOfOneProduct) {
  const at::Tensor angles = at::rand({37, 32}).mul(6);
  expect_equal({drawn({37, 5 * 64})}, [&](const auto& x) {
    const at::Tensor there = angles.to(x[0].device());
    const policy::Rotation rotation{there.cos(), there.sin()};
    if (x[0].is_cuda()) {
      const policy::Heads heads = policy::cuda_heads(x[0], rotation, /*heads=*/3, /*kv_heads=*/1);
      return at::cat({heads.query, heads.key, heads.value}, 1);
    }
    const at::Tensor heads = x[0].view({37, 5, 64});
    return at::cat({policy::rotate(heads.narrow(1, 0, 4), rotation), heads.narrow(1, 4, 1)}, 1);
  });
}

TEST_P(Cuda, SwigluOfOneProduct) {
  for (const std::int64_t width : {53, 1536})
    expect_equal({drawn({37, 2 * width})}, [&](const auto& x) {
      if (x[0].is_cuda()) return policy::cuda_joined_swiglu(x[0]);
      return policy::swiglu(x[0].narrow(1, 0, width), x[0].narrow(1, width, width));
    });
}

TEST_P(Cuda, Swiglu) {
  for (const std::int64_t width : {53, 1536})
    expect_equal({drawn({37, width}), drawn({37, width})},
                 [](const auto& x) { return policy::fused_swiglu(x[0], x[1]); });
}

TEST_P(Cuda, SwigluOfAPartThatBeginsAnywhere) {
  expect_equal({drawn({41, 53}), drawn({41, 53})},
               [](const auto& x) { return policy::fused_swiglu(x[0].narrow(0, 3, 30), x[1].narrow(0, 1, 30)); });
}

TEST_P(Cuda, Rotate) {
  for (const std::int64_t size : {10, 64}) {
    const at::Tensor angles = at::rand({37, size / 2}).mul(6);
    expect_equal({drawn({37, 3, size})}, [&](const auto& x) {
      const at::Tensor there = angles.to(x[0].device());
      return policy::fused_rotate(x[0], {there.cos(), there.sin()});
    });
  }
}

TEST_P(Cuda, AttentionOfDocumentsAndOfAnswersToOnePrompt) {
  const std::vector<policy::Segment> segments{{0, 130}, {130, 131}, {131, 200}, {200, 240, 2}, {240, 301, 2}};
  for (const std::int64_t size : {16, 64})
    expect_equal({drawn({301, 6, size}), drawn({301, 2, size}), drawn({301, 2, size})},
                 [&](const auto& x) { return policy::CausalAttention(segments, x[0].device())(x[0], x[1], x[2]); });
}

TEST_P(Cuda, LogProbabilitiesAndEntropy) {
  const at::Tensor targets = at::randint(997, {101}, at::kLong);
  const policy::TokenLogProbOptions options{.temperature = 0.7, .entropy = true, .chunk = 40};
  expect_equal({drawn({101, 64}).mul(0.1), drawn({997, 64})}, [&](const auto& x) {
    return policy::token_log_prob(x[0], x[1], targets.to(x[0].device()), options).log_prob;
  });
  const at::Tensor hidden = drawn({101, 64}).mul(0.1), head = drawn({997, 64});
  const auto wanted = policy::token_log_prob(hidden.to(at::kFloat), head.to(at::kFloat), targets, options),
             value = policy::token_log_prob(hidden.to(device_), head.to(device_), targets.to(device_), options);
  EXPECT_LT(policy::relative_error(value.entropy, wanted.entropy), bound());
}

// A prompt with two answers, and a document.
trainer::PackedRow small_row(std::int64_t vocabulary) {
  trainer::PackedRow row;
  row.segments = {{0, 30}, {30, 50, 0}, {50, 75, 0}, {75, 120}};
  for (std::int64_t i = 0; i < 120; ++i) row.ids.push_back((i * 37 + 11) % vocabulary);
  for (std::int64_t i = 30; i < 119; ++i) {
    if (i == 49 || i == 74) continue;
    row.loss_positions.push_back(i);
    row.targets.push_back(row.ids[static_cast<std::size_t>(i + 1)]);
  }
  return row;
}

TEST_P(Cuda, StepsOfTrainingGoTheSameWay) {
  const policy::ModelConfig config = policy::tiny_config();
  const auto weights = policy::random_weights(config, 3);
  const std::string dtype = GetParam() == at::kFloat ? "float32" : "bfloat16";
  trainer::Trainable here(config, weights, "float32", {}), there(config, weights, dtype, {.device = device_});
  const trainer::PackedRow row = small_row(config.vocabulary);
  for (int step = 0; step < 5; ++step) {
    double losses[2] = {}, norms[2] = {};
    int i = 0;
    for (trainer::Trainable* one : {&here, &there}) {
      const at::Tensor loss = trainer::answer_loss(one->model(), row, trainer::plain_distribution(), /*kept=*/{},
                                                   [&](const at::Tensor& log_prob, std::int64_t) {
                                                     return log_prob.sum() / -static_cast<double>(row.targets.size());
                                                   });
      losses[i] = loss.item<double>();
      one->accumulate(loss);
      norms[i++] = one->step(/*learning_rate=*/1e-3, /*clip_norm=*/0.5).gradient_norm;
    }
    EXPECT_NEAR(losses[1], losses[0], bound() * losses[0]) << "step " << step;
    EXPECT_NEAR(norms[1], norms[0], 5 * bound() * norms[0]) << "step " << step;
  }
}

// Answers drawn from logits of the card: the same tokens with log-probabilities as the model gives them on the CPU.
TEST_P(Cuda, Generation) {
  const policy::ModelConfig config = policy::tiny_config();
  const auto weights = policy::random_weights(config, 3);
  const std::string dtype = GetParam() == at::kFloat ? "float32" : "bfloat16";
  std::vector<std::vector<float>> log_probs[2];
  std::vector<std::vector<std::int32_t>> tokens[2];
  int side = 0;
  for (const std::string device : {"cpu", "cuda"}) {
    const std::string type = device == "cpu" ? "float32" : dtype;
    policy::GenerationEngine engine(
        config, nullptr, {},
        {.max_batch = 4, .device = device, .dtype = type, .threads = 2, .kv_cache_bytes = 1 << 22, .prefill_rows = 5});
    engine.set_weights(policy::pack_weights(config, weights, device, type), 1);
    for (std::uint64_t id = 1; id <= 3; ++id) {
      proto::GenerateRequest request;
      request.set_request_id(id);
      request.set_count(2);
      request.mutable_sampling()->set_temperature(GetParam() == at::kFloat ? 1 : 0);
      request.mutable_sampling()->set_seed(id);
      request.mutable_sampling()->set_max_new_tokens(24);
      engine.submit_tokens(request, {1, 2, 3, static_cast<std::int32_t>(id), 7, 9, 4, 5});
    }
    while (engine.step()) {
    }
    for (const policy::FinishedRequest& done : engine.take_finished())
      for (const proto::Completion& completion : done.reply.completions()) {
        tokens[side].emplace_back(completion.token_ids().begin(), completion.token_ids().end());
        log_probs[side].emplace_back(completion.log_probs().begin(), completion.log_probs().end());
      }
    ++side;
  }
  ASSERT_EQ(tokens[0].size(), 6U);
  if (GetParam() != at::kFloat) {  // rounding may turn a choice; the first tokens are the same
    for (std::size_t i = 0; i < 6; ++i) EXPECT_EQ(tokens[0][i].front(), tokens[1][i].front());
    return;
  }
  EXPECT_EQ(tokens[0], tokens[1]);
  for (std::size_t i = 0; i < 6; ++i)
    for (std::size_t t = 0; t < log_probs[0][i].size(); ++t) EXPECT_NEAR(log_probs[0][i][t], log_probs[1][i][t], 1e-4);
}

INSTANTIATE_TEST_SUITE_P(, Cuda, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& info) { return std::string(c10::toString(info.param)); });

}  // namespace
}  // namespace kg
