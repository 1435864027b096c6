// Theory of operation. Works are drawn one after the other; an update trains on the next G of them (G groups an
// update), and the checkpoint says how many were trained on. Prompts and random streams are pure functions of (seed,
// number of the draw, task); so are the tasks, of a curriculum those together with the outcomes of updates that were
// durable before (curriculum_order.h). Groups in place of those without signal are draws of a stream of their own, by
// update. Works are submitted when update u - staleness begins and awaited when update u
// does, so that no rollout is older than `staleness` updates when it is trained on, and none is ever dropped. A learner
// that was killed draws the works after its checkpoint again; samples of them that are durable already are taken from
// the data set. Where other options draw other works, those have other contents and are made anew, under other ids
// (rollout/work_content.h); so are works whose stored rollouts come from weights that are further away than
// `staleness`, as after a restart with other groups. With no staleness the weights that sample update u are those that
// the checkpoint holds, so that the resumed run is the run that was never killed.
#include <algorithm>
#include <cstdio>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "evaluation/provenance.h"
#include "proto/language.h"
#include "reward/judge_version.h"
#include "reward/reward_config.h"
#include "trainer/commands.h"
#include "trainer/external_generator.h"
#include "trainer/rl_learner.h"
#include "trainer/rl_metrics.h"
#include "trainer/rl_works.h"
#include "trainer/rollout_source.h"
#include "trainer/run_id.h"
#include "trainer/run_identity.h"
#include "trainer/stop_signal.h"
#include "trainer/training_run.h"

namespace kg::trainer {
namespace {

constexpr int kUpdatesWithoutResultToFail = 3;

// The run as the parts of an update see it.
struct Rl {
  const RlOptions& options;
  dataset::Dataset& data;
  policy::LoadedModel& loaded;  // without its weights, which the learner has
  TrainingRun& training;
  RlLearner& learner;
  RlWorks& works;
  RolloutSource& source;
  std::string details = "waiting for the first rollouts";  // of the last update, for the terminal
  int updates_without_result = 0;                          // in a row
  bool unpublished = false;                                // the weights have changed since they were published
};

void check_and_settle(RlOptions& options, RunRequest& request) {
  if (options.deterministic) options.staleness = 0;
  const bool corrects = objective_of(options).loss.correction != Correction::kNone;
  if (options.sampling_dtype == "int8" && !corrects)
    throw Error("8-bit weights sample from another distribution than the one that is trained", "--sampling-dtype int8",
                "give --importance-cap a value, for instance 2, and a --correction");
  if (options.staleness > 0 && !corrects)
    throw Error("rollouts of older weights come from another distribution than the one that is trained",
                "--staleness " + std::to_string(options.staleness) +
                    (options.importance_cap == 0 ? " with --importance-cap 0" : " with --correction none"),
                "--correction token with an --importance-cap, for instance 2, or --staleness 0");
  require_trainable(options, options);
  settle(request, options, options.model);
  if (options.data.empty()) options.data = evaluation::training_data_of(request.model).string();
  request.data = fs::absolute(dataset::find_dataset(options.data.empty() ? "ascend_cot.h5" : options.data));
}

nlohmann::json config_of(const RlOptions& options, const RunRequest& request) {
  nlohmann::json config = config_of(request);
  config["options"]["staleness"] = options.staleness;
  config.update({{"reward", reward::to_json(reward::reward_preset(options.reward))},
                 {"judge_version", reward::judge_version()},
                 {"language", options.language},
                 {"model_hash", model_hash(request.model)},
                 {"rollouts_per_update", options.groups_per_step * options.group_size},
                 {"steps", options.steps}});
  return config;
}

nlohmann::json estimates(const RlOptions& options, const policy::LoadedModel& loaded) {
  double weights = 0;
  for (const policy::NamedTensor& weight : loaded.weights) weights += static_cast<double>(weight.tensor.numel());
  // Learner: masters, two moments, gradients; generator: two versions of the weights while it switches.
  return {{"memory_gigabytes", weights * (16 + 8 + (options.kl_weight > 0 ? 4 : 0)) / 1e9},
          {"disk_gigabytes", weights * 4 * (3 * (options.keep_checkpoints + 1) + 3) / 1e9},
          {"tokens_at_most", options.steps * options.groups_per_step * options.group_size * options.max_new_tokens}};
}

rollout::CoordinatorOptions coordinator_of(const RlOptions& options, const std::string& run_id,
                                           const fs::path& run_folder) {
  return {.run = run_id,
          .run_folder = run_folder,
          .bind = options.bind,
          .keys_folder = options.keys,
          .reward = reward::reward_preset(options.reward),
          .language = proto::language_from_name(options.language),
          .lease_seconds = options.lease_seconds,
          .checks = {.rate = options.check_verdicts}};
}

rollout::LocalFleetOptions fleet_of(const RlOptions& options, const RunRequest& request, const fs::path& run_folder) {
  std::vector<std::string> arguments{
      "--device",  options.sampling_device == "same" ? options.device : options.sampling_device,
      "--dtype",   options.sampling_dtype == "auto" ? request.dtype : options.sampling_dtype,
      "--threads", std::to_string(request.threads)};
  for (std::string& word : server_arguments(options)) arguments.push_back(std::move(word));
  return {.run_folder = run_folder,
          .model = request.model.string(),  // stands as long as the run; the newest version is switched to
          .workers = static_cast<unsigned>(options.workers),
          .generator = options.workers > 0,
          .generator_arguments = std::move(arguments)};
}

// Empty if a stop was requested before they were all there.
std::vector<rollout::FinishedWork> wait_for_groups(Rl& rl, const std::vector<std::uint64_t>& ids) {
  const std::int64_t step = rl.training.state.step;
  return rl.source.collector().collect(ids, [&] {
    const rollout::CoordinatorStats stats = rl.source.coordinator().stats();
    rl.training.run.update_status({{"workers", stats.workers},
                                   {"leases", stats.leases},
                                   {"waiting_work", stats.waiting_work},
                                   {"results", stats.results},
                                   {"returned_leases", stats.returned_leases},
                                   {"given_up", stats.given_up},
                                   {"checked_verdicts", stats.checked},
                                   {"unchecked_results", stats.unchecked},
                                   {"false_verdicts", stats.false_verdicts},
                                   {"expired_leases", stats.expired_leases},
                                   {"last_return_reason", stats.last_return_reason},
                                   {"restarts", rl.source.restarts()}});
    rl.training.run.show(step, rl.details + "  " + std::to_string(stats.workers) + " workers, " +
                                   std::to_string(stats.results) + " rollouts");
  });
}

// What an update tells beside its metrics. `seconds`: what it took, waiting for rollouts included.
void report(Rl& rl, const RlBatch& batch, const UpdateResult& result, double seconds) {
  const RunState& state = rl.training.state;
  if (!result.skipped.empty())
    rl.training.run.note("update " + std::to_string(state.step) + ": a step was skipped: " + result.skipped);
  const double rollouts = std::max(1u, batch.rollouts);
  char details[160];
  std::snprintf(details, sizeof details, "reward %.3f  compiled %.0f %%  correct %.0f %%  %.0f tokens/s",
                batch.reward_sum / rollouts, 100.0 * batch.compiled / rollouts, 100.0 * batch.correct / rollouts,
                static_cast<double>(batch.answer_tokens) / seconds);
  rl.details = details;
  rl.training.run.show(state.step, rl.details);
  rl.training.run.update_status(
      {{"step", state.step}, {"reward_mean", batch.reward_sum / rollouts}, {"policy_version", state.weights_version}});
  rl.updates_without_result = batch.rollouts == 0 ? rl.updates_without_result + 1 : 0;
  if (rl.updates_without_result == kUpdatesWithoutResultToFail)
    throw Error("no rollout of the last " + std::to_string(rl.updates_without_result) + " updates has a valid reward",
                rl.source.coordinator().stats().last_return_reason, "kgtrain doctor; then go on with --resume",
                Error::Kind::kEnvironment);
}

// The groups of an update: its own, and others in place of those whose rewards are all alike, as far as the objective
// has it. Empty if a stop was requested before they were all there.
std::vector<rollout::FinishedWork> groups_of_update(Rl& rl) {
  const RunState& state = rl.training.state;
  std::vector<rollout::FinishedWork> groups = wait_for_groups(rl, rl.works.ids_of(state.step));
  if (groups.empty()) return groups;
  const auto own = static_cast<std::int64_t>(groups.size());
  for (;;) {
    const auto made = static_cast<std::int64_t>(groups.size());
    const std::int64_t missing = own - std::count_if(groups.begin(), groups.end(), has_signal);
    const std::int64_t wanted = std::min(missing, rl.learner.objective().most_groups - made);
    if (wanted <= 0) return groups;
    auto more = wait_for_groups(
        rl, rl.works.refill(state.step, made - own, wanted, state.weights_version, rl.source.coordinator()));
    if (more.empty()) return more;
    std::move(more.begin(), more.end(), std::back_inserter(groups));
  }
}

// One update: its works, their rollouts, the gradient steps, the new weights for the generators. False if a stop was
// requested before the rollouts were there.
bool update(Rl& rl) {
  RunState& state = rl.training.state;
  const double begin = monotonic_seconds();
  rl.works.submit_for(state.step, state.outcomes, state.weights_version, rl.source.coordinator());
  const std::vector<rollout::FinishedWork> groups = groups_of_update(rl);
  if (groups.empty()) return false;
  std::vector<std::uint64_t> works;
  for (const rollout::FinishedWork& group : groups) works.push_back(group.work.work_id);
  const double generated = monotonic_seconds();
  const RlBatch batch = rl.learner.batch_of(groups, state.weights_version);
  const double rate = rl.learner.rate(state.step);
  const UpdateResult result = rl.learner.update(batch, rate);
  ++state.step;
  state.tokens += result.tokens;
  state.skipped_steps += result.steps_skipped;
  state.seconds += monotonic_seconds() - begin;
  state.works += rl.options.groups_per_step;
  if (rl.works.curriculum())
    for (const rollout::FinishedWork& group : groups) state.outcomes.push_back(outcome_of(group, state.step - 1));
  rl.unpublished = result.steps_taken > 0;
  if (rl.unpublished) ++state.weights_version;
  nlohmann::json metrics = rl_metrics(state, batch, result, rate, generated - begin, monotonic_seconds() - generated);
  metrics["works"] = works;
  if (rl.works.curriculum()) metrics["level"] = rl.works.curriculum()->highest_level();
  rl.training.run.append_metrics(std::move(metrics));
  report(rl, batch, result, monotonic_seconds() - begin);
  return true;
}

void publish(Rl& rl) {
  if (!std::exchange(rl.unpublished, false)) return;
  const RunState& state = rl.training.state;
  if (state.step < rl.options.steps) rl.source.publish(state.weights_version, rl.learner.trainable().weights());
  rl.source.remove_old_versions(state.weights_version);
}

void begin(Rl& rl, std::size_t tasks) {
  const RlOptions& options = rl.options;
  const std::int64_t step = rl.training.state.step;
  const std::string endpoint = rl.source.coordinator().endpoint(), remote = rl.source.coordinator().remote_endpoint();
  Run& run = rl.training.run;
  run.begin("rl", step, options.steps, {{"endpoint", endpoint}, {"remote_endpoint", remote}});
  if (!remote.empty())
    run.note("workers on other hosts: kgtrain-worker --connect " + remote + " --keys FOLDER --model MODEL, or --run " +
             run.path().string() + " where they see that folder");
  run.note("rl " + run.name() + ": " + std::to_string(tasks) + " tasks, " + options.algorithm + ", " +
           std::to_string(options.groups_per_step) + " groups of " + std::to_string(options.group_size) +
           " an update, " + std::to_string(options.workers) + " workers at " + endpoint + ", from update " +
           std::to_string(step));
}

// Updates until the last one or a stop, and writes checkpoints. Returns the exit status.
int train(Rl& rl) {
  const std::int64_t steps = rl.options.steps;
  RunState& state = rl.training.state;
  const auto save = [&] { rl.training.save(rl.learner.trainable(), rl.loaded); };
  while (state.step < steps && !stop_requested()) {
    if (!update(rl)) break;
    try {
      publish(rl);
    } catch (const std::exception&) {  // the update is done and must not be lost with the disk's space
      rl.training.try_saving(save);
      throw;
    }
    if (rl.training.checkpoint_due(rl.options.checkpoint_every, steps))
      rl.training.try_saving([&] {
        save();
        rl.data.fold();  // so that a reader without kgtrain sees the rollouts up to here
      });
  }
  save();
  if (state.step < steps) return rl.training.run.stop("update " + std::to_string(state.step));
  rl.source.coordinator().finish();
  return rl.training.finish(rl.learner.trainable(), rl.loaded);
}

}  // namespace

int run_rl(int argc, const char* const* argv) {
  RlOptions options;
  RunRequest request;
  if (!parse_run_options(argc, argv, "rl", options, request)) return 0;
  watch_stop_signals();
  check_and_settle(options, request);
  nlohmann::json config = config_of(options, request);
  policy::LoadedModel loaded = policy::load_model(request.model);
  if (options.dry_run) {
    config.update(estimates(options, loaded));
    return print_dry_run(config);
  }

  TrainingRun training(request, options.keep_checkpoints);
  if (training.run.goes_on()) require_same_run(training.run.folder().read_config(), config, training.run.path());
  const auto data = dataset::Dataset::open(request.data, dataset::OpenMode::kAppend);
  const std::vector<std::string> tasks = data->task_ids(options.split);
  if (tasks.empty())
    throw Error("no task of split " + options.split, request.data.string(), "kgtrain data info shows what there is");
  RlLearner learner(options, request, loaded);
  loaded.weights.clear();  // the learner has its own
  training.restore(
      {.command = "rl", .seed = options.seed, .threads = request.threads, .dtype = request.dtype, .weights_version = 1},
      learner.trainable());
  if (training.state.works < 0) training.state.works = training.state.step * options.groups_per_step;
  config["run_id"] = run_id_of(training.run, *data);
  training.run.open(config, training.state.step);
  RolloutSource source(coordinator_of(options, config["run_id"], training.run.path()),
                       fleet_of(options, request, training.run.path()), *data, loaded, request.dtype,
                       training.state.weights_version, learner.trainable().weights());
  RlWorks works(options, *data, tasks, training.state.step, training.state.works);
  Rl rl{options, *data, loaded, training, learner, works, source};
  begin(rl, tasks.size());
  return train(rl);
}

}  // namespace kg::trainer
