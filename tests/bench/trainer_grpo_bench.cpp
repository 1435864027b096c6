// One GRPO step as `kgtrain rl` does it, without workers: sample groups, reward by a rule, update, pack the new
// weights. Prints one line of JSON. Run by trainer_grpo.py beside its peer.
//   trainer_grpo_bench MODEL [prompts] [prompt tokens] [completions of each] [new tokens] [steps] [threads] [dtype]
#include <sys/resource.h>

#include <cstdlib>
#include <iostream>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/program.h"
#include "policy/files/model_io.h"
#include "policy/generation/decode_weights.h"
#include "policy/generation/generator_engine.h"
#include "trainer/rl_update.h"
#include "trainer/runtime.h"

using namespace kg;

namespace {

proto::GenerateRequest request_of(std::int64_t completions, std::int64_t fresh, std::uint64_t seed) {
  proto::GenerateRequest request;
  request.set_count(static_cast<std::uint32_t>(completions));
  request.mutable_sampling()->set_temperature(1);
  request.mutable_sampling()->set_max_new_tokens(static_cast<std::int32_t>(fresh));
  request.mutable_sampling()->set_seed(seed);
  return request;
}

std::vector<rollout::FinishedWork> sample(policy::GenerationEngine& engine, std::int64_t prompts, std::int64_t length,
                                          std::int64_t completions, std::int64_t fresh, std::uint64_t seed) {
  for (std::int64_t p = 0; p < prompts; ++p) {
    std::vector<std::int32_t> prompt;
    for (std::int64_t t = 0; t < length; ++t)
      prompt.push_back(static_cast<std::int32_t>((t * 7919 + p * 104729) % engine.config().vocabulary));
    engine.submit_tokens(request_of(completions, fresh, seed * 1000 + static_cast<std::uint64_t>(p)), prompt);
  }
  while (engine.step()) {
  }
  std::vector<rollout::FinishedWork> works;
  for (policy::FinishedRequest& done : engine.take_finished()) {
    rollout::FinishedWork& work = works.emplace_back();
    for (const proto::Completion& completion : done.reply.completions()) {
      proto::Rollout& rollout = work.rollouts.emplace_back();
      *rollout.mutable_completion() = completion;
      rollout.mutable_verdict()->set_reward_valid(true);
      double even = 0;
      for (const std::int32_t token : completion.token_ids()) even += token % 2 == 0 ? 1 : 0;
      rollout.mutable_verdict()->set_reward(even / completion.token_ids_size());
    }
  }
  return works;
}

}  // namespace

int main(int argc, char** argv) {
  return run_program([&] {
    const auto argument = [&](int i, std::int64_t fallback) { return argc > i ? std::atoll(argv[i]) : fallback; };
    const std::int64_t prompts = argument(2, 2), length = argument(3, 256), completions = argument(4, 8),
                       fresh = argument(5, 128), steps = argument(6, 2);
    const int threads = trainer::set_threads(static_cast<int>(argument(7, 2)));
    const std::string dtype = argc > 8 ? argv[8] : "float32";
    policy::LoadedModel model = policy::load_model(policy::find_model(argv[1]));
    model.config.eos_id = -1;  // answers go to their last token
    trainer::Trainable trainable(model.config, model.weights, "float32", {});
    policy::GenerationEngine engine(model.config, nullptr, {}, {.threads = threads});
    nlohmann::json lines = nlohmann::json::array();
    for (std::int64_t step = 0; step < steps; ++step) {
      const double begin = monotonic_seconds();
      engine.set_weights(policy::DecodeWeights::pack(model.config, trainable.weights(), dtype),
                         static_cast<std::uint64_t>(step + 1));
      const double packed = monotonic_seconds();
      const auto works = sample(engine, prompts, length, completions, fresh, static_cast<std::uint64_t>(step));
      const double sampled = monotonic_seconds();
      const trainer::RlBatch batch =
          trainer::make_batch(works, {}, static_cast<std::uint64_t>(step + 1), model.config.vocabulary);
      const trainer::UpdateResult update = trainer::update_policy(
          trainable, nullptr, batch, {.rows = {.row_tokens = 2048}, .sampling = request_of(1, 1, 0).sampling()});
      const double end = monotonic_seconds();
      lines.push_back({{"pack_seconds", packed - begin},
                       {"sample_seconds", sampled - packed},
                       {"train_seconds", end - sampled},
                       {"step_seconds", end - begin},
                       {"tokens", update.tokens},
                       {"computed_tokens", update.computed_tokens},
                       {"log_prob_difference", update.difference_mean},
                       {"grad_norm", update.gradient_norm}});
    }
    struct rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    std::cout << nlohmann::json{{"steps", lines}, {"peak_mib", usage.ru_maxrss / 1024}} << std::endl;
    return 0;
  });
}
