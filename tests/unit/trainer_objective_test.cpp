// Objectives, advantages and preference losses against PyTorch's autograd and TRL's trainers
// (trainer_objective_reference.py made the numbers), relative 1e-10 in fp64.
#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <nlohmann/json.hpp>

#include "trainer/advantage.h"
#include "trainer/algorithm.h"
#include "trainer/policy_loss.h"
#include "trainer/preference_loss.h"

namespace kg::trainer {
namespace {

nlohmann::json objective_reference() {
  std::ifstream file(std::string(KG_SOURCE_DIR) + "/tests/unit/trainer_objective_reference.json");
  return nlohmann::json::parse(file);
}

at::Tensor tensor_of(std::vector<double> values) {
  return at::from_blob(values.data(), {static_cast<std::int64_t>(values.size())}, at::kDouble).clone();
}

void expect_near(double got, double want, const std::string& what) {
  EXPECT_LE(std::abs(got - want), 1e-10 * std::abs(want) + 1e-15) << what << ": " << got << " against " << want;
}

void expect_near(const at::Tensor& got, const std::vector<double>& want, const std::string& what) {
  const at::Tensor flat = got.detach().contiguous();
  ASSERT_EQ(flat.numel(), static_cast<std::int64_t>(want.size()));
  for (std::size_t i = 0; i < want.size(); ++i) expect_near(flat.data_ptr<double>()[i], want[i], what);
}

PolicyLossOptions options_of(const nlohmann::json& given) {
  PolicyLossOptions options;
  const std::string surrogate = given.value("surrogate", "clipped");
  options.surrogate = surrogate == "clipped"    ? Surrogate::kClipped
                      : surrogate == "detached" ? Surrogate::kDetached
                                                : Surrogate::kLogProb;
  options.ratio = given.value("ratio", "token") == "token" ? RatioLevel::kToken : RatioLevel::kSequence;
  options.clip_low = given.value("clip_low", options.clip_low);
  options.clip_high = given.value("clip_high", options.clip_high);
  options.dual_clip = given.value("dual_clip", options.dual_clip);
  options.correction = correction_from_name(given.value("correction", "token"));
  options.importance_cap = given.value("cap", options.importance_cap);
  options.mask_low = given.value("mask_low", options.mask_low);
  options.mask_high = given.value("mask_high", options.mask_high);
  options.sequence_limit = given.value("limit", options.sequence_limit);
  options.kl_weight = given.value("kl_weight", 0.0);
  options.kl_estimator = kl_estimator_from_name(given.value("kl_estimator", "k3"));
  return options;
}

// One number an answer, spread over its tokens.
template <typename Number>
at::Tensor over_answers(const std::vector<std::int64_t>& lengths, const Number& number) {
  std::vector<double> values;
  std::int64_t begin = 0;
  for (const std::int64_t length : lengths) {
    values.insert(values.end(), static_cast<std::size_t>(length), number(begin, length));
    begin += length;
  }
  return tensor_of(values);
}

TEST(Objective, LossesAndGradientsAgreeWithAutogradAndTrl) {
  for (const auto& c : objective_reference()["objectives"]) {
    const std::string name = c["name"];
    const PolicyLossOptions options = options_of(c["options"]);
    const auto lengths = c["lengths"].get<std::vector<std::int64_t>>();
    const auto weights = token_weights(lengths, aggregation_from_name(c["aggregation"]), c["limit"]);
    const auto advantages = c["advantages"].get<std::vector<double>>();
    std::size_t answer = 0;
    const at::Tensor weight = over_answers(lengths, [&](std::int64_t, std::int64_t) { return weights[answer++]; });
    answer = 0;
    const at::Tensor current = tensor_of(c["current"]).set_requires_grad(true), old = tensor_of(c["old"]);
    const at::Tensor sampler = tensor_of(c["sampler"]);
    PolicyLossInput input{
        .current = current,
        .old = old,
        .sampler = sampler,
        .reference = tensor_of(c["reference"]),
        .advantage = over_answers(lengths, [&](std::int64_t, std::int64_t) { return advantages[answer++]; }),
        .weight = weight};
    if (options.ratio == RatioLevel::kSequence)
      input.sequence_log_ratio = over_answers(lengths, [&](std::int64_t begin, std::int64_t count) {
        return (current.detach() - old).narrow(0, begin, count).mean().item<double>();
      });
    if (options.corrects_sequences())
      input.sequence_correction = over_answers(lengths, [&](std::int64_t begin, std::int64_t count) {
        return sequence_correction(old.narrow(0, begin, count), sampler.narrow(0, begin, count), options);
      });
    const PolicyLoss result = policy_loss(input, options);
    result.loss.backward();
    expect_near(result.loss.item<double>(), c["loss"], name);
    expect_near(current.grad(), c["gradient"], name);
  }
}

TEST(Objective, AdvantagesAgreeWithPyTorch) {
  for (const auto& c : objective_reference()["advantages"]) {
    const std::string baseline = c["baseline"];
    const AdvantageRule rule{baseline == "batch"           ? AdvantageBaseline::kBatch
                             : baseline == "leave-one-out" ? AdvantageBaseline::kLeaveOneOut
                                                           : AdvantageBaseline::kGroupMean,
                             c["std"]};
    std::vector<ScoredAnswer> answers;
    for (std::size_t i = 0; i < c["rewards"].size(); ++i) {
      ScoredAnswer& answer = answers.emplace_back();
      answer.group = static_cast<std::uint32_t>(i / 4);
      answer.reward = c["rewards"][i];
      answer.tokens = c["lengths"][i];
      if (!c["penalties"].is_null()) answer.penalty = c["penalties"][i].get<std::vector<double>>();
    }
    const auto got = advantages(answers, rule);
    for (std::size_t i = 0; i < answers.size(); ++i) {
      const auto want = c["advantages"][i].get<std::vector<double>>();
      for (std::size_t t = 0; t < want.size(); ++t)
        expect_near(got[i].size() == 1 ? got[i][0] : got[i].at(t), want[t], c["name"]);
    }
  }
}

TEST(Objective, RejectionFineTuningTeachesCorrectAnswersAlone) {
  const auto got =
      advantages({{.group = 0, .reward = 0.2, .correct = false}, {.group = 0, .reward = 1, .correct = true}},
                 {AdvantageBaseline::kCorrect, false});
  EXPECT_TRUE(got[0].empty());
  EXPECT_EQ(got[1], std::vector<double>{1});
}

// DAPO, eq. 13, with a limit of 100 tokens and a buffer of 20.
TEST(Objective, TheOverlongPenaltyFallsOverTheBuffer) {
  EXPECT_EQ(overlong_penalty(80, 100, 20), 0);
  EXPECT_EQ(overlong_penalty(90, 100, 20), -0.5);
  EXPECT_EQ(overlong_penalty(100, 100, 20), -1);
  EXPECT_EQ(overlong_penalty(120, 100, 20), -1);
  EXPECT_EQ(overlong_penalty(120, 100, 0), 0);
}

TEST(Preference, LossesAndGradientsAgreeWithTrl) {
  for (const auto& c : objective_reference()["preferences"]) {
    const std::string name = c["name"];
    const auto lengths = c["lengths"].get<std::vector<std::int64_t>>();
    const at::Tensor current = tensor_of(c["current"]), known = tensor_of(c["reference"]);
    std::vector<AnswerLogProb> answers;
    std::int64_t begin = 0;
    for (const std::int64_t length : lengths) {
      answers.push_back({.policy = current.narrow(0, begin, length).sum().item<double>(),
                         .reference = known.narrow(0, begin, length).sum().item<double>(),
                         .tokens = length});
      begin += length;
    }
    const PreferenceOptions options{.loss = preference_loss_from_name(name == "sigmoid" ? "dpo" : name),
                                    .beta = c["beta"],
                                    .undesirable_weight = 1.5};
    double loss = 0;
    std::vector<double> gradient(current.numel());
    const auto spread = [&](std::size_t answer, double factor) {
      std::int64_t first = 0;
      for (std::size_t i = 0; i < answer; ++i) first += lengths[i];
      for (std::int64_t t = 0; t < lengths[answer]; ++t) gradient[static_cast<std::size_t>(first + t)] = factor;
    };
    for (std::size_t i = 0; i < 4; ++i) {
      const double kl = c["kl"].is_null() ? 0 : c["kl"].get<double>();
      const PreferenceFactors pair = preference_factors(answers[i], answers[4 + i], kl, options);
      // TRL's mean over pairs; for KTO over single answers.
      const double share = name == "kto" ? 1.0 / 8 : 1.0 / 4;
      loss += pair.loss * share;
      spread(i, pair.chosen * share);
      spread(4 + i, pair.rejected * share);
    }
    expect_near(loss, c["loss"], name);
    expect_near(tensor_of(gradient), c["gradient"], name);
  }
}

}  // namespace
}  // namespace kg::trainer
