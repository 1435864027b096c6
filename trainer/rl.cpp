// Theory of operation. Works are drawn one after the other; an update trains on the next G of them (G groups an
// update), and the checkpoint says how many were trained on. Prompts and random streams are pure functions of (seed,
// number of the draw, task); so are the tasks, of a curriculum those together with the outcomes of updates that were
// durable before (curriculum_order.h). Groups in place of those without signal are draws of a stream of their own, by
// update. Works are submitted when update u - staleness begins, or later where the workers' weights would be too old
// (--sync-every), and awaited when update u does, so that no rollout is older than `staleness` updates when it is
// trained on, and none is ever dropped. A learner that was killed draws the works after its checkpoint again; samples
// of them that are durable already are taken from the data set. Where other options draw other works, those have other
// contents and are made anew, under other ids (rollout/work_content.h); so are works whose stored rollouts come from
// weights that are further away than `staleness`, as after a restart with other groups. With no staleness the weights
// that sample update u are those that the checkpoint holds, so that the resumed run is the run that was never killed.
//
// With further turns some of an update's groups are repairs of answers that failed in earlier updates
// (repair_buffer.h), works like the others: each answer to one is stored, judged and rewarded by itself, against the
// other repairs of the same answer. Which they are is a function of what failed, and the checkpoint holds what waits.
//
// Of several processes that train together (replicas.h) the first alone has data set, coordinator and run folder. It
// sends round the groups of each update, and all of them, or none, go on to the next.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <exception>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "base/clock.h"
#include "base/error.h"
#include "trainer/collapse.h"
#include "trainer/commands.h"
#include "trainer/group_exchange.h"
#include "trainer/repair_works.h"
#include "trainer/rl_learner.h"
#include "trainer/rl_metrics.h"
#include "trainer/rl_rollouts.h"
#include "trainer/rl_setup.h"
#include "trainer/run_identity.h"
#include "trainer/sampling.h"
#include "trainer/stop_signal.h"

namespace kg::trainer {
namespace {

constexpr int kUpdatesWithoutResultToFail = 3;

// The run as the parts of an update see it.
struct Rl {
  const RlOptions& options;
  const Replicas& replicas;
  policy::LoadedModel& loaded;  // without its weights, which the learner has
  TrainingRun& training;
  RlLearner& learner;
  Rollouts* rollouts;                                      // null in all but the first process
  std::uint64_t published;                                 // version of the weights that the workers have or get
  std::string details = "waiting for the first rollouts";  // of the last update, for the terminal
  int updates_without_result = 0;                          // in a row
  bool updating = false;                                   // the weights are of no step: an update is under way
  double best = -1;                                        // share of correct answers in the best evaluation
  std::optional<PolicyWatch> watch = {};                   // of the first process alone
};

// Whether the run has done all its updates, or its answers have all their tokens.
bool ended(const Rl& rl) {
  const RunState& state = rl.training.state;
  return state.step >= rl.options.steps ||
         (rl.options.answer_tokens > 0 && state.answer_tokens >= rl.options.answer_tokens);
}

// The share of the tokens that may be drawn; 0 if --steps alone ends the run.
double tokens_drawn(const Rl& rl) {
  if (rl.options.answer_tokens == 0) return 0;
  return static_cast<double>(rl.training.state.answer_tokens) / static_cast<double>(rl.options.answer_tokens);
}

// Where the learning rate's schedule is: at the update, or as far as the tokens that may be drawn are.
std::int64_t schedule_step(const Rl& rl) {
  return std::max(rl.training.state.step,
                  static_cast<std::int64_t>(tokens_drawn(rl) * static_cast<double>(rl.options.steps)));
}

// The updates that the run will have had when it ends, if answers stay as long as they were.
std::int64_t expected_steps(const Rl& rl) {
  const double drawn = tokens_drawn(rl);
  if (drawn == 0) return rl.options.steps;
  const double step = static_cast<double>(rl.training.state.step);
  return std::min(rl.options.steps,
                  std::max(rl.training.state.step, static_cast<std::int64_t>(std::ceil(step / drawn))));
}

bool evaluation_due(const Rl& rl) { return RlEvaluation::due(rl.options, rl.training.state.step, ended(rl)); }

// Empty if a stop was requested before they were all there.
std::vector<rollout::FinishedWork> wait_for_groups(Rl& rl, const std::vector<std::uint64_t>& ids) {
  const std::int64_t step = rl.training.state.step;
  RolloutSource& source = *rl.rollouts->source;
  return source.collector().collect(ids, [&] {
    const rollout::CoordinatorStats stats = source.coordinator().stats();
    nlohmann::json status = status_of(stats);
    status["restarts"] = source.restarts();
    rl.training.run.update_status(status);
    rl.training.run.show(step, rl.details + "  " + std::to_string(stats.workers) + " workers, " +
                                   std::to_string(stats.results) + " rollouts");
  });
}

// The groups of an update: its own, and others in place of those whose rewards are all alike, as far as the objective
// has it. Empty if a stop was requested before they were all there.
std::vector<rollout::FinishedWork> groups_of_update(Rl& rl) {
  const RunState& state = rl.training.state;
  RolloutSource& source = *rl.rollouts->source;
  RlWorks& works = *rl.rollouts->works;
  works.submit_for(state.step, state.outcomes, state.weights_version, rl.published, source.coordinator());
  std::vector<rollout::FinishedWork> groups = wait_for_groups(rl, works.ids_of(state.step));
  if (groups.empty()) return groups;
  const auto own = static_cast<std::int64_t>(groups.size());
  for (;;) {
    const auto made = static_cast<std::int64_t>(groups.size());
    const std::int64_t missing = own - std::count_if(groups.begin(), groups.end(), has_signal);
    const std::int64_t wanted = std::min(missing, rl.learner.objective().most_groups - made);
    if (wanted <= 0) return groups;
    auto more =
        wait_for_groups(rl, works.refill(state.step, made - own, wanted, state.weights_version, source.coordinator()));
    if (more.empty()) return more;
    std::move(more.begin(), more.end(), std::back_inserter(groups));
  }
}

// The same, and in all processes.
std::vector<rollout::FinishedWork> next_groups(Rl& rl) {
  std::vector<rollout::FinishedWork> groups;
  if (rl.rollouts != nullptr) groups = groups_of_update(rl);
  share_groups(groups, rl.replicas);
  return groups;
}

// What an update tells beside its metrics. `seconds`: what it took, waiting for rollouts included.
void report(Rl& rl, const RlBatch& batch, const UpdateResult& result, double seconds) {
  const RunState& state = rl.training.state;
  if (!result.skipped.empty())
    rl.training.run.note("update " + std::to_string(state.step) + ": a step was skipped: " + result.skipped);
  const double rollouts = std::max(1u, batch.rollouts);
  char details[200];
  std::snprintf(details, sizeof details, "reward %.3f  compiled %.0f %%  correct %.0f %%  %.0f tokens/s",
                batch.reward_sum / rollouts, 100.0 * batch.compiled / rollouts, 100.0 * batch.correct / rollouts,
                static_cast<double>(batch.answer_tokens) / seconds);
  rl.details = details;
  if (batch.repairs > 0) {
    std::snprintf(details, sizeof details, "  repairs %.0f %% of %u", 100.0 * batch.repairs_correct / batch.repairs,
                  batch.repairs);
    rl.details += details;
  }
  rl.training.run.expect(expected_steps(rl));
  rl.training.run.show(state.step, rl.details);
  rl.training.run.update_status(
      {{"step", state.step}, {"reward_mean", batch.reward_sum / rollouts}, {"policy_version", state.weights_version}});
  rl.updates_without_result = batch.rollouts == 0 ? rl.updates_without_result + 1 : 0;
  if (rl.updates_without_result == kUpdatesWithoutResultToFail)
    throw Error("no rollout of the last " + std::to_string(rl.updates_without_result) + " updates has a valid reward",
                rl.rollouts == nullptr ? "" : rl.rollouts->source->coordinator().stats().last_return_reason,
                "kgtrain doctor; then go on with --resume", Error::Kind::kEnvironment);
}

// The run of a policy that is breaking down ends here; the checkpoint is written.
[[noreturn]] void stop_collapsed(Rl& rl) {
  const std::string step = "update " + std::to_string(rl.training.state.step);
  const std::string why = rl.watch ? rl.watch->collapsed() : "the first process says why";
  Run& run = rl.training.run;
  run.set_status({{"stopped_because", why}});
  run.stop(step);
  throw Error(
      "the policy is breaking down: " + why, run.has_folder() ? step + " of " + run.path().string() : step,
      "start a new run from best/ or an earlier model with a smaller --learning-rate; to continue anyway, --resume "
      "with a larger --stop-entropy, --stop-length, --stop-difference or --stop-growth",
      Error::Kind::kFailed);
}

// What the first process keeps of an update beside the weights.
void remember(Rl& rl, const std::vector<rollout::FinishedWork>& groups) {
  RunState& state = rl.training.state;
  const std::int64_t update = state.step - 1;
  if (rl.rollouts == nullptr) {
    state.works += rl.options.groups_per_step;
    return;
  }
  RlWorks& works = *rl.rollouts->works;
  state.works += works.trained(update, groups);
  state.failed = works.failed();
  if (!works.curriculum()) return;
  for (const rollout::FinishedWork& group : groups)
    if (turn_of(group) == 0) state.outcomes.push_back(outcome_of(group, update));
}

// One update: its works, their rollouts, the gradient steps, the new weights for the generators. False if a stop was
// requested before the rollouts were there.
bool update(Rl& rl) {
  RunState& state = rl.training.state;
  const double begin = monotonic_seconds();
  const std::vector<rollout::FinishedWork> groups = next_groups(rl);
  if (groups.empty()) return false;
  const double generated = monotonic_seconds();
  const RlBatch batch = rl.learner.batch_of(groups, state.weights_version);
  const double rate = rl.learner.rate(schedule_step(rl));
  rl.updating = true;
  const UpdateResult result = rl.learner.update(batch, rate);
  ++state.step;
  state.tokens += result.tokens;
  state.answer_tokens += batch.answer_tokens;
  state.skipped_steps += result.steps_skipped;
  state.seconds += monotonic_seconds() - begin;
  remember(rl, groups);
  if (result.steps_taken > 0) ++state.weights_version;
  rl.updating = false;
  nlohmann::json metrics = rl_metrics(state, batch, result, rate, generated - begin, monotonic_seconds() - generated);
  for (const rollout::FinishedWork& group : groups) metrics["works"].push_back(group.work.work_id);
  if (rl.rollouts != nullptr && rl.rollouts->works->curriculum())
    metrics["level"] = rl.rollouts->works->curriculum()->highest_level();
  if (rl.options.turns > 1) metrics["waiting_for_repair"] = state.failed.size();
  if (rl.watch)
    if (const std::string warning = rl.watch->add(metrics); !warning.empty())
      rl.training.run.note("update " + std::to_string(state.step) + ": warning: " + warning);
  rl.training.run.append_metrics(std::move(metrics));
  report(rl, batch, result, monotonic_seconds() - begin);
  return true;
}

// The first process alone publishes; all of them throw if it cannot. An evaluation is of the weights as they are now.
void publish(Rl& rl) {
  const RunState& state = rl.training.state;
  const bool due = state.step % rl.options.sync_every == 0 || ended(rl) || evaluation_due(rl);
  if (!due || rl.published == state.weights_version) return;
  rl.published = state.weights_version;
  std::exception_ptr failure;
  if (rl.rollouts != nullptr) {
    try {
      if (!ended(rl) || evaluation_due(rl)) rl.rollouts->publish(rl.learner, state.weights_version);
      rl.rollouts->source->remove_old_versions(state.weights_version);
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  if (rl.replicas.largest(failure ? 1 : 0) == 0) return;
  if (failure) {
    try {
      std::rethrow_exception(failure);
    } catch (const fs::filesystem_error& error) {  // whatever it is, the command line is not to blame
      throw Error("the weights cannot be published: " + error.code().message(), error.path1().string(),
                  "see to the disk, then go on with --resume", Error::Kind::kFailed);
    }
  }
  throw Error("the first process could not publish its weights", "update " + std::to_string(state.step),
              "its log says why", Error::Kind::kFailed);
}

// The evaluation of the weights as they are now, if one is due. The best so far are kept.
void evaluate(Rl& rl) {
  const RunState& state = rl.training.state;
  if (rl.rollouts == nullptr || !evaluation_due(rl)) return;
  Run& run = rl.training.run;
  const auto outcome = rl.rollouts->evaluation->evaluate(state.step, state.weights_version, *rl.rollouts->source, [&] {
    run.show(state.step, "evaluating held-out tasks  " + rl.details);
  });
  if (!outcome) return;
  nlohmann::json line = outcome->metrics();
  line["step"] = state.step;
  run.append_metrics(std::move(line));
  const bool better = outcome->correct > rl.best;
  run.note("update " + std::to_string(state.step) + ": " + outcome->text() + (better ? ", the best so far" : ""));
  if (!better) return;
  rl.best = outcome->correct;
  rl.training.try_saving([&] { rl.training.keep_as_best(rl.learner.trainable(), rl.loaded); });
  run.update_status({{"best_step", state.step}, {"best_correct_rate", outcome->correct}});
}

void begin(Rl& rl) {
  if (rl.rollouts == nullptr) return;
  rl.best = best_evaluation(rl.training.run.path() / "metrics.jsonl");
  rl.watch.emplace(CollapseLimits{.entropy = rl.options.stop_entropy,
                                  .length = rl.options.stop_length,
                                  .difference = rl.options.stop_difference,
                                  .difference_growth = rl.options.stop_growth},
                   read_signs(rl.training.run.path() / "metrics.jsonl"));
  const RlOptions& options = rl.options;
  const std::int64_t step = rl.training.state.step;
  const rollout::Coordinator& coordinator = rl.rollouts->source->coordinator();
  const std::string endpoint = coordinator.endpoint(), remote = coordinator.remote_endpoint();
  Run& run = rl.training.run;
  run.begin("rl", step, expected_steps(rl), {{"endpoint", endpoint}, {"remote_endpoint", remote}});
  if (!remote.empty())
    run.note("workers on other hosts, where they see this folder: kgtrain node --run " + run.path().string() +
             " --workers K; elsewhere: kgtrain-worker --connect " + remote + " --keys FOLDER --model MODEL");
  run.note("rl " + run.name() + ": " + std::to_string(rl.rollouts->tasks.size()) + " tasks of " + rl.options.data +
           ", " + options.algorithm + ", " + std::to_string(options.groups_per_step) + " groups of " +
           std::to_string(options.group_size) + " an update, " + std::to_string(options.workers) + " workers at " +
           endpoint + ", " + (rl.replicas.alone() ? "" : std::to_string(rl.replicas.size()) + " learners, ") +
           "from update " + std::to_string(step));
}

// Updates until the last one or a stop, and writes checkpoints. Returns the exit status.
int train(Rl& rl) {
  RunState& state = rl.training.state;
  std::int64_t saved = state.step;
  const auto save = [&] {
    rl.training.save(rl.learner.trainable(), rl.loaded);
    saved = state.step;
  };
  const auto stop_wanted = [&] { return rl.replicas.largest(stop_requested() ? 1 : 0) > 0; };
  if (state.step == 0) evaluate(rl);
  while (!ended(rl) && !stop_wanted()) {
    try {
      if (!update(rl)) break;
    } catch (
        const std::exception&) {  // workers that die, results that cannot be stored: the updates before it are done
      // Several processes save together, and the others are not here.
      if (state.step > saved && !rl.updating && rl.replicas.alone()) rl.training.try_saving(save);
      throw;
    }
    if (rl.replicas.largest(rl.watch && !rl.watch->collapsed().empty() ? 1 : 0) > 0) {
      save();
      stop_collapsed(rl);
    }
    try {
      publish(rl);
    } catch (const std::exception&) {  // the update is done and must not be lost with the disk's space
      rl.training.try_saving(save);
      throw;
    }
    evaluate(rl);
    if (rl.training.checkpoint_due(rl.options.checkpoint_every, ended(rl)))
      rl.training.try_saving([&] {
        save();
        if (rl.rollouts != nullptr) rl.rollouts->data->fold();  // for readers without kgtrain
      });
  }
  save();
  if (!ended(rl)) return rl.training.run.stop("update " + std::to_string(state.step));
  if (rl.rollouts != nullptr) rl.rollouts->source->coordinator().finish();
  if (state.weights_version <= 1)  // that of the first weights; each update that moved them raised it
    rl.training.run.note("warning: nothing was learned: in no update did answers to one task get different rewards. " +
                         std::string("Try --reward staged, a larger --group-size, or a model after kgtrain sft"));
  return rl.training.finish(rl.learner.trainable(), rl.loaded);
}

}  // namespace

int run_rl(int argc, const char* const* argv) {
  RlOptions options;
  RunRequest request;
  if (!parse_run_options(argc, argv, "rl", options, request)) return 0;
  watch_stop_signals();
  const Replicas replicas;
  if (!replicas.alone() && options.out.empty())
    throw Error("processes that train together need one run folder", "--out", "name it");
  settle_rl(options, request);
  nlohmann::json config = rl_config(options, request);
  policy::LoadedModel loaded = policy::load_model(request.model);
  refuse_long_answers(options, loaded.config.context);
  require_turns(loaded, options.turns);
  if (options.dry_run) {
    config.update(rl_estimates(options, loaded));
    return print_dry_run(config);
  }

  TrainingRun training(request, options.keep_checkpoints, &replicas);
  if (training.run.has_folder() && training.run.goes_on())
    require_same_run(training.run.folder().read_config(), config, training.run.path());
  RlLearner learner(options, request, loaded, replicas);
  loaded.weights.clear();  // the learner has its own
  training.restore(
      {.command = "rl", .seed = options.seed, .threads = request.threads, .dtype = request.dtype, .weights_version = 1},
      learner.trainable());
  if (training.state.works < 0) training.state.works = training.state.step * options.groups_per_step;
  std::optional<Rollouts> rollouts;
  if (replicas.first()) rollouts.emplace(options, request, training, loaded, learner, config);
  Rl rl{options, replicas, loaded, training, learner, rollouts ? &*rollouts : nullptr, training.state.weights_version};
  begin(rl);
  return train(rl);
}

}  // namespace kg::trainer
