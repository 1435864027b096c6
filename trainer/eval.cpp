#include "trainer/eval.h"

#include <charconv>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "evaluation/eval_provenance.h"
#include "evaluation/eval_records.h"
#include "evaluation/eval_tables.h"
#include "policy/files/model_io.h"
#include "policy/model/device.h"
#include "proto/language.h"
#include "reward/judge_version.h"
#include "rollout/coordinator.h"
#include "rollout/local_fleet.h"
#include "trainer/eval_options.h"
#include "trainer/group_collector.h"
#include "trainer/progress.h"
#include "trainer/recorded_run.h"
#include "trainer/run_folder.h"
#include "trainer/runtime.h"
#include "trainer/sampling.h"
#include "trainer/stop_signal.h"
#include "trainer/task_works.h"
#include "trainer/trainable.h"
#include "trainer/weight_versions.h"

namespace kg::trainer {
namespace {

std::size_t task_limit(const std::string& text) {
  if (text == "all") return 0;
  std::size_t limit = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), limit);
  if (result.ec != std::errc() || result.ptr != text.data() + text.size() || limit == 0)
    throw Error("--tasks got \"" + text + "\", wanted a number of at least 1, or all", "kgtrain eval", "--tasks 24");
  return limit;
}

// "latest-sft" for runs/latest-sft/model, the file's name for a GGUF file.
std::string label_of(const std::string& model) {
  fs::path path = fs::path(model).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  return (path.filename() == "model" && path.has_parent_path() ? path.parent_path() : path).filename().string();
}

// Of workers, which read the cases of imported tasks themselves.
std::vector<std::string> case_arguments(const fs::path& data, const std::string& checkout) {
  std::vector<std::string> arguments{"--cases", data.string()};
  if (!checkout.empty()) arguments.insert(arguments.end(), {"--checkout", checkout});
  return arguments;
}

void print_labels(const dataset::Dataset& data, bool json) {
  const std::vector<evaluation::StoredEvaluation> all = evaluation::stored_evaluations(data);
  if (!json) {
    std::fputs(evaluation::summary_text(all).c_str(), stdout);
    return;
  }
  for (const evaluation::StoredEvaluation& one : all)
    std::printf("%s\n", evaluation::json_of(evaluation::make_eval_tables(one.label, one.answers)).dump().c_str());
}

}  // namespace

int run_eval(int argc, const char* const* argv) {
  EvalOptions options;
  fs::path folder;
  nlohmann::json resolved;
  if (!parse_run_options(argc, argv, "eval", options, folder, resolved)) return 0;
  const fs::path data_path = fs::absolute(dataset::find_dataset(options.data));
  if (options.table) {
    print_labels(*dataset::Dataset::open(data_path, dataset::OpenMode::kRead), options.json);
    return 0;
  }
  if (options.label.empty()) options.label = label_of(options.model);
  if (options.out.empty() && !options.resume)
    folder = folder.parent_path() / ("eval-" + options.label + folder.filename().string().substr(4));
  watch_stop_signals();
  const int threads = set_threads(options.threads);
  const std::string dtype = resolve_dtype(options.dtype, policy::open_device(options.device));
  const fs::path model_path = fs::absolute(policy::find_model(options.model));
  const reward::RewardConfig reward = reward::reward_preset(options.reward);
  const auto data =
      dataset::Dataset::open(data_path, options.dry_run ? dataset::OpenMode::kRead : dataset::OpenMode::kAppend);
  const auto [tasks, without_kernel] =
      tasks_by_structure(*data, {.split = options.split, .only = options.only, .limit = task_limit(options.tasks)});
  if (tasks.empty())
    throw Error("no task of split " + options.split + (options.only.empty() ? "" : " that --only names") +
                    (without_kernel == 0 ? "" : " but those that want more than a kernel"),
                data_path.string(), "kgtrain tasks list shows what there is; kgtrain eval --answers judges modules");

  resolved["threads"] = threads;
  resolved["dtype"] = dtype;
  resolved["data"] = data_path.string();
  resolved["model"] = model_path.string();
  resolved["label"] = options.label;
  nlohmann::json config = {{"command", "eval"},
                           {"data", data_path.string()},
                           {"model", model_path.string()},
                           {"run", folder.string()},
                           {"label", options.label},
                           {"options", resolved},
                           {"reward", reward::to_json(reward)},
                           {"judge_version", reward::judge_version()},
                           {"judge_version", reward::judge_version()},
                           {"tasks", tasks.size()},
                           {"answers", static_cast<std::int64_t>(tasks.size()) * options.samples}};
  if (options.dry_run) {
    std::printf("%s\n", config.dump(2).c_str());
    return 0;
  }

  RunFolder run(folder, "eval");
  const bool goes_on = fs::exists(run.path() / "config.json");
  if (goes_on && !options.resume)
    throw Error("the folder holds a run already", run.path().string(),
                "go on with it by --resume, or name another --out");
  const std::string run_id = goes_on ? run.read_config().value("run_id", run.name()) : unused_run_id(*data, run.name());
  config["run_id"] = run_id;
  run.write_config(config);

  policy::LoadedModel loaded = policy::load_model(model_path);
  WeightVersions versions(run.path(), loaded, dtype);
  const auto coordinator = rollout::Coordinator::start({.run = run_id,
                                                        .run_folder = run.path(),
                                                        .reward = reward,
                                                        .language = proto::language_from_name(options.language),
                                                        .lease_seconds = options.lease_seconds},
                                                       *data);
  const proto::WeightsManifest weights = versions.write(/*version=*/1, loaded.weights);
  coordinator->publish_weights(weights);
  loaded.weights.clear();
  const rollout::LocalFleet fleet(
      {.run_folder = run.path(),
       .model = model_path.string(),
       .coordinator = coordinator->endpoint(),
       .workers = static_cast<unsigned>(options.workers),
       .generator_arguments = {"--device", options.device, "--dtype", dtype, "--threads", std::to_string(threads)},
       .worker_arguments = case_arguments(data_path, options.checkout)});
  GroupCollector collector(*coordinator, fleet);
  std::vector<proto::Task> asked;
  for (std::size_t i = 0; i < tasks.size(); ++i) {
    rollout::Work work =
        make_work(data->task(tasks[i]).value(), i + 1, options.prompt_form, static_cast<std::uint32_t>(options.samples),
                  sampling_of(options), options.seed, evaluation::eval_purpose(options.label),
                  proto::language_from_name(options.language));
    asked.push_back(work.task);
    coordinator->submit(std::move(work));
  }

  const auto total = static_cast<std::int64_t>(tasks.size());
  Progress progress("eval " + options.label, 0, total);
  if (without_kernel > 0)
    progress.note(std::to_string(without_kernel) + " tasks left out: they want an operator project or a module");
  nlohmann::json status = {{"step", 0}, {"steps", total}, {"label", options.label}};
  run.write_status("running", status);
  std::int64_t done = 0;
  std::uint32_t answers = 0, compiled = 0, correct = 0;
  double tokens = 0;
  const double begin = monotonic_seconds();
  run.drop_metrics_after(-1);  // groups that are durable already are counted again
  while (done < total && !stop_requested()) {
    if (const auto group = collector.next()) {
      for (const proto::Rollout& rollout : group->rollouts) {
        tokens += rollout.completion().token_ids_size();
        if (!rollout.verdict().reward_valid()) continue;
        ++answers;
        compiled += rollout.verdict().compiled() ? 1 : 0;
        correct += rollout.verdict().correct() ? 1 : 0;
      }
      run.append_metrics({{"step", ++done},
                          {"task", group->work.task.id()},
                          {"answers", answers},
                          {"compile_rate", compiled / static_cast<double>(std::max(1u, answers))},
                          {"correct_rate", correct / static_cast<double>(std::max(1u, answers))},
                          {"tokens_per_second", tokens / (monotonic_seconds() - begin)}});
    }
    const rollout::CoordinatorStats stats = coordinator->stats();
    char details[128];
    std::snprintf(details, sizeof details, "compiled %.0f %%  correct %.0f %%  %.0f tokens/s  %u workers  %llu answers",
                  100.0 * compiled / std::max(1u, answers), 100.0 * correct / std::max(1u, answers),
                  tokens / (monotonic_seconds() - begin), stats.workers,
                  static_cast<unsigned long long>(stats.results));
    progress.show(done, details);
    status.update({{"step", done},
                   {"workers", stats.workers},
                   {"results", stats.results},
                   {"last_return_reason", stats.last_return_reason}});
    run.write_status("running", status);
  }
  if (done < total) {
    run.write_status("stopped", status);
    progress.note("stopped after " + std::to_string(done) + " tasks; go on with: kgtrain eval --resume --out " +
                  run.path().string());
    return stop_status();
  }
  const evaluation::StoredEvaluation stored = evaluation::stored_evaluation(*data, options.label);
  const evaluation::EvalTables tables = evaluation::make_eval_tables(options.label, stored.answers);
  if (stored.run != run_id || tables.all.tasks == 0)
    throw Error("no answer has a valid reward", coordinator->stats().last_return_reason, "kgtrain doctor",
                Error::Kind::kEnvironment);
  nlohmann::json whole = evaluation::json_of(tables);
  const fs::path training_data = evaluation::training_data_of(model_path);
  whole["record"] = {{"run", run_id},
                     {"options", resolved},
                     {"reward", reward::to_json(reward)},
                     {"weights_hash", weights.checksum()},
                     {"tasks_hash", evaluation::hash_of(asked)},
                     {"training_data", training_data.string()},
                     {"audit", evaluation::audit_of(training_data)}};
  write_file_durably(run.path() / "eval.json", whole.dump(2) + "\n");
  run.write_status("finished", status);
  std::fputs(options.json ? (whole.dump() + "\n").c_str() : evaluation::text_of(tables).c_str(), stdout);
  return 0;
}

}  // namespace kg::trainer
