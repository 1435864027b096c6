// Fused layers against the same formulas written with ATen's operations in fp64, with autograd's gradients.
#include <ATen/ATen.h>
#include <c10/core/GradMode.h>
#include <c10/util/BFloat16.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "policy/model/each_set.h"
#include "policy/model/fused_layers.h"
#include "policy/model/tile_product.h"
#include "policy/model/token_log_prob.h"
#include "policy/model/train_kernels.h"
#include "tests/support/relative_error.h"

namespace kg::policy {
namespace {

// Odd sizes, so that the tails of vectors are tried.
class FusedLayers : public testing::TestWithParam<at::ScalarType> {
 protected:
  at::Tensor input(c10::IntArrayRef shape) const { return at::randn(shape).mul(3).to(GetParam()).requires_grad_(true); }
  static at::Tensor wide(const at::Tensor& x) { return x.detach().to(at::kDouble).requires_grad_(true); }
  // Values and gradients of `fused(inputs)` and `plain(wide inputs)` for the same upstream gradient.
  template <typename Fused, typename Plain>
  void expect_equal(const std::vector<at::Tensor>& inputs, Fused fused, Plain plain) const {
    std::vector<at::Tensor> wide_inputs;
    for (const at::Tensor& x : inputs) wide_inputs.push_back(wide(x));
    const at::Tensor value = fused(inputs), wanted = plain(wide_inputs);
    const at::Tensor upstream = at::randn(value.sizes()).to(GetParam());
    value.backward(upstream);
    wanted.backward(upstream.to(at::kDouble));
    const double bound = GetParam() == at::kFloat ? 1e-6 : 4e-3;
    EXPECT_LT(relative_error(value, wanted), bound);
    for (std::size_t i = 0; i < inputs.size(); ++i)
      EXPECT_LT(relative_error(inputs[i].grad(), wide_inputs[i].grad()), bound) << i;
  }
};

TEST_P(FusedLayers, RmsNorm) {
  expect_equal(
      {input({37, 53}), input({53})}, [](const auto& x) { return fused_rms_norm(x[0], x[1], 1e-5); },
      [](const auto& x) { return x[0] * x[0].square().mean(-1, true).add(1e-5).rsqrt() * x[1]; });
}

TEST_P(FusedLayers, SumAndItsRmsNorm) {
  expect_equal(
      {input({37, 53}), input({37, 53}), input({53})},
      [](const auto& x) {
        const NormedSum made = fused_add_rms_norm(x[0], x[1], x[2], 1e-5);
        return made.normed.mul(0.5).add(made.sum);
      },
      [](const auto& x) {
        const at::Tensor sum = x[0] + x[1];
        return (sum * sum.square().mean(-1, true).add(1e-5).rsqrt() * x[2]).mul(0.5).add(sum);
      });
}

TEST_P(FusedLayers, Swiglu) {
  expect_equal(
      {input({37, 53}), input({37, 53})}, [](const auto& x) { return fused_swiglu(x[0], x[1]); },
      [](const auto& x) { return x[0] * at::sigmoid(x[0]) * x[1]; });
}

TEST_P(FusedLayers, Rotate) {
  const Rotation rotation = rotation_of(at::arange(37, at::kLong), rope_of({.head_size = 22}));
  expect_equal(
      {input({37, 3, 22})}, [&](const auto& x) { return fused_rotate(x[0], rotation); },
      [&](const auto& x) {
        const at::Tensor c = rotation.cosine.to(at::kDouble).unsqueeze(1),
                         s = rotation.sine.to(at::kDouble).unsqueeze(1);
        const std::vector<at::Tensor> h = x[0].chunk(2, -1);
        return at::cat({h[0] * c - h[1] * s, h[1] * c + h[0] * s}, -1);
      });
}

INSTANTIATE_TEST_SUITE_P(Types, FusedLayers, testing::Values(at::kFloat, at::kBFloat16),
                         [](const auto& info) { return std::string(c10::toString(info.param)); });

TEST(TrainKernels, Bfloat16RowsAreConvertedAsATenDoes) {
  std::vector<std::uint16_t> patterns(65536);
  for (std::size_t i = 0; i < patterns.size(); ++i) patterns[i] = static_cast<std::uint16_t>(i);
  std::vector<float> wide(patterns.size());
  widen_row(patterns.data(), static_cast<std::int64_t>(patterns.size()), wide.data());
  std::vector<float> narrow;  // each pattern, the middle between it and the next, and a little to both sides
  for (std::size_t i = 0; i < patterns.size(); ++i) {
    EXPECT_EQ(std::bit_cast<std::uint32_t>(wide[i]),
              std::bit_cast<std::uint32_t>(static_cast<float>(c10::BFloat16(patterns[i], c10::BFloat16::from_bits()))));
    for (const std::uint32_t low : {0u, 1u, 0x7FFFu, 0x8000u, 0x8001u, 0xFFFFu})
      narrow.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(i) << 16 | low));
  }
  std::vector<std::uint16_t> back(narrow.size());
  narrow_row(narrow.data(), static_cast<std::int64_t>(narrow.size()), back.data());
  for (std::size_t i = 0; i < narrow.size(); ++i) {
    if (std::isnan(narrow[i]))
      ASSERT_EQ(back[i] & 0x7FC0u, 0x7FC0u) << i;
    else
      ASSERT_EQ(back[i], static_cast<c10::BFloat16>(narrow[i]).x) << narrow[i];
  }
}

TEST(TokenLogProb, EqualsLogSoftmaxOfAllLogitsWithItsEntropyAndGradients) {
  const at::Tensor hidden = at::randn({29, 16}).requires_grad_(true), head = at::randn({1003, 16}).requires_grad_(true);
  const at::Tensor targets = at::randint(1003, {29}, at::kLong), upstream = at::randn({29});
  const TokenLogProb result = token_log_prob(hidden, head, targets, {.temperature = 0.8, .entropy = true, .chunk = 6});
  result.log_prob.backward(upstream);

  const at::Tensor wide_hidden = hidden.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor wide_head = head.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor all = at::log_softmax(at::mm(wide_hidden, wide_head.t()) / 0.8, -1);
  const at::Tensor wanted = all.gather(1, targets.unsqueeze(1)).squeeze(1);
  wanted.backward(upstream.to(at::kDouble));
  EXPECT_LT(relative_error(result.log_prob, wanted), 1e-6);
  EXPECT_LT(relative_error(result.entropy, -(all.exp() * all).sum(1)), 1e-5);
  EXPECT_FALSE(result.entropy.requires_grad());
  EXPECT_LT(relative_error(hidden.grad(), wide_hidden.grad()), 1e-5);
  EXPECT_LT(relative_error(head.grad(), wide_head.grad()), 1e-5);
}

// At logits of 16 to 32 bf16 has steps of 0.125.
TEST(TokenLogProb, LogitsOfBfloat16StatesAreNotRoundedToBfloat16) {
  if (!bfloat16_products()) GTEST_SKIP() << "this CPU has no products of bf16";
  const at::Tensor hidden = at::randn({37, 64}).to(at::kBFloat16), head = (at::randn({1003, 64}) * 2).to(at::kBFloat16);
  const at::Tensor logits = at::mm(hidden.to(at::kDouble), head.to(at::kDouble).t());  // (N, V)
  ASSERT_GT(logits.max().item<double>(), 32);
  const at::Tensor targets = logits.argmax(1);
  const at::Tensor wanted = at::log_softmax(logits, -1).gather(1, targets.unsqueeze(1)).squeeze(1);
  const TokenLogProb result = token_log_prob(hidden, head, targets, {.chunk = 8});
  EXPECT_LT((result.log_prob - wanted).abs().max().item<double>(), 1e-4);
}

// Several chunks, the last of them of an odd number of rows.
TEST(TokenLogProb, GradientOfTheHeadInBfloat16IsSummedOverChunksOfAnySize) {
  const at::Tensor hidden = at::randn({133, 64}).to(at::kBFloat16).requires_grad_(true);
  const at::Tensor head = at::randn({301, 64}).mul(0.3).to(at::kBFloat16).requires_grad_(true);
  const at::Tensor targets = at::randint(301, {133}, at::kLong);
  const auto summed = [](const at::Tensor& log_prob, std::int64_t) { return -log_prob.sum(); };
  token_loss(hidden, head, targets, {.chunk = 64}, summed).backward();

  const at::Tensor wide_hidden = hidden.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor wide_head = head.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor all = at::log_softmax(at::mm(wide_hidden, wide_head.t()), -1);
  all.gather(1, targets.unsqueeze(1)).sum().neg().backward();
  EXPECT_LT(relative_error(hidden.grad(), wide_hidden.grad()), 4e-3);
  EXPECT_LT(relative_error(head.grad(), wide_head.grad()), 4e-3);
}

TEST(TokenLogProb, TokensThatCannotBeDrawnTakeNoPart) {
  const at::Tensor hidden = at::randn({21, 16}).requires_grad_(true), head = at::randn({300, 16}).requires_grad_(true);
  const at::Tensor targets = at::randint(100, {21}, at::kLong).mul(3);
  at::Tensor removed = at::rand({21, 300}).lt(0.7);  // (N, V)
  removed.scatter_(1, targets.unsqueeze(1), false);
  const TokenLogProbOptions options{
      .temperature = 0.7, .chunk = 8, .narrow = [&](const at::Tensor& logits, std::int64_t begin) {
        logits.masked_fill_(removed.narrow(0, begin, logits.size(0)), -std::numeric_limits<float>::infinity());
      }};
  const auto weighted = [](const at::Tensor& log_prob, std::int64_t) { return log_prob.exp().sum(); };
  token_loss(hidden, head, targets, options, weighted).backward();

  const at::Tensor wide_hidden = hidden.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor wide_head = head.detach().to(at::kDouble).requires_grad_(true);
  const at::Tensor logits = at::mm(wide_hidden, wide_head.t()).div(0.7);
  const at::Tensor all = at::log_softmax(logits.masked_fill(removed, -std::numeric_limits<double>::infinity()), -1);
  const at::Tensor wanted = all.gather(1, targets.unsqueeze(1)).squeeze(1);
  wanted.exp().sum().backward();
  EXPECT_LT(relative_error(hidden.grad(), wide_hidden.grad()), 1e-5);
  EXPECT_LT(relative_error(head.grad(), wide_head.grad()), 1e-5);
  const c10::NoGradGuard none;
  EXPECT_LT(relative_error(token_log_prob(hidden, head, targets, options).log_prob, wanted), 1e-6);
}

TEST(TokenLogProb, LossWithoutGradientsIsTheSameValue) {
  const at::Tensor hidden = at::randn({5, 8}), head = at::randn({11, 8}), targets = at::randint(11, {5}, at::kLong);
  const at::Tensor loss = token_loss(hidden, head, targets, {.chunk = 2},
                                     [](const at::Tensor& log_prob, std::int64_t) { return -log_prob.sum(); });
  EXPECT_FALSE(loss.requires_grad());
  EXPECT_NEAR(loss.item<double>(), -token_log_prob(hidden, head, targets).log_prob.sum().item<double>(), 1e-4);
}

TEST(TokenLogProb, LogitsOfAnySizeGiveFiniteNumbers) {
  const at::Tensor hidden = at::randn({4, 8}) * 1e3, head = at::randn({50, 8}),
                   targets = at::randint(50, {4}, at::kLong);
  const TokenLogProb result = token_log_prob(hidden, head, targets, {.entropy = true});
  EXPECT_TRUE(result.log_prob.isfinite().all().item<bool>());
  EXPECT_TRUE(result.entropy.isfinite().all().item<bool>());
}

// A fused multiply-add keeps the 2^-24 that a product rounded by itself loses.
KG_EACH_SET float product_and_sum(float a, float b, float c) { return a * b + c; }

TEST(EachSet, ACpuOfWhateverMakerGetsTheWidestSetItHas) {
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
  if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) GTEST_SKIP() << "a CPU without FMA";
  volatile float factor = 1 + 0x1p-12f, less = -(1 + 0x1p-11f);
  EXPECT_EQ(product_and_sum(factor, factor, less), 0x1p-24f);
#else
  GTEST_SKIP() << "compiled for one set";
#endif
}

}  // namespace
}  // namespace kg::policy
