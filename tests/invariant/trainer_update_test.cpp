// What the generator records and what the trainer computes are one distribution; a batch is the sum of its rows.
#include <ATen/TensorOperators.h>
#include <ATen/ops/tensor.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <thread>

#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "policy/model/token_log_prob.h"
#include "rollout/lineage.h"
#include "tests/support/trainer_tiny_model.h"
#include "trainer/answer_loss.h"
#include "trainer/rl_batch.h"
#include "trainer/rl_update.h"

namespace kg::trainer {
namespace {

constexpr std::int64_t kVocabulary = 258;

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
// `dtype`: of the sampler's weights.
std::vector<rollout::FinishedWork> sample_works(const policy::LoadedModel& model,
                                                const proto::SamplingParameters& sampling,
                                                const std::string& dtype = "float32") {
  policy::GenerationEngine engine(model.config, model.tokenizer, model.chat_template,
                                  {.dtype = dtype, .threads = 2, .kv_cache_bytes = 1 << 22});
  engine.set_weights(policy::DecodeWeights::pack(model.config, model.weights, dtype), /*version=*/3);
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
    const RlBatch batch = make_batch(sample_works(model, sampling), {}, /*current_version=*/4, kVocabulary);
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
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3, kVocabulary);
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
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3, kVocabulary);
  for (const Aggregation aggregation : {Aggregation::kToken, Aggregation::kSequenceMean, Aggregation::kConstant}) {
    UpdateOptions options{.rows = {.aggregation = aggregation, .token_limit = 40}, .sampling = sampling};
    Trainable large = make(model), small = make(model);
    options.rows.row_tokens = 4096;
    const UpdateResult one = update_policy(large, nullptr, batch, options);
    options.rows.row_tokens = 60;
    const UpdateResult many = update_policy(small, nullptr, batch, options);
    EXPECT_NEAR(one.gradient_norm, many.gradient_norm, 1e-5 * one.gradient_norm);
    EXPECT_NEAR(one.policy_loss, many.policy_loss, 1e-6);
    EXPECT_EQ(one.tokens, many.tokens);
  }
}

TEST(Update, GradientStepsRaiseWhatWasRewardedAndAreBoundByTheClip) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3, kVocabulary);
  Trainable trainable = make(model);
  const auto weighted = [&] {  // advantage-weighted log-probability of the answers
    double sum = 0;
    for (const TrainedAnswer& answer : batch.answers)
      sum += answer.advantages.at(0) *
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
  const RlBatch batch = make_batch(sample_works(model, sampling), {}, 3, kVocabulary);
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
  const RlBatch batch = make_batch(works, {}, 3, kVocabulary);
  EXPECT_EQ(batch.rollouts, 3u);
  EXPECT_EQ(batch.invalid, 5u);
  EXPECT_EQ(batch.answers.size(), 3u);
  EXPECT_EQ(batch.groups, 2u);
  EXPECT_EQ(batch.groups_without_signal, 1u);
  double sum = 0;
  for (const TrainedAnswer& answer : batch.answers) sum += answer.advantages.at(0);
  EXPECT_NEAR(sum, 0, 1e-9);  // the mean is that of the three, not of four with a 0
}

// With top-p the trainer's own cut-off removed tokens that the sampler had drawn: log-probability -infinity, and the
// whole update was lost.
TEST(Update, FiltersLoseNoUpdateThoughTheSamplerComputesInAnotherType) {
  const policy::LoadedModel model = tiny_model();
  for (const std::string dtype : {"bfloat16", "int8"})
    for (const auto& sampling : {sampling_with(0.8f, 30, 0.9f, 0), sampling_with(1.2f, 0, 1, 0.1f)}) {
      auto works = sample_works(model, sampling, dtype);
      const RlBatch batch = make_batch(works, {}, 3, kVocabulary);
      ASSERT_EQ(batch.answers.size(), 8u);
      Trainable trainable = make(model);
      const UpdateResult result =
          update_policy(trainable, nullptr, batch, {.gradient_steps = 2, .learning_rate = 1e-3, .sampling = sampling});
      EXPECT_EQ(result.steps_taken, 2) << result.skipped;
      EXPECT_EQ(result.answers_dropped, 0);
      EXPECT_TRUE(std::isfinite(result.policy_loss));
      EXPECT_LT(result.difference_max, 2);
      // Without the record of what was kept, some answers have tokens that the trainer would not have drawn.
      for (rollout::FinishedWork& work : works)
        for (proto::Rollout& rollout : work.rollouts) rollout.mutable_completion()->clear_kept();
      Trainable blind = make(model);
      const UpdateResult without = update_policy(blind, nullptr, make_batch(works, {}, 3, kVocabulary),
                                                 {.learning_rate = 1e-3, .sampling = sampling});
      EXPECT_LT(without.answers_dropped, 8);
      EXPECT_EQ(without.steps_taken, 1) << without.skipped;
      std::printf("%s, top-p %.2f: %lld of 8 answers would be dropped\n", dtype.c_str(), sampling.top_p(),
                  static_cast<long long>(without.answers_dropped));
    }
}

TEST(Update, OneTokenThatCannotBeCostsItsAnswerAndNotTheUpdate) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 0.8f, 0);
  auto works = sample_works(model, sampling);
  const RlBatch whole = make_batch(works, {}, 3, kVocabulary);
  // The first answer's second token becomes one that its kept set does not hold.
  proto::Completion& completion = *works[0].rollouts[0].mutable_completion();
  const proto::KeptSet& kept = whole.answers[0].kept[1];
  ASSERT_FALSE(kept.whole);
  for (std::int32_t token = 0; token < 256; ++token)
    if (std::find(kept.tokens.begin(), kept.tokens.end(), token) == kept.tokens.end())
      completion.set_token_ids(1, token);
  const RlBatch batch = make_batch(works, {}, 3, kVocabulary);
  for (const auto& [row_tokens, steps] : {std::pair{4096, 1}, std::pair{60, 2}}) {
    Trainable trainable = make(model);
    const UpdateResult result = update_policy(
        trainable, nullptr, batch, {.rows = {.row_tokens = row_tokens}, .gradient_steps = steps, .sampling = sampling});
    EXPECT_EQ(result.answers_dropped, 1);
    EXPECT_EQ(result.steps_taken, steps) << result.skipped;
    EXPECT_TRUE(std::isfinite(result.policy_loss));
    EXPECT_GT(result.gradient_norm, 0);
    // The others have the gradient that they have when the first has no advantage.
    RlBatch without = whole;
    without.answers[0].advantages = {0};
    Trainable other = make(model);
    const UpdateResult wanted = update_policy(
        other, nullptr, without, {.rows = {.row_tokens = row_tokens}, .gradient_steps = steps, .sampling = sampling});
    EXPECT_NEAR(result.gradient_norm, wanted.gradient_norm, 1e-4 * wanted.gradient_norm);
    EXPECT_NEAR(result.policy_loss, wanted.policy_loss, 1e-6);
  }
}

// Answers of groups whose rewards are all alike were gone before the loss was normalised: the fewer groups had signal,
// the larger the gradient.
TEST(Update, TheNormaliserCountsTheAnswersOfGroupsWithoutSignal) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  auto works = sample_works(model, sampling);
  for (proto::Rollout& rollout : works[1].rollouts) rollout.mutable_verdict()->set_reward(0.5);
  const RlBatch both = make_batch(works, {}, 3, kVocabulary);
  works.pop_back();
  const RlBatch first = make_batch(works, {}, 3, kVocabulary);
  EXPECT_EQ(both.answers.size(), 8u);
  EXPECT_EQ(both.groups_without_signal, 1u);
  const auto tokens = [](const RlBatch& batch) { return static_cast<double>(batch.answer_tokens); };
  for (const Aggregation aggregation : {Aggregation::kToken, Aggregation::kSequenceMean, Aggregation::kConstant}) {
    const UpdateOptions options{
        .rows = {.aggregation = aggregation, .token_limit = 40}, .clip_norm = 0, .sampling = sampling};
    Trainable one = make(model), two = make(model);
    const UpdateResult alone = update_policy(one, nullptr, first, options);
    const UpdateResult among = update_policy(two, nullptr, both, options);
    const double share = aggregation == Aggregation::kToken ? tokens(first) / tokens(both) : 0.5;
    EXPECT_NEAR(among.gradient_norm, share * alone.gradient_norm, 1e-4 * alone.gradient_norm);
    EXPECT_EQ(among.computed_tokens, alone.computed_tokens) << "what teaches nothing costs nothing";
  }
}

TEST(Update, TheKlTermSeesGroupsWithoutSignal) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  auto works = sample_works(model, sampling);
  for (rollout::FinishedWork& work : works)
    for (proto::Rollout& rollout : work.rollouts) rollout.mutable_verdict()->set_reward(1);
  const RlBatch batch = make_batch(works, {}, 3, kVocabulary);
  policy::LoadedModel other = tiny_model();
  for (policy::NamedTensor& weight : other.weights) weight.tensor.mul_(1.05);
  const policy::Transformer reference(other.config, other.weights);
  Trainable trainable = make(model);
  UpdateOptions options{.learning_rate = 1e-3, .sampling = sampling};
  options.loss.kl_weight = 1;
  const UpdateResult result = update_policy(trainable, &reference, batch, options);
  EXPECT_EQ(result.steps_taken, 1);
  EXPECT_GT(result.kl, 0);
  EXPECT_GT(result.gradient_norm, 0);
  Trainable still = make(model);
  EXPECT_EQ(update_policy(still, nullptr, batch, {.sampling = sampling}).steps_taken, 0);
}

TEST(Update, ARatioOfProbabilitiesThatOverflowsIsBounded) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 1, 0);
  RlBatch batch = make_batch(sample_works(model, sampling), {}, 3, kVocabulary);
  for (TrainedAnswer& answer : batch.answers)
    for (float& log_prob : answer.sampler_log_probs) log_prob = -500;
  const policy::LoadedModel far = [] {
    policy::LoadedModel made = tiny_model();
    for (policy::NamedTensor& weight : made.weights) weight.tensor.mul_(6);
    return made;
  }();
  const policy::Transformer reference(far.config, far.weights);
  Trainable trainable = make(model);
  UpdateOptions options{.gradient_steps = 3, .learning_rate = 0.05, .sampling = sampling};
  options.loss.kl_weight = 0.1;
  const UpdateResult result = update_policy(trainable, &reference, batch, options);
  EXPECT_EQ(result.steps_taken, 3) << result.skipped;
}

TEST(Batch, ARolloutWhoseRecordIsNotWholeIsNotTrainedOn) {
  const policy::LoadedModel model = tiny_model();
  const auto sampling = sampling_with(1, 0, 0.9f, 0);
  auto works = sample_works(model, sampling);
  works[0].rollouts[0].mutable_completion()->set_log_probs(0, -std::numeric_limits<float>::infinity());
  works[0].rollouts[1].mutable_completion()->set_token_ids(0, 4096);
  works[0].rollouts[2].mutable_completion()->mutable_kept()->append("more");
  works[0].rollouts[3].mutable_verdict()->set_reward(std::nan(""));
  const RlBatch batch = make_batch(works, {}, 3, kVocabulary);
  EXPECT_EQ(batch.invalid, 4u);
  EXPECT_EQ(batch.answers.size(), 4u);
}

TEST(Batch, StalenessCountsTheLearnersUpdatesWhateverTheLineage) {
  const policy::LoadedModel model = tiny_model();
  auto works = sample_works(model, sampling_with(1, 0, 1, 0));
  works.resize(1);
  for (proto::Rollout& rollout : works[0].rollouts) {
    rollout.set_policy_version(rollout::version_in(2, 7));
    rollout.mutable_completion()->clear_policy_versions();
  }
  EXPECT_EQ(make_batch(works, {}, 8, kVocabulary).staleness_max, 1);
  works[0].rollouts[1].set_policy_version(rollout::version_in(1, 10));  // of a learner that died before its checkpoint
  EXPECT_EQ(make_batch(works, {}, 8, kVocabulary).staleness_max, 2);
}

struct Learner {
  std::vector<policy::NamedTensor> weights;
  UpdateResult result;  // of the last update
};

// Updates on one batch, by as many learners as `processes`: as `rl` runs them, but as threads.
std::vector<Learner> learn(int processes, int updates, const UpdateOptions& options,
                           const policy::Transformer* reference = nullptr) {
  static int meetings = 0;
  const policy::LoadedModel model = tiny_model();
  const RlBatch batch = make_batch(sample_works(model, options.sampling), {}, /*current_version=*/3, kVocabulary);
  const int port = 21000 + (::getpid() + 7 * ++meetings) % 20000;
  std::vector<Learner> learners(static_cast<std::size_t>(processes));
  const auto run = [&](int rank) {
    const Replicas replicas({.rank = rank, .size = processes, .address = "127.0.0.1", .port = port});
    Trainable trainable(model.config, model.weights, "float32", {.replicas = &replicas});
    UpdateOptions own = options;
    own.replicas = &replicas;
    Learner& learner = learners[static_cast<std::size_t>(rank)];
    for (int update = 0; update < updates; ++update) learner.result = update_policy(trainable, reference, batch, own);
    for (const policy::NamedTensor& weight : trainable.weights())
      learner.weights.push_back({weight.name, weight.tensor.detach().clone()});
  };
  std::vector<std::thread> threads;
  for (int rank = 0; rank < processes; ++rank) threads.emplace_back(run, rank);
  for (std::thread& thread : threads) thread.join();
  return learners;
}

double largest_difference(const std::vector<policy::NamedTensor>& some,
                          const std::vector<policy::NamedTensor>& others) {
  double largest = 0;
  for (std::size_t i = 0; i < some.size(); ++i)
    largest = std::max(largest, (some[i].tensor - others[i].tensor).abs().max().item<double>());
  return largest;
}

TEST(Update, TwoLearnersGiveTheSameUpdateAsOne) {
  const UpdateOptions options{
      .rows = {.row_tokens = 64}, .gradient_steps = 2, .learning_rate = 1e-3, .sampling = sampling_with(1, 0, 1, 0)};
  const Learner one = learn(1, 2, options).front();
  EXPECT_GT(one.result.computed_tokens, 64) << "several rows";
  EXPECT_GT(largest_difference(one.weights, tiny_model().weights), 1e-4) << "nothing was learned";
  for (const Learner& learner : learn(2, 2, options)) {
    EXPECT_EQ(learner.result.steps_taken, one.result.steps_taken);
    EXPECT_EQ(learner.result.tokens, one.result.tokens);
    EXPECT_EQ(learner.result.computed_tokens, one.result.computed_tokens);
    EXPECT_NEAR(learner.result.policy_loss, one.result.policy_loss, 1e-6);
    EXPECT_NEAR(learner.result.gradient_norm, one.result.gradient_norm, 1e-5);
    // A log-probability of the second step, fp32, by weights that differ as below.
    EXPECT_NEAR(learner.result.difference_max, one.result.difference_max, 1e-5);
    EXPECT_NEAR(learner.result.clip_fraction, one.result.clip_fraction, 1e-9);
    EXPECT_LT(largest_difference(learner.weights, one.weights), 1e-6);
  }
}

// What is left of a difference over many updates is the order in which a step's rows are added, which AdamW makes
// visible where a gradient is near zero. With two rows, one for each learner, there is one order: no bit differs.
TEST(Update, TwoLearnersWithARowEachGiveTheBitsOfOneOverManyUpdates) {
  const UpdateOptions options{
      .rows = {.row_tokens = 256}, .gradient_steps = 2, .learning_rate = 1e-3, .sampling = sampling_with(1, 0, 1, 0)};
  const Learner one = learn(1, 8, options).front();
  ASSERT_GT(one.result.computed_tokens, 2 * 256) << "two rows in each of two steps";
  ASSERT_LE(one.result.computed_tokens, 2 * 2 * 256);
  EXPECT_GT(largest_difference(one.weights, tiny_model().weights), 4e-3) << "nothing was learned";
  for (const Learner& learner : learn(2, 8, options)) EXPECT_EQ(largest_difference(learner.weights, one.weights), 0);
}

// A group's advantages follow from the penalties of all its answers, which are in rows of both learners.
TEST(Update, TwoLearnersShareTheDivergenceInTheReward) {
  policy::LoadedModel model = tiny_model();
  for (policy::NamedTensor& weight : model.weights) weight.tensor.mul_(1.05);
  const policy::Transformer reference(model.config, model.weights);
  for (const AdvantageRule rule : {AdvantageRule{.baseline = AdvantageBaseline::kLeaveOneOut, .divide_by_std = false},
                                   AdvantageRule{.baseline = AdvantageBaseline::kBatch}}) {
    UpdateOptions options{.loss = {.kl_weight = 0.5, .kl_in_reward = true},
                          .rows = {.row_tokens = 64},
                          .rule = rule,
                          .learning_rate = 1e-3,
                          .sampling = sampling_with(1, 0, 1, 0)};
    const Learner one = learn(1, 1, options, &reference).front();
    for (const Learner& learner : learn(2, 1, options, &reference)) {
      EXPECT_NEAR(learner.result.policy_loss, one.result.policy_loss, 1e-6);
      EXPECT_NEAR(learner.result.gradient_norm, one.result.gradient_norm, 1e-5 * one.result.gradient_norm);
      EXPECT_LT(largest_difference(learner.weights, one.weights), 1e-6);
    }
    options.loss.kl_weight = 0;
    EXPECT_GT(std::abs(learn(1, 1, options, &reference).front().result.gradient_norm - one.result.gradient_norm),
              1e-3 * one.result.gradient_norm)
        << "the divergence changes nothing here";
  }
}

}  // namespace
}  // namespace kg::trainer
