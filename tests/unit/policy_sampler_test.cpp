#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "policy/generation/distribution.h"
#include "policy/generation/sampler.h"
#include "policy/generation/sampling_filter.h"

namespace kg::policy {
namespace {

proto::SamplingParameters parameters(float temperature, int top_k = 0, float top_p = 0, float min_p = 0,
                                     float penalty = 0) {
  proto::SamplingParameters s;
  s.set_temperature(temperature);
  s.set_top_k(top_k);
  s.set_top_p(top_p);
  s.set_min_p(min_p);
  s.set_repetition_penalty(penalty);
  return s;
}

std::vector<float> some_logits(int n, std::uint64_t seed) {
  Philox random(seed, 0);
  std::vector<float> logits(n);
  for (float& l : logits) l = static_cast<float>(2 * random.next_normal());
  return logits;
}

// By the definition, with a sort and doubles: what each filter means, written a second time.
std::vector<double> exact_distribution(std::vector<float> logits, const proto::SamplingParameters& s,
                                       const std::vector<std::int32_t>& previous) {
  if (s.repetition_penalty() != 0)
    for (std::size_t t = 0; t < logits.size(); ++t)
      if (std::count(previous.begin(), previous.end(), static_cast<std::int32_t>(t)) > 0)
        logits[t] = logits[t] > 0 ? logits[t] / s.repetition_penalty() : logits[t] * s.repetition_penalty();
  std::vector<int> order(logits.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int a, int b) { return logits[a] > logits[b]; });
  std::vector<double> p(logits.size(), 0.0);
  const std::size_t k = s.top_k() > 0 ? std::min<std::size_t>(s.top_k(), order.size()) : order.size();
  double total = 0;
  for (std::size_t i = 0; i < k; ++i)
    total += p[order[i]] = std::exp((static_cast<double>(logits[order[i]]) - logits[order[0]]) / s.temperature());
  if (s.top_p() > 0 && s.top_p() < 1) {
    double before = 0;
    for (const int t : order) {
      const double here = p[t];
      if (before >= s.top_p() * total) p[t] = 0;
      before += here;
    }
  }
  for (double& v : p)
    if (v < s.min_p() * p[order[0]]) v = 0;
  total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& v : p) v /= total;
  return p;
}

struct Case {
  const char* name;
  proto::SamplingParameters sampling;
};
std::vector<Case> cases() {
  return {{"plain", parameters(1)},
          {"cool", parameters(0.7f)},
          {"hot", parameters(1.7f)},
          {"top_k", parameters(1, 5)},
          {"top_p", parameters(1, 0, 0.8f)},
          {"min_p", parameters(1, 0, 0, 0.1f)},
          {"penalty", parameters(1, 0, 0, 0, 1.3f)},
          {"all", parameters(0.8f, 12, 0.9f, 0.02f, 1.2f)}};
}

TEST(Sampler, DrawsTheExactDistributionByChiSquared) {
  constexpr int kVocabulary = 40, kDraws = 40000;
  const std::vector<float> logits = some_logits(kVocabulary, 11);
  const std::vector<std::int32_t> previous{1, 2, 3, 5, 8, 13, 21, 34};
  for (const Case& c : cases()) {
    const std::vector<double> p = exact_distribution(logits, c.sampling, previous);
    std::vector<int> counts(kVocabulary, 0);
    Sampler sampler;
    Philox random(7, 1);
    for (int i = 0; i < kDraws; ++i) {
      const Draw d = sampler.draw(logits, c.sampling, random.next_double(), previous);
      ++counts[d.token];
      ASSERT_NEAR(d.log_prob, std::log(p[d.token]), 1e-5) << c.name;
    }
    double chi = 0, freedom = -1, rare_expected = 0, rare_count = 0;
    for (int t = 0; t < kVocabulary; ++t) {
      if (p[t] == 0) {
        ASSERT_EQ(counts[t], 0) << c.name << " token " << t;
        continue;
      }
      const double expected = p[t] * kDraws;
      if (expected < 5) {
        rare_expected += expected;
        rare_count += counts[t];
        continue;
      }
      chi += (counts[t] - expected) * (counts[t] - expected) / expected;
      ++freedom;
    }
    if (rare_expected > 1)
      chi += (rare_count - rare_expected) * (rare_count - rare_expected) / rare_expected, ++freedom;
    // Wilson and Hilferty: the cube root of chi^2 / freedom is normal. 4 standard deviations.
    if (freedom < 1) continue;
    const double z = (std::cbrt(chi / freedom) - (1 - 2 / (9 * freedom))) / std::sqrt(2 / (9 * freedom));
    EXPECT_LT(std::abs(z), 4) << c.name << " chi squared " << chi << " of " << freedom;
  }
}

TEST(Sampler, LogProbabilitiesAreThoseOfTheTrainer) {
  for (const int vocabulary : {17, 256, 1000, 5003}) {
    const std::vector<float> logits = some_logits(vocabulary, 3);
    const at::Tensor row = at::tensor(logits).unsqueeze(0);  // (1, V)
    const std::vector<std::int32_t> previous{4, 9, 16};
    for (const Case& c : cases()) {
      const at::Tensor expected = sampling_log_probs(row, c.sampling, {previous});
      const std::vector<double> exact = exact_distribution(logits, c.sampling, previous);
      for (int t = 0; t < vocabulary; ++t)
        ASSERT_NEAR(std::exp(expected[0][t].item<double>()), exact[t], 1e-6) << c.name << " token " << t;
      Sampler sampler;
      Philox random(1, 2);
      for (int i = 0; i < 200; ++i) {
        const Draw d = sampler.draw(logits, c.sampling, random.next_double(), previous);
        ASSERT_NEAR(d.log_prob, expected[0][d.token].item<float>(), 2e-6) << c.name;
      }
    }
  }
}

TEST(Sampler, GreedyTakesTheFirstOfEqualMaxima) {
  Sampler sampler;
  const std::vector<float> logits{0, 3, 1, 3, 2};
  const Draw d = sampler.draw(logits, parameters(0), 0.999, {});
  EXPECT_EQ(d.token, 1);
  EXPECT_EQ(d.log_prob, 0);
  const at::Tensor p = sampling_log_probs(at::tensor(logits).unsqueeze(0), parameters(0));
  EXPECT_EQ(p[0][1].item<float>(), 0);
  EXPECT_EQ(p[0][3].item<float>(), -std::numeric_limits<float>::infinity());
}

TEST(Sampler, UniformJustBelowOneStillDrawsATokenWithWeight) {
  Sampler sampler;
  std::vector<float> logits(1000, -200.0f);
  logits[10] = 1;
  for (const double u : {0.0, 0.5, 1 - 0x1.0p-53}) EXPECT_EQ(sampler.draw(logits, parameters(1), u, {}).token, 10);
}

TEST(Sampler, LogitsThatAreNotNumbersAreAnErrorNotACrash) {
  Sampler sampler;
  const std::vector<float> logits(300, std::nanf(""));
  EXPECT_THROW(sampler.draw(logits, parameters(1), 0.5, {}), Error);
  EXPECT_THROW(sampler.draw(logits, parameters(0), 0.5, {}), Error);
}

TEST(Sampler, ImpossibleParametersAreRefused) {
  EXPECT_THROW(check_sampling(parameters(-1)), Error);
  EXPECT_THROW(check_sampling(parameters(1, -3)), Error);
  EXPECT_THROW(check_sampling(parameters(1, 0, 1.5f)), Error);
  EXPECT_THROW(check_sampling(parameters(1, 0, 0, -0.1f)), Error);
  EXPECT_NO_THROW(check_sampling(parameters(0.8f, 12, 0.9f, 0.02f, 1.2f)));
}

TEST(Distribution, GradientAgreesWithFiniteDifferences) {
  const std::vector<float> start = some_logits(30, 5);
  const std::vector<std::vector<std::int32_t>> previous{{2, 7}};
  for (const Case& c : cases()) {
    at::Tensor logits = at::tensor(start).unsqueeze(0).requires_grad_(true);
    const std::int64_t token = logits.argmax(1).item<std::int64_t>();
    at::Tensor chosen = sampling_log_probs(logits, c.sampling, previous)[0][token];
    chosen.backward();
    for (int t = 0; t < 30; ++t) {
      const float h = 1e-2f;
      const auto at_shift = [&](float shift) {
        at::Tensor moved = logits.detach().clone();
        moved[0][t] += shift;
        return sampling_log_probs(moved, c.sampling, previous)[0][token].item<double>();
      };
      ASSERT_NEAR(logits.grad()[0][t].item<double>(), (at_shift(h) - at_shift(-h)) / (2 * h), 2e-3)
          << c.name << " token " << t;
    }
  }
}

}  // namespace
}  // namespace kg::policy
