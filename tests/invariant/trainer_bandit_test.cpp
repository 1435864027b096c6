// Where the best answer is known: every policy gradient finds it and stays, with samples of older weights drawn in
// bf16; a preference loss reaches the policy that its theory names.
#include <ATen/TensorOperators.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/tensor.h>
#include <ATen/ops/zeros.h>
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <random>

#include "trainer/adamw.h"
#include "trainer/advantage.h"
#include "trainer/algorithm.h"
#include "trainer/policy_loss.h"
#include "trainer/preference_loss.h"

namespace kg::trainer {
namespace {

constexpr std::int64_t kPlaces = 2, kArms = 5, kGroups = 4, kGroupSize = 8, kStaleness = 4;

// An answer has two tokens, each of five; the chance that it is right is the product of what its tokens are worth.
double worth(std::int64_t place, std::int64_t arm) {
  return 0.15 + 0.2 * static_cast<double>((arm + 2 * place) % kArms);
}
std::int64_t best_arm(std::int64_t place) { return (2 * kArms - 1 - 2 * place) % kArms; }

// As the generator holds them: in bf16.
at::Tensor sampled_with(const at::Tensor& logits) {
  return at::log_softmax(logits.to(at::kBFloat16).to(at::kDouble), 1);  // (places, arms)
}

struct Draws {
  std::vector<ScoredAnswer> answers;
  std::vector<std::int64_t> tokens;  // (N) index of place x arm
  at::Tensor sampler;                // (N)
};

Draws draw(const at::Tensor& logits, std::mt19937_64& random) {
  const at::Tensor log_probs = sampled_with(logits);
  const double* values = log_probs.const_data_ptr<double>();
  Draws draws;
  std::vector<double> sampler;
  for (std::uint32_t group = 0; group < kGroups; ++group)
    for (std::int64_t i = 0; i < kGroupSize; ++i) {
      double chance = 1;
      for (std::int64_t place = 0; place < kPlaces; ++place) {
        std::vector<double> weights;
        for (std::int64_t arm = 0; arm < kArms; ++arm) weights.push_back(std::exp(values[place * kArms + arm]));
        const std::int64_t arm = std::discrete_distribution<std::int64_t>(weights.begin(), weights.end())(random);
        draws.tokens.push_back(place * kArms + arm);
        sampler.push_back(values[place * kArms + arm]);
        chance *= worth(place, arm);
      }
      const bool correct = std::bernoulli_distribution(chance)(random);
      draws.answers.push_back({.group = group, .reward = correct ? 1.0 : 0.0, .correct = correct, .tokens = kPlaces});
    }
  draws.sampler = at::tensor(sampler, at::kDouble);
  return draws;
}

// The gradient of one update on `draws` at `logits`.
at::Tensor gradient(const at::Tensor& logits, const Draws& draws, const Algorithm& algorithm,
                    const PolicyLossOptions& options) {
  const auto values = advantages(draws.answers, algorithm.advantage);
  const auto weights =
      token_weights(std::vector<std::int64_t>(draws.answers.size(), kPlaces), algorithm.aggregation, kPlaces);
  std::vector<double> advantage, weight;
  for (std::size_t i = 0; i < draws.answers.size(); ++i)
    for (std::int64_t t = 0; t < kPlaces; ++t) {
      advantage.push_back(values[i].empty() ? 0 : values[i].front());
      weight.push_back(weights[i]);
    }
  const at::Tensor leaf = logits.detach().clone().set_requires_grad(true);
  const at::Tensor current = at::log_softmax(leaf, 1).flatten().index_select(0, at::tensor(draws.tokens));  // (N)
  PolicyLossInput input{.current = current,
                        .old = current.detach(),
                        .sampler = draws.sampler,
                        .advantage = at::tensor(advantage, at::kDouble),
                        .weight = at::tensor(weight, at::kDouble)};
  if (options.corrects_sequences()) {
    std::vector<double> corrections;
    for (std::int64_t begin = 0; begin < current.numel(); begin += kPlaces)
      corrections.insert(
          corrections.end(), kPlaces,
          sequence_correction(input.old.narrow(0, begin, kPlaces), input.sampler.narrow(0, begin, kPlaces), options));
    input.sequence_correction = at::tensor(corrections, at::kDouble);
  }
  policy_loss(input, options).loss.backward();
  return leaf.grad();
}

double chance_of_the_best(const at::Tensor& logits) {
  const at::Tensor probabilities = at::exp(at::log_softmax(logits, 1));
  double chance = 1;
  for (std::int64_t place = 0; place < kPlaces; ++place)
    chance *= probabilities.const_data_ptr<double>()[place * kArms + best_arm(place)];
  return chance;
}

class Bandit : public testing::TestWithParam<std::tuple<std::string, Correction>> {};

TEST_P(Bandit, IsSolvedAndStaysSolvedWithStaleSamplesInBf16) {
  const auto& [name, correction] = GetParam();
  const Algorithm& algorithm = find_algorithm(name);
  const PolicyLossOptions options{.surrogate = algorithm.surrogate,
                                  .ratio = algorithm.ratio,
                                  .clip_low = algorithm.clip_low,
                                  .clip_high = algorithm.clip_high,
                                  .correction = correction,
                                  .sequence_limit = 0.5};
  const at::Tensor logits = at::zeros({kPlaces, kArms}, at::kDouble);
  AdamW optimizer({{"logits", logits}}, {});
  std::mt19937_64 random(3);
  std::deque<at::Tensor> versions(kStaleness + 1, logits.clone());
  const auto update = [&] {
    versions.push_back(logits.clone());
    versions.pop_front();
    optimizer.step({gradient(logits, draw(versions.front(), random), algorithm, options)}, /*rate=*/0.03);
  };
  int updates = 0;
  while (chance_of_the_best(logits) < 0.95 && ++updates < 1500) update();
  EXPECT_GE(chance_of_the_best(logits), 0.95) << "after " << updates << " updates";
  double least = 1;
  for (int i = 0; i < 500; ++i) {
    update();
    least = std::min(least, chance_of_the_best(logits));
  }
  EXPECT_GT(least, 0.8);
}

std::string name_of(const testing::TestParamInfo<std::tuple<std::string, Correction>>& info) {
  std::string name = std::get<0>(info.param) + std::to_string(static_cast<int>(std::get<1>(info.param)));
  std::erase_if(name, [](unsigned char c) { return std::isalnum(c) == 0; });
  return name;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Bandit,
                         testing::Combine(testing::ValuesIn(algorithm_names()), testing::Values(Correction::kToken)),
                         name_of);
INSTANTIATE_TEST_SUITE_P(Corrections, Bandit,
                         testing::Combine(testing::Values("loo"),
                                          testing::Values(Correction::kSequence, Correction::kTokenMask,
                                                          Correction::kSequenceMask)),
                         name_of);

// With preferences by Bradley and Terry of rewards r, DPO's optimum is reference x exp(r / beta) (arXiv 2305.18290,
// eq. 4).
TEST(Bandit, DpoReachesItsClosedForm) {
  constexpr double kBeta = 0.5;
  const std::vector<double> reward = {0.0, 0.3, 1.0, -0.4, 0.6};
  const at::Tensor reference = at::log_softmax(at::tensor(std::vector<double>{0.5, 0, -0.3, 0.2, 0.1}, at::kDouble), 0);
  const at::Tensor logits = reference.clone();
  const double* known = reference.const_data_ptr<double>();
  for (int step = 0; step < 20000; ++step) {
    const at::Tensor log_probs = at::log_softmax(logits, 0);
    const double* policy = log_probs.const_data_ptr<double>();
    std::vector<double> factor(kArms, 0.0);  // derivative of the expected loss by each arm's log-probability
    for (std::size_t a = 0; a < kArms; ++a)
      for (std::size_t b = 0; b < kArms; ++b) {
        const double preferred = 1 / (1 + std::exp(reward[b] - reward[a]));
        const PreferenceFactors pair = preference_factors({.policy = policy[a], .reference = known[a]},
                                                          {.policy = policy[b], .reference = known[b]}, 0,
                                                          {.loss = PreferenceLoss::kDpo, .beta = kBeta});
        factor[a] += preferred * pair.chosen;
        factor[b] += preferred * pair.rejected;
      }
    const at::Tensor weights = at::tensor(factor, at::kDouble);
    logits.sub_((weights - at::exp(log_probs) * weights.sum()) * 0.1);
  }
  const at::Tensor wanted = at::log_softmax(reference + at::tensor(reward, at::kDouble) / kBeta, 0);
  const at::Tensor got = at::log_softmax(logits, 0);
  for (std::int64_t arm = 0; arm < kArms; ++arm)
    EXPECT_NEAR(std::exp(got.const_data_ptr<double>()[arm]), std::exp(wanted.const_data_ptr<double>()[arm]), 1e-4);
}

}  // namespace
}  // namespace kg::trainer
