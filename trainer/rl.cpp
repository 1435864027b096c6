// Theory of operation. Update u trains on the works u * G + 1 .. u * G + G (G groups an update). Their prompts and
// random streams are pure functions of (seed, work id, task); so are their tasks, of a curriculum those together with
// the outcomes of updates that were durable before (curriculum_order.h). They are submitted when update u - staleness
// begins and awaited when update u does, so that no rollout is older than `staleness` updates when it is trained on,
// and none is ever dropped. A learner that was killed submits the works of the updates after its checkpoint again under
// the same ids; samples of them that are durable already are taken from the data set. With no staleness the weights
// that sample update u are those that the checkpoint holds, so that the resumed run is the run that was never killed.
#include "trainer/rl.h"

#include <spdlog/spdlog.h>

#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/clock.h"
#include "base/error.h"
#include "policy/files/adapter_io.h"
#include "policy/files/model_io.h"
#include "policy/model/device.h"
#include "proto/language.h"
#include "reward/judge_version.h"
#include "reward/reward_config.h"
#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "trainer/checkpoint.h"
#include "trainer/curriculum_order.h"
#include "trainer/group_collector.h"
#include "trainer/one_judge.h"
#include "trainer/progress.h"
#include "trainer/recorded_run.h"
#include "trainer/rl_metrics.h"
#include "trainer/rl_options.h"
#include "trainer/rl_update.h"
#include "trainer/run_folder.h"
#include "trainer/runtime.h"
#include "trainer/sampling.h"
#include "trainer/schedule.h"
#include "trainer/stop_signal.h"
#include "trainer/task_works.h"
#include "trainer/trainable.h"
#include "trainer/weight_versions.h"

namespace kg::trainer {
namespace {

constexpr int kUpdatesWithoutResultToFail = 3;

// The run as the parts of an update see it.
struct Rl {
  const RlOptions& options;
  dataset::Dataset& data;
  rollout::Coordinator& coordinator;
  const std::vector<std::string>& tasks;
  proto::SamplingParameters sampling;
  std::optional<CurriculumOrder> curriculum;

  std::vector<std::uint64_t> works_of(std::int64_t update) const {
    std::vector<std::uint64_t> ids;
    for (std::int64_t group = 0; group < options.groups_per_step; ++group)
      ids.push_back(static_cast<std::uint64_t>(update * options.groups_per_step + group) + 1);
    return ids;
  }
  // `outcomes`: of the updates so far.
  void submit(std::int64_t update, const std::vector<GroupOutcome>& outcomes) {
    const auto ids = works_of(update);
    const auto chosen = curriculum ? curriculum->tasks_of(update, outcomes)
                                   : tasks_of_update(tasks, options.seed, update, options.groups_per_step);
    for (std::size_t i = 0; i < ids.size(); ++i)
      coordinator.submit(make_work(data.task(chosen[i]).value(), ids[i], options.prompt_form,
                                   static_cast<std::uint32_t>(options.group_size), sampling, options.seed, "train",
                                   proto::language_from_name(options.language)));
  }
};

GroupOutcome outcome_of(const rollout::FinishedWork& group) {
  GroupOutcome outcome{.work_id = group.work.work_id, .task = group.work.task.id()};
  for (const proto::Rollout& rollout : group.rollouts)
    if (rollout.verdict().reward_valid()) {
      ++outcome.samples;
      outcome.passed += rollout.verdict().correct() ? 1 : 0;
    }
  return outcome;
}

std::uint32_t restarts_of(const rollout::LocalFleet& fleet) {
  std::uint32_t restarts = 0;
  for (const rollout::FleetMember& member : fleet.members()) restarts += member.restarts;
  return restarts;
}

UpdateOptions update_options(const RlOptions& options, double rate) {
  const Algorithm& algorithm = find_algorithm(options.algorithm);
  return {
      .loss = {.clip_low = options.clip_low,
               .clip_high = options.clip_high,
               .importance_cap = options.importance_cap,
               .kl_weight = options.kl_weight},
      .aggregation = options.aggregation == "auto" ? algorithm.aggregation : aggregation_from_name(options.aggregation),
      .token_limit = options.max_new_tokens,
      .row_tokens = options.row_tokens,
      .gradient_steps = options.gradient_steps,
      .learning_rate = rate,
      .clip_norm = options.clip_norm,
      .sampling = sampling_of(options)};
}

}  // namespace

int run_rl(int argc, const char* const* argv) {
  RlOptions options;
  fs::path folder;
  nlohmann::json resolved;
  if (!parse_run_options(argc, argv, "rl", options, folder, resolved)) return 0;
  if (options.deterministic) options.staleness = 0;
  if (options.sampling_dtype == "int8" && options.importance_cap == 0)
    throw Error("8-bit weights sample from another distribution than the one that is trained", "--sampling-dtype int8",
                "give --importance-cap a value, for instance 2");
  watch_stop_signals();
  const int threads = set_threads(options.threads);
  const at::Device device = policy::open_device(options.device);
  const std::string dtype = resolve_dtype(options.dtype, device);
  const std::string sampling_device = options.sampling_device == "same" ? options.device : options.sampling_device;
  const fs::path model_path = fs::absolute(policy::find_model(options.model));
  const fs::path data_path =
      fs::absolute(dataset::find_dataset(options.data.empty() ? data_of_model(model_path) : options.data));
  const reward::RewardConfig reward = reward::reward_preset(options.reward);

  resolved["threads"] = threads;
  resolved["dtype"] = dtype;
  resolved["data"] = data_path.string();
  resolved["model"] = model_path.string();
  resolved["staleness"] = options.staleness;
  nlohmann::json config = {{"command", "rl"},
                           {"data", data_path.string()},
                           {"model", model_path.string()},
                           {"run", folder.string()},
                           {"options", resolved},
                           {"reward", reward::to_json(reward)},
                           {"judge_version", reward::judge_version()},
                           {"rollouts_per_update", options.groups_per_step * options.group_size},
                           {"steps", options.steps}};
  policy::LoadedModel loaded = policy::load_model(model_path);
  if (options.dry_run) {
    double weights = 0;
    for (const policy::NamedTensor& weight : loaded.weights) weights += static_cast<double>(weight.tensor.numel());
    // Learner: masters, two moments, gradients; generator: two versions of the weights while it switches.
    config["memory_gigabytes"] = weights * (16 + 8 + (options.kl_weight > 0 ? 4 : 0)) / 1e9;
    config["disk_gigabytes"] = weights * 4 * (3 * (options.keep_checkpoints + 1) + 3) / 1e9;
    config["tokens_at_most"] = options.steps * options.groups_per_step * options.group_size * options.max_new_tokens;
    std::printf("%s\n", config.dump(2).c_str());
    return 0;
  }

  RunFolder run(folder, "rl");
  const Checkpoints checkpoints(run.path(), options.keep_checkpoints);
  if (!options.resume && fs::exists(run.path() / "config.json"))
    throw Error("the folder holds a run already", run.path().string(),
                "go on with it by --resume, or name another --out");
  const auto data = dataset::Dataset::open(data_path, dataset::OpenMode::kAppend);
  std::vector<std::string> tasks = data->task_ids(options.split);
  if (tasks.empty())
    throw Error("no task of split " + options.split, data_path.string(), "kgtrain data info shows what there is");

  Trainable trainable(loaded.config, loaded.weights, dtype,
                      {.adamw = {.weight_decay = options.weight_decay},
                       .lora = lora_options(options),
                       .lora_seed = options.seed,
                       .recompute_layers = options.recompute_layers,
                       .device = device});
  std::unique_ptr<policy::Transformer> reference;
  if (options.kl_weight > 0) {
    std::vector<policy::NamedTensor> copy = loaded.weights;
    for (policy::NamedTensor& weight : copy)
      weight.tensor = weight.tensor.to(device, dtype == "bfloat16" ? at::kBFloat16 : at::kFloat);
    reference = std::make_unique<policy::Transformer>(loaded.config, std::move(copy));
  }
  loaded.weights.clear();  // the trainable has its own

  RunState state{.command = "rl", .seed = options.seed, .threads = threads, .dtype = dtype, .weights_version = 1};
  const auto newest = checkpoints.newest();
  if (newest) {
    state = checkpoints.load(*newest, trainable);
    if (state.threads != threads || state.dtype != dtype)
      spdlog::warn("the run had {} threads and {}, now {} and {}", state.threads, state.dtype, threads, dtype);
    state.threads = threads;
    state.dtype = dtype;
  }
  // The name under which rollouts are stored must not be that of an earlier run in this data set.
  const std::string run_id = options.resume && fs::exists(run.path() / "config.json")
                                 ? run.read_config().value("run_id", run.name())
                                 : unused_run_id(*data, run.name());
  if (fs::exists(run.path() / "config.json"))
    require_same_judge(run.read_config(), reward::judge_version(), run.path());
  config["run_id"] = run_id;
  run.write_config(config);
  run.drop_metrics_after(state.step);

  WeightVersions versions(run.path(), loaded, dtype);
  const auto coordinator = rollout::Coordinator::start({.run = run_id,
                                                        .run_folder = run.path(),
                                                        .bind = options.bind,
                                                        .reward = reward,
                                                        .language = proto::language_from_name(options.language),
                                                        .lease_seconds = options.lease_seconds},
                                                       *data);
  coordinator->publish_weights(versions.write(state.weights_version, trainable.weights()));
  const rollout::LocalFleet fleet(
      {.run_folder = run.path(),
       .model = model_path.string(),  // stands as long as the run; the newest version is switched to
       .coordinator = coordinator->endpoint(),
       .workers = static_cast<unsigned>(options.workers),
       .generator = options.workers > 0,
       .generator_arguments = {"--device", sampling_device, "--dtype",
                               options.sampling_dtype == "auto" ? dtype : options.sampling_dtype, "--threads",
                               std::to_string(threads)}});
  GroupCollector collector(*coordinator, fleet);
  Rl rl{options, *data, *coordinator, tasks, sampling_of(options), std::nullopt};
  if (options.order == "curriculum")
    rl.curriculum.emplace(*data, tasks,
                          CurriculumOrder::Options{
                              .seed = options.seed, .groups = options.groups_per_step, .staleness = options.staleness});

  Progress progress("rl", state.step, options.steps);
  progress.note("rl " + run.name() + ": " + std::to_string(tasks.size()) + " tasks, " + options.algorithm + ", " +
                std::to_string(options.groups_per_step) + " groups of " + std::to_string(options.group_size) +
                " an update, " + std::to_string(options.workers) + " workers at " + coordinator->endpoint() +
                ", from update " + std::to_string(state.step));
  nlohmann::json status = {{"step", state.step}, {"steps", options.steps}, {"endpoint", coordinator->endpoint()}};
  run.write_status("running", status);
  const Schedule schedule{.peak = options.learning_rate,
                          .warmup_steps = std::llround(options.warmup * static_cast<double>(options.steps)),
                          .total_steps = options.steps,
                          .decay = options.decay};
  std::string last_details = "waiting for the first rollouts";
  int updates_without_result = 0;
  std::int64_t submitted = state.step;
  while (state.step < options.steps && !stop_requested()) {
    const double begin = monotonic_seconds();
    for (; submitted < options.steps && submitted <= state.step + options.staleness; ++submitted)
      rl.submit(submitted, state.outcomes);
    const std::vector<std::uint64_t> works = rl.works_of(state.step);
    const auto groups = collector.collect(works, [&] {
      const rollout::CoordinatorStats stats = coordinator->stats();
      status.update({{"workers", stats.workers},
                     {"leases", stats.leases},
                     {"waiting_work", stats.waiting_work},
                     {"results", stats.results},
                     {"returned_leases", stats.returned_leases},
                     {"expired_leases", stats.expired_leases},
                     {"last_return_reason", stats.last_return_reason},
                     {"restarts", restarts_of(fleet)}});
      run.write_status("running", status);
      progress.show(state.step, last_details + "  " + std::to_string(stats.workers) + " workers, " +
                                    std::to_string(stats.results) + " rollouts");
    });
    if (groups.empty()) break;  // a stop was requested
    const double generated = monotonic_seconds();
    const RlBatch batch = make_batch(groups, find_algorithm(options.algorithm).advantage, state.weights_version);
    const double rate = learning_rate(schedule, state.step);
    const UpdateResult update = update_policy(trainable, reference.get(), batch, update_options(options, rate));
    ++state.step;
    state.tokens += update.tokens;
    state.skipped_steps += update.steps_skipped;
    state.seconds += monotonic_seconds() - begin;
    if (rl.curriculum)
      for (const rollout::FinishedWork& group : groups) state.outcomes.push_back(outcome_of(group));
    if (update.steps_taken > 0) {
      ++state.weights_version;
      if (state.step < options.steps)
        coordinator->publish_weights(versions.write(state.weights_version, trainable.weights()));
      versions.remove_before(coordinator->oldest_version_in_use().value_or(state.weights_version));
    }
    nlohmann::json metrics = rl_metrics(state, batch, update, rate, generated - begin, monotonic_seconds() - generated);
    if (rl.curriculum) metrics["level"] = rl.curriculum->highest_level();
    run.append_metrics(metrics);
    if (!update.skipped.empty())
      progress.note("update " + std::to_string(state.step) + ": a step was skipped: " + update.skipped);
    char details[160];
    std::snprintf(details, sizeof details, "reward %.3f  compiled %.0f %%  correct %.0f %%  %.0f tokens/s",
                  batch.reward_sum / std::max(1u, batch.rollouts),
                  100.0 * batch.compiled / std::max(1u, batch.rollouts),
                  100.0 * batch.correct / std::max(1u, batch.rollouts),
                  static_cast<double>(batch.answer_tokens) / (monotonic_seconds() - begin));
    last_details = details;
    progress.show(state.step, last_details);
    status.update({{"step", state.step},
                   {"reward_mean", batch.reward_sum / std::max(1u, batch.rollouts)},
                   {"policy_version", state.weights_version}});
    run.write_status("running", status);
    updates_without_result = batch.rollouts == 0 ? updates_without_result + 1 : 0;
    if (updates_without_result == kUpdatesWithoutResultToFail)
      throw Error("no rollout of the last " + std::to_string(updates_without_result) + " updates has a valid reward",
                  coordinator->stats().last_return_reason, "kgtrain doctor; then go on with --resume",
                  Error::Kind::kEnvironment);
    if (options.checkpoint_every > 0 && state.step % options.checkpoint_every == 0 && state.step < options.steps) {
      try {
        checkpoints.save(state, trainable, loaded);
        data->fold();  // so that a reader without kgtrain sees the rollouts up to here
      } catch (const Error& error) {
        progress.note("no checkpoint: " + error.full_message());  // the run goes on; the older ones stand
      }
    }
  }
  checkpoints.save(state, trainable, loaded);
  if (state.step < options.steps) {
    run.write_status("stopped", status);
    progress.note("stopped after update " + std::to_string(state.step) + "; go on with: kgtrain rl --resume --out " +
                  run.path().string());
    return stop_status();
  }
  policy::export_model(run.path() / "model", loaded.config, trainable.weights(), loaded, "float32");
  if (trainable.has_adapters())
    policy::write_adapters(run.path() / "adapter", trainable.adapters(), model_path.string());
  run.link_as_latest();
  status["model"] = (run.path() / "model").string();
  run.write_status("finished", status);
  std::printf("%s\n", run.path().c_str());
  return 0;
}

}  // namespace kg::trainer
