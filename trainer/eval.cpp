// `kgtrain eval`: samples answers to tasks, has them judged, and prints rates.
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "base/clock.h"
#include "base/error.h"
#include "evaluation/provenance.h"
#include "evaluation/stored_evaluation.h"
#include "evaluation/tables.h"
#include "policy/files/model_io.h"
#include "proto/language.h"
#include "reward/judge_version.h"
#include "trainer/commands.h"
#include "trainer/eval_data.h"
#include "trainer/eval_options.h"
#include "trainer/eval_parts.h"
#include "trainer/eval_turns.h"
#include "trainer/external_generator.h"
#include "trainer/repair_works.h"
#include "trainer/rollout_source.h"
#include "trainer/run.h"
#include "trainer/run_id.h"
#include "trainer/run_identity.h"
#include "trainer/sampling.h"
#include "trainer/stop_signal.h"
#include "trainer/task_works.h"

namespace kg::trainer {
namespace {

// "latest-sft" for runs/latest-sft/model, the file's name for a GGUF file.
std::string label_of(const std::string& model) {
  fs::path path = fs::path(model).lexically_normal();
  if (path.filename().empty()) path = path.parent_path();
  return (path.filename() == "model" && path.has_parent_path() ? path.parent_path() : path).filename().string();
}

// An evaluation and its folder are named after the model, unless the command line names them.
void name_run(EvalOptions& options, RunRequest& request) {
  if (options.label.empty()) options.label = label_of(options.model);
  if (!options.out.empty() || options.resume) return;
  const std::string time = request.folder.filename().string().substr(4);  // "eval-TIME" so far
  request.folder = request.folder.parent_path() / ("eval-" + options.label + time);
}

// The leases that each worker holds, so that the generator's batch is full also where a task has one answer: what is in
// flight is drawn in one batch or waits to be judged.
int leases_a_worker(const EvalOptions& options) {
  constexpr int kAnswersInFlight = 64, kMostLeases = 8;  // more would leave one worker with all that is left at the end
  const int answers_a_round = options.workers * options.samples;
  return std::clamp((kAnswersInFlight + answers_a_round - 1) / answers_a_round, 2, kMostLeases);
}

// For workers, which read the cases of imported tasks themselves.
std::vector<std::string> case_arguments(const fs::path& data, const std::string& checkout) {
  std::vector<std::string> arguments{"--cases", data.string()};
  if (!checkout.empty()) arguments.insert(arguments.end(), {"--checkout", checkout});
  return arguments;
}

void print_labels(const dataset::Dataset& data, bool json) {
  const std::vector<evaluation::StoredEvaluation> all = evaluation::stored_evaluations(data);
  if (all.empty())
    throw Error("the data set has no evaluation", "kgtrain eval --table",
                "kgtrain eval makes one; --data names another data set");
  if (!json) {
    std::fputs(evaluation::summary_text(all).c_str(), stdout);
    return;
  }
  for (const evaluation::StoredEvaluation& one : all)
    std::printf("%s\n", evaluation::json_of(evaluation::make_tables(one.label, one.answers)).dump().c_str());
}

nlohmann::json config_of(const EvalOptions& options, const RunRequest& request, std::size_t tasks) {
  nlohmann::json config = config_of(request);
  config["options"]["label"] = options.label;
  config.update({{"label", options.label},
                 {"reward", reward::to_json(reward::reward_preset(options.reward))},
                 {"judge_version", reward::judge_version()},
                 {"language", options.language},
                 {"model_hash", model_hash(request.model)},
                 {"tasks", tasks},
                 {"answers", static_cast<std::int64_t>(tasks) * options.samples}});
  return config;
}

ChosenTasks choose_tasks(const EvalOptions& options, const dataset::Dataset& data, const fs::path& path) {
  ChosenTasks chosen = tasks_by_structure(data, {.split = options.split,
                                                 .only = options.only,
                                                 .limit = task_limit(options),
                                                 .language = proto::language_from_name(options.language)});
  if (chosen.ids.empty())
    throw Error("no task of split " + options.split + (options.only.empty() ? "" : " that --only names") +
                    (chosen.without_kernel == 0 ? "" : ", except those that need more than a kernel"),
                path.string(), "kgtrain tasks list shows what there is; kgtrain eval --answers judges modules");
  return chosen;
}

rollout::CoordinatorOptions coordinator_of(const EvalOptions& options, const std::string& run_id,
                                           const fs::path& run_folder) {
  return {.run = run_id,
          .run_folder = run_folder,
          .reward = reward::reward_preset(options.reward),
          .language = proto::language_from_name(options.language),
          .lease_seconds = options.lease_seconds};
}

rollout::LocalFleetOptions fleet_of(const EvalOptions& options, const RunRequest& request, const fs::path& run_folder) {
  std::vector<std::string> arguments{"--device",    options.device, "--dtype",
                                     request.dtype, "--threads",    std::to_string(request.threads)};
  for (std::string& word : server_arguments(options)) arguments.push_back(std::move(word));
  std::vector<std::string> of_workers = case_arguments(request.data, options.checkout);
  of_workers.insert(of_workers.end(), {"--capacity", std::to_string(leases_a_worker(options))});
  return {.run_folder = run_folder,
          .model = request.model.string(),
          .workers = static_cast<unsigned>(options.workers),
          .generator_arguments = std::move(arguments),
          .worker_arguments = std::move(of_workers)};
}

// One work for each task, under its number in the evaluation.
std::vector<rollout::Work> works_of(const EvalOptions& options, const std::vector<std::string>& ids,
                                    const dataset::Dataset& data) {
  std::vector<rollout::Work> works;
  for (std::size_t i = 0; i < ids.size(); ++i)
    works.push_back(make_work(data.task(ids[i]).value(), i + 1, options.prompt_form,
                              static_cast<std::uint32_t>(options.samples), sampling_of(options), options.seed,
                              evaluation::purpose_of(options.label), proto::language_from_name(options.language)));
  return works;
}

std::vector<proto::Task> tasks_of(const std::vector<rollout::Work>& works) {
  std::vector<proto::Task> tasks;
  for (const rollout::Work& work : works) tasks.push_back(work.task);
  return tasks;
}

std::vector<rollout::Work> part_of(std::vector<rollout::Work> works, const EvalPart& part) {
  std::vector<rollout::Work> own;
  for (std::size_t i = 0; i < works.size(); ++i)
    if (part.holds(i)) own.push_back(std::move(works[i]));
  return own;
}

// The rates of the answers so far.
struct Tally {
  std::int64_t tasks = 0;
  std::uint32_t answers = 0, compiled = 0, correct = 0;  // with a valid verdict
  double tokens = 0;
  double began = monotonic_seconds();

  void add(const rollout::FinishedWork& group) {
    ++tasks;
    for (const proto::Rollout& rollout : group.rollouts) {
      tokens += rollout.completion().token_ids_size();
      if (!rollout.verdict().reward_valid()) continue;
      ++answers;
      compiled += rollout.verdict().compiled() ? 1 : 0;
      correct += rollout.verdict().correct() ? 1 : 0;
    }
  }
  double part(std::uint32_t count) const { return count / static_cast<double>(std::max(1u, answers)); }
  double tokens_per_second() const { return tokens / (monotonic_seconds() - began); }
};

void report(const Tally& tally, const rollout::CoordinatorStats& stats, Run& run) {
  char details[128];
  std::snprintf(details, sizeof details, "compiled %.0f %%  correct %.0f %%  %.0f tokens/s  %u workers  %llu answers",
                100.0 * tally.part(tally.compiled), 100.0 * tally.part(tally.correct), tally.tokens_per_second(),
                stats.workers, static_cast<unsigned long long>(stats.results));
  run.show(tally.tasks, details);
  run.update_status({{"step", tally.tasks},
                     {"workers", stats.workers},
                     {"results", stats.results},
                     {"last_return_reason", stats.last_return_reason}});
}

// Until all groups are there or a stop is requested. Returns the number of groups. They are kept where there is a
// place.
std::int64_t collect(std::int64_t total, RolloutSource& source, Run& run, std::vector<rollout::FinishedWork>* kept) {
  Tally tally;
  while (tally.tasks < total && !stop_requested()) {
    if (auto group = source.collector().next()) {
      tally.add(*group);
      run.append_metrics({{"step", tally.tasks},
                          {"task", group->work.task.id()},
                          {"answers", tally.answers},
                          {"compile_rate", tally.part(tally.compiled)},
                          {"correct_rate", tally.part(tally.correct)},
                          {"tokens_per_second", tally.tokens_per_second()}});
      if (kept != nullptr) kept->push_back(std::move(*group));
    }
    report(tally, source.coordinator().stats(), run);
  }
  return tally.tasks;
}

// The tables, in eval.json and on standard output. `config`: the run's.
void print_result(const EvalOptions& options, const RunRequest& request, const nlohmann::json& config,
                  const std::vector<proto::Task>& asked, const dataset::Dataset& data, const std::string& weights,
                  const std::string& last_fault, const Run& run) {
  const evaluation::StoredEvaluation stored = evaluation::stored_evaluation(data, options.label);
  evaluation::Tables tables = evaluation::make_tables(options.label, stored.answers);
  tables.turns = evaluation::turn_gain(data, options.label, stored.run);
  if (stored.run != config["run_id"].get<std::string>() || tables.all.tasks == 0)
    throw Error("no answer has a valid reward", last_fault, "kgtrain doctor", Error::Kind::kEnvironment);
  nlohmann::json whole = evaluation::json_of(tables);
  const fs::path training_data = evaluation::training_data_of(request.model);
  whole["record"] = {{"run", config["run_id"]},
                     {"options", config["options"]},
                     {"reward", config["reward"]},
                     {"judge_version", config["judge_version"]},
                     {"weights_hash", weights},
                     {"tasks_hash", evaluation::hash_of(asked)},
                     {"training_data", training_data.string()},
                     {"audit", evaluation::audit_of(training_data)}};
  write_file_durably(run.path() / "eval.json", whole.dump(2) + "\n");
  std::fputs(options.json ? (whole.dump() + "\n").c_str() : evaluation::text_of(tables).c_str(), stdout);
}

// The parts that others made, as one evaluation.
int merge(const EvalOptions& options, const RunRequest& request) {
  Run run(request);
  run.refuse_second_start();
  const auto [data, answers, apart] = open_for_answers(request.data, run.path() / "answers.h5");
  const std::vector<std::string> tasks = choose_tasks(options, *data, request.data).ids;
  nlohmann::json config = config_of(options, request, tasks.size());
  config["run_id"] = run_id_of(run, *data);
  run.open(config, /*step=*/-1);
  const std::string weights = merge_parts(options.merge, config, config["run_id"], *data);
  print_result(options, request, config, tasks_of(works_of(options, tasks, *data)), *data, weights, options.merge, run);
  run.finish({{"answers", answers.string()}});
  return 0;
}

void refuse_contradictions(const EvalOptions& options) {
  if (!options.merge.empty() && !fs::is_directory(options.merge))
    throw Error("there is no such folder of parts", options.merge,
                "--merge names the folder that holds the run folders of the parts");
  if (!options.part.empty() && !options.merge.empty())
    throw Error("--part makes a part, --merge joins them", "kgtrain eval", "leave out one of the two");
  refuse_other_grammar(options, options.language);
  if (options.turns > 1 && options.temperature == 0)
    throw Error("repairs are compared with fresh answers, and at temperature 0 a fresh answer is the one that failed",
                "--turns " + std::to_string(options.turns) + " --temperature 0", "--temperature 0.7, for instance");
}

void begin(const EvalOptions& options, const RunRequest& request, const nlohmann::json& config, std::int64_t total,
           Run& run) {
  run.begin("eval " + options.label, /*step=*/0, total, {{"label", options.label}});
  run.note("eval " + options.label + ": " + std::to_string(total) + " tasks of " + request.data.string() +
           "\n  answers by " + request.model.string() + ", weights " + config["model_hash"].get<std::string>());
}

void require_usable(const EvalOptions& options, const policy::LoadedModel& loaded) {
  refuse_long_answers(options, loaded.config.context);
  require_turns(loaded, options.turns);
  require_server(options);
}

}  // namespace

int run_eval(int argc, const char* const* argv) {
  EvalOptions options;
  RunRequest request;
  if (!parse_run_options(argc, argv, "eval", options, request)) return 0;
  request.data = fs::absolute(dataset::find_dataset(options.data));
  if (options.table) {
    print_labels(*dataset::Dataset::open(request.data, dataset::OpenMode::kRead), options.json);
    return 0;
  }
  name_run(options, request);
  const EvalPart part = parse_eval_part(options.part);
  refuse_contradictions(options);
  watch_stop_signals();
  settle(request, options, options.model);
  if (options.dry_run) {
    const auto data = dataset::Dataset::open(request.data, dataset::OpenMode::kRead);
    const policy::LoadedModel loaded = policy::load_model(request.model);
    refuse_long_answers(options, loaded.config.context);
    require_turns(loaded, options.turns);
    return print_dry_run(config_of(options, request, choose_tasks(options, *data, request.data).ids.size()));
  }
  if (!options.merge.empty()) return merge(options, request);
  // Refuse wrong requests before the run has a folder.
  const auto [tasks, without_kernel] =
      choose_tasks(options, *dataset::Dataset::open(request.data, dataset::OpenMode::kRead), request.data);
  policy::LoadedModel loaded = policy::load_model(request.model);
  require_usable(options, loaded);
  Run run(request);
  run.refuse_second_start();
  const auto [data, answers, apart] =
      open_for_answers(request.data, run.path() / "answers.h5", /*always_aside=*/!options.part.empty());
  nlohmann::json config = config_of(options, request, tasks.size());
  if (run.goes_on()) require_same_run(run.folder().read_config(), config, run.path());
  config["run_id"] = run_id_of(run, *data);
  run.open(config, /*step=*/-1);  // groups that are durable already are counted again
  RolloutSource source(coordinator_of(options, config["run_id"], run.path()), fleet_of(options, request, run.path()),
                       *data, loaded, request.dtype);
  source.publish(/*version=*/1, loaded.weights);
  loaded.weights.clear();
  std::vector<rollout::Work> works = part_of(works_of(options, tasks, *data), part);
  const std::vector<proto::Task> asked = tasks_of(works);
  const auto total = static_cast<std::int64_t>(works.size());
  source.coordinator().submit_all(std::move(works));
  begin(options, request, config, total, run);
  if (apart && options.part.empty())
    run.note("another process is writing " + request.data.string() + "; the answers are stored in " + answers.string());
  if (without_kernel > 0)
    run.note(std::to_string(without_kernel) + " tasks left out: they need an operator project or a module");
  std::vector<rollout::FinishedWork> groups;
  const std::int64_t done = collect(total, source, run, options.turns > 1 ? &groups : nullptr);
  if (done < total) return run.stop(std::to_string(done) + " tasks");
  if (!take_further_turns(options, groups, loaded.config.context, source, run)) return run.stop("the first turn");
  source.coordinator().finish();
  if (total > 0)
    print_result(options, request, config, asked, *data, source.checksum(),
                 source.coordinator().stats().last_return_reason, run);
  run.finish({{"answers", answers.string()}});
  return 0;
}

}  // namespace kg::trainer
