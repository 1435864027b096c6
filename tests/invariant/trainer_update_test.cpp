// What the generator records and what the trainer computes are one distribution; a batch is the sum of its rows.
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>

#include <cmath>

#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/token_log_prob.h"
#include "tests/support/trainer_tiny_model.h"
#include "trainer/answer_loss.h"
#include "trainer/rl_batch.h"
#include "trainer/rl_update.h"

namespace kg::trainer {
namespace {

proto::SamplingParameters sampling_with(float temperature, int top_k, float top_p, float min_p) {
  proto::SamplingParameters sampling;
  sampling.set_temperature(temperature);
  sampling.set_top_k(top_k);
  sampling.set_top_p(top_p);
  sampling.set_min_p(min_p);
  sampling.set_max_new_tokens(40);
  sampling.set_seed(5);
  return sampling;
}

// Two groups of four answers by the real engine; the reward of an answer is the share of its tokens that are even.
std::vector<rollout::FinishedWork> sample_works(const policy::LoadedModel& model,
                                                const proto::SamplingParameters& sampling) {
  policy::GenerationEngine engine(model.config, model.tokenizer, model.chat_template,
                                  {.threads = 2, .kv_cache_bytes = 1 << 22});
  engine.set_weights(policy::DecodeWeights::pack(model.config, model.weights), /*version=*/3);
  std::vector<rollout::FinishedWork> works(2);
  for (std::uint64_t id = 1; id <= 2; ++id) {
    proto::GenerateRequest request;
    request.set_request_id(id);
    request.set_count(4);
    *request.mutable_sampling() = sampling;
    request.mutable_sampling()->set_seed(id);
    proto::ChatMessage& message = *request.add_messages();
    message.set_role("user");
    message.set_content("task " + std::to_string(id));
    const auto replies = policy::generate_all(engine, {request});
    for (const proto::Completion& completion : replies.front().completions()) {
      proto::Rollout& rollout = works[id - 1].rollouts.emplace_back();
      *rollout.mutable_completion() = completion;
      rollout.set_policy_version(3);
      rollout.mutable_verdict()->set_reward_valid(true);
      double even = 0;
      for (const std::int32_t token : completion.token_ids()) even += token % 2 == 0 ? 1 : 0;
      rollout.mutable_verdict()->set_reward(even / completion.token_ids_size());
    }
  }
  return works;
}

Trainable make(const policy::LoadedModel& model) { return Trainable(model.config, model.weights, "float32", {}); }

TEST(Update, TheTrainerSeesTheLogProbabilitiesThatTheGeneratorDrewWith) {
  const policy::LoadedModel model = tiny_model();
  for (const auto& sampling : {sampling_with(1, 0, 1, 0), sampling_with(0.7f, 0, 1, 0), sampling_with(1.3f, 20, 1, 0),
                               sampling_with(0.9f, 0, 0.8f, 0), sampling_with(1, 0, 1, 0.2f)}) {
    const RlBatch batch = make_batch(sample_works(model, sampling), {}, /*current_version=*/4);
    ASSERT_EQ(batch.answers.size(), 8u);
    EXPECT_EQ(batch.staleness_max, 1);
    Trainable trainable = make(model);
    const UpdateResult result = update_policy(trainable, nullptr, batch, {.sampling = sampling});
    EXPECT_LT(result.difference_max, 1e-3) << sampling.ShortDebugString();
    EXPECT_LT(result.difference_mean, 1e-4) << sampling.ShortDebugString();
    EXPECT_EQ(result.clip_fraction, 0);
    EXPECT_GT(result.gradient_norm, 0);
  }
}

TEST(Update, TheEntropyOfTheSamplesIsThatOfTheDistribution) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3);
  const Trainable trainable = make(model);
  double exact = 0;
  for (const TrainedAnswer& answer : batch.answers) {
    const PackedRow row = assemble_row({&answer.document});
    const at::Tensor hidden = trainable.model()
                                  .hidden(at::tensor(row.ids), row.segments)
                                  .index_select(0, at::tensor(row.loss_positions));  // (N, C)
    exact += policy::token_log_prob(hidden, trainable.model().head_weight(), at::tensor(row.targets), {.entropy = true})
                 .entropy.sum()
                 .item<double>();
  }
  const auto tokens = static_cast<double>(batch.answer_tokens);
  double spread = 0;
  for (const TrainedAnswer& answer : batch.answers)
    for (const float log_prob : answer.sampler_log_probs) spread += std::pow(-log_prob - exact / tokens, 2);
  EXPECT_GT(exact / tokens, 0.1);
  EXPECT_NEAR(batch.surprise_sum / tokens, exact / tokens, 4 * std::sqrt(spread) / tokens);  // standard errors
}

TEST(Update, ManySmallRowsAreOneLargeRow) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3);
  for (const Aggregation aggregation : {Aggregation::kToken, Aggregation::kSequenceMean, Aggregation::kConstant}) {
    UpdateOptions options{.aggregation = aggregation, .token_limit = 40, .sampling = sampling};
    Trainable large = make(model), small = make(model);
    options.row_tokens = 4096;
    const UpdateResult one = update_policy(large, nullptr, batch, options);
    options.row_tokens = 60;
    const UpdateResult many = update_policy(small, nullptr, batch, options);
    EXPECT_NEAR(one.gradient_norm, many.gradient_norm, 1e-5 * one.gradient_norm);
    EXPECT_NEAR(one.policy_loss, many.policy_loss, 1e-6);
    EXPECT_EQ(one.tokens, many.tokens);
  }
}

TEST(Update, GradientStepsRaiseWhatWasRewardedAndAreBoundByTheClip) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3);
  Trainable trainable = make(model);
  const auto weighted = [&] {  // advantage-weighted log-probability of the answers
    double sum = 0;
    for (const TrainedAnswer& answer : batch.answers)
      sum += answer.advantage *
             answer_log_probs(trainable.model(), assemble_row({&answer.document}), sampling).mean().item<double>();
    return sum;
  };
  const double before = weighted();
  const UpdateResult result =
      update_policy(trainable, nullptr, batch, {.gradient_steps = 8, .learning_rate = 3e-3, .sampling = sampling});
  EXPECT_EQ(result.steps_taken, 8);
  EXPECT_GT(weighted(), before + 0.1);
  EXPECT_GT(result.clip_fraction, 0);
}

TEST(Update, TheKlTermHoldsThePolicyNearTheReference) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3);
  const policy::Transformer reference(model.config, model.weights);
  double moved[2];
  for (const int with_kl : {0, 1}) {
    Trainable trainable = make(model);
    UpdateOptions options{.gradient_steps = 20, .learning_rate = 3e-3, .sampling = sampling};
    options.loss.kl_weight = with_kl * 5.0;
    update_policy(trainable, with_kl == 1 ? &reference : nullptr, batch, options);
    UpdateOptions look{.learning_rate = 0, .sampling = sampling};
    look.loss.kl_weight = 1;
    moved[with_kl] = update_policy(trainable, &reference, batch, look).kl;
  }
  EXPECT_LT(moved[1], 0.5 * moved[0]);
}

TEST(Batch, RolloutsWithoutAValidRewardNeitherCountNorAreTrainedOn) {
  const policy::LoadedModel model = tiny_model();
  auto works = sample_works(model, sampling_with(1, 0, 1, 0));
  works[0].rollouts[1].mutable_verdict()->set_reward_valid(false);
  works[0].rollouts[1].mutable_verdict()->set_reward(0);
  for (proto::Rollout& rollout : works[1].rollouts) rollout.mutable_verdict()->set_reward_valid(false);
  const RlBatch batch = make_batch(works, {}, 3);
  EXPECT_EQ(batch.rollouts, 3u);
  EXPECT_EQ(batch.invalid, 5u);
  EXPECT_EQ(batch.answers.size(), 3u);
  EXPECT_EQ(batch.groups, 2u);
  EXPECT_EQ(batch.groups_without_signal, 1u);
  double sum = 0;
  for (const TrainedAnswer& answer : batch.answers) sum += answer.advantage;
  EXPECT_NEAR(sum, 0, 1e-9);  // the mean is that of the three, not of four with a 0
}

}  // namespace
}  // namespace kg::trainer
