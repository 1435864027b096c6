// `kgtrain dpo`: parse, build, run, report.
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "dataset/store/dataset.h"
#include "evaluation/provenance.h"
#include "trainer/commands.h"
#include "trainer/dpo_learner.h"
#include "trainer/run_identity.h"
#include "trainer/stop_signal.h"
#include "trainer/training_run.h"

namespace kg::trainer {
namespace {

PreferenceData pairs_of(const DpoOptions& options, const RunRequest& request, std::int64_t vocabulary) {
  if (options.dry_run)
    return load_pairs(*dataset::Dataset::open(request.data, dataset::OpenMode::kRead), options, vocabulary);
  const auto data = dataset::Dataset::open(request.data, dataset::OpenMode::kAppend);
  PreferenceData pairs = load_pairs(*data, options, vocabulary);
  store_preferences(*data, pairs.records);
  return pairs;
}

// Takes one step, and reports it in the run's metrics, status and progress.
void take_step(DpoLearner& learner, TrainingRun& training) {
  RunState& state = training.state;
  const double begin = monotonic_seconds();
  const std::vector<std::size_t> pairs = learner.next_pairs(state.position);
  const double rate = learner.rate(state.step);
  const DpoStep step = learner.step(pairs, rate);
  const double seconds = monotonic_seconds() - begin;
  training.count(step.outcome, step.tokens, seconds);
  training.run.append_metrics({{"step", state.step},
                               {"loss", step.loss},
                               {"margin", step.margin},
                               {"accuracy", step.accuracy},
                               {"chosen_log_prob", step.chosen},
                               {"kl", step.kl},
                               {"learning_rate", rate},
                               {"pairs", pairs.size()},
                               {"tokens", state.tokens},
                               {"tokens_per_second", static_cast<double>(step.tokens) / seconds},
                               {"grad_norm", step.outcome.gradient_norm},
                               {"skipped_steps", state.skipped_steps}});
  char details[96];
  std::snprintf(details, sizeof details, "loss %.4f  margin %.3f  right %.0f %%", step.loss, step.margin,
                100 * step.accuracy);
  training.run.show(state.step, details);
  training.run.update_status({{"step", state.step}, {"loss", step.loss}, {"tokens", state.tokens}});
}

void begin(DpoLearner& learner, TrainingRun& training, const DpoOptions& options, const RunRequest& request,
           const nlohmann::json& config) {
  learner.measure_reference();
  training.restore({.command = "dpo",
                    .seed = options.seed,
                    .threads = request.threads,
                    .dtype = request.dtype,
                    .data_fingerprint = learner.data().fingerprint},
                   learner.trainable());
  training.run.open(config, training.state.step);
  training.run.begin("dpo", training.state.step, learner.steps());
  training.run.note("dpo " + training.run.name() + ": " + std::to_string(learner.data().records.size()) + " pairs of " +
                    std::to_string(learner.data().answers) + " answers to " + std::to_string(learner.data().prompts) +
                    " prompts, " + options.loss + ", " + std::to_string(learner.steps()) + " steps, from step " +
                    std::to_string(training.state.step));
}

}  // namespace

int run_dpo(int argc, const char* const* argv) {
  DpoOptions options;
  RunRequest request;
  if (!parse_run_options(argc, argv, "dpo", options, request)) return 0;
  watch_stop_signals();
  settle(request, options, options.model);
  if (options.data.empty()) options.data = evaluation::training_data_of(request.model).string();
  request.data = fs::absolute(dataset::find_dataset(options.data.empty() ? "ascend_cot.h5" : options.data));
  policy::LoadedModel loaded = policy::load_model(request.model);
  PreferenceData pairs = pairs_of(options, request, loaded.config.vocabulary);
  DpoLearner learner(options, request, std::move(loaded), std::move(pairs));
  nlohmann::json config = config_of(request);
  config.update(learner.description());
  if (options.dry_run) return print_dry_run(config);

  TrainingRun training(request, options.keep_checkpoints);
  config["model_hash"] = model_hash(request.model);
  if (training.run.goes_on()) require_same_run(training.run.folder().read_config(), config, training.run.path());
  begin(learner, training, options, request, config);
  const auto save = [&] { training.save(learner.trainable(), learner.source()); };
  while (training.state.step < learner.steps() && !stop_requested()) {
    take_step(learner, training);
    if (training.checkpoint_due(options.checkpoint_every, training.state.step == learner.steps()))
      training.try_saving(save);
  }
  save();
  if (training.state.step < learner.steps()) return training.run.stop("step " + std::to_string(training.state.step));
  return training.finish(learner.trainable(), learner.source());
}

}  // namespace kg::trainer
