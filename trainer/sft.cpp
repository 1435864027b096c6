// `kgtrain sft`: parse, build, run, report.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "dataset/store/dataset.h"
#include "trainer/commands.h"
#include "trainer/run_identity.h"
#include "trainer/sft_learner.h"
#include "trainer/stop_signal.h"
#include "trainer/training_run.h"

namespace kg::trainer {
namespace {

// Takes one step, and reports it in the run's metrics, status and progress.
void take_step(SftLearner& learner, TrainingRun& training) {
  RunState& state = training.state;
  const double begin = monotonic_seconds();
  const std::vector<std::size_t> documents = learner.next_documents(state.position);
  const double rate = learner.rate(state.step);
  const SftStep step = learner.step(documents, rate);
  const double seconds = monotonic_seconds() - begin;
  training.count(step.outcome, step.tokens, seconds);
  nlohmann::json line = {{"step", state.step},
                         {"loss", step.loss},
                         {"learning_rate", rate},
                         {"tokens", state.tokens},
                         {"tokens_per_second", static_cast<double>(step.tokens) / seconds},
                         {"grad_norm", step.outcome.gradient_norm},
                         {"skipped_steps", state.skipped_steps}};
  if (!step.outcome.skipped.empty()) line["skipped"] = step.outcome.skipped;
  training.run.append_metrics(std::move(line));
  const double speed = static_cast<double>(state.tokens) / state.seconds;
  char details[96];
  std::snprintf(details, sizeof details, "loss %.4f  %.0f tokens/s", step.loss, speed);
  training.run.show(state.step, details);
  training.run.update_status(
      {{"step", state.step}, {"loss", step.loss}, {"tokens", state.tokens}, {"tokens_per_second", speed}});
}

// Loads the newest checkpoint if there is one, and prints what the run is going to do.
void begin(SftLearner& learner, TrainingRun& training, const SftOptions& options, const RunRequest& request,
           const nlohmann::json& config) {
  training.restore({.command = "sft",
                    .seed = options.seed,
                    .threads = request.threads,
                    .dtype = request.dtype,
                    .data_fingerprint = learner.data().fingerprint},
                   learner.trainable());
  const SftPlan& plan = learner.plan();
  training.run.open(config, training.state.step);
  training.run.begin("sft", training.state.step, plan.steps);
  training.run.note("sft " + training.run.name() + ": " + std::to_string(learner.data().documents.size()) +
                    " samples of " + request.data.string() + " (" + std::to_string(learner.data().left_out) +
                    " too long), " + std::to_string(plan.tokens) + " tokens in " + std::to_string(plan.steps) +
                    " steps, " + request.dtype + ", " + std::to_string(request.threads) + " threads, from step " +
                    std::to_string(training.state.step));
}

}  // namespace

int run_sft(int argc, const char* const* argv) {
  SftOptions options;
  RunRequest request;
  if (!parse_run_options(argc, argv, "sft", options, request)) return 0;
  watch_stop_signals();
  const Replicas replicas;
  if (!replicas.alone() && options.out.empty())
    throw Error("processes that train together need one run folder", "--out", "name it");
  if (options.steps > 0 && options.tokens > 0)
    throw Error("--steps and --tokens both set how long to train", "kgtrain sft", "leave out one of the two");
  settle(request, options, options.model);
  request.data = fs::absolute(dataset::find_dataset(options.data));
  SftLearner learner(options, request, replicas);
  nlohmann::json config = config_of(request);
  config.update(learner.description());
  const std::int64_t steps = learner.plan().steps;
  if (options.dry_run) {
    const double speed = learner.tokens_per_second();
    config.update(
        {{"tokens_per_second", speed}, {"estimated_seconds", static_cast<double>(learner.plan().tokens) / speed}});
    return print_dry_run(config);
  }

  TrainingRun training(request, options.keep_checkpoints, &replicas);
  config["model_hash"] = model_hash(request.model);
  if (training.run.has_folder() && training.run.goes_on())
    require_same_run(training.run.folder().read_config(), config, training.run.path());
  begin(learner, training, options, request, config);
  const auto save = [&] { training.save(learner.trainable(), learner.source()); };
  // All processes stop after the same step.
  const auto stop_wanted = [&] { return replicas.sum(std::vector<double>{stop_requested() ? 1.0 : 0.0}).front() > 0; };
  while (training.state.step < steps && !stop_wanted()) {
    take_step(learner, training);
    if (training.checkpoint_due(options.checkpoint_every, training.state.step == steps)) training.try_saving(save);
  }
  save();
  if (training.state.step < steps) return training.run.stop("step " + std::to_string(training.state.step));
  return training.finish(learner.trainable(), learner.source());
}

}  // namespace kg::trainer
