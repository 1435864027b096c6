#include <atomic>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/eval_answers.h"
#include "cli/eval_page.h"
#include "cli/eval_results.h"
#include "cli/eval_show.h"
#include "cli/module_answer.h"
#include "cli/project_files.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/dataset.h"
#include "evaluation/eval_provenance.h"
#include "evaluation/eval_tables.h"
#include "proto/language.h"
#include "reward/judge.h"
#include "reward/verdict.h"
#include "sandbox/pool.h"

namespace kg::cli {
namespace {

constexpr int kAttempts = 3;  // at an answer that the sandbox failed on

struct Judging {
  const std::map<std::string, proto::Task>& tasks;
  const std::vector<GivenAnswer>& answers;
  const reward::JudgeOptions& rules;
  const sandbox::SandboxOptions& sandbox;
};

proto::Verdict judged(sandbox::Sandbox& sandbox, const proto::Task& task, const GivenAnswer& answer,
                      const reward::JudgeOptions& rules) {
  try {
    if (!answer.project.empty()) return reward::judge_project(sandbox, task, project_files(answer.project), rules);
    std::string reason;
    const std::string kernel =
        reward::is_module(task) ? module_text(answer.text) : kernel_of(answer, rules.language, reason);
    if (kernel.empty())
      return reward::verdict_without_kernel(task, reason.empty() ? "the answer is empty" : reason, rules.reward);
    return reward::judge(sandbox, task, kernel, rules);
  } catch (const Error& error) {
    return reward::verdict_unjudged(task, error);
  }
}

// Judges what has no verdict yet, several at a time.
void judge_all(const Judging& judging, int jobs, EvalResults& results) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < judging.answers.size(); ++i)
    if (!results.has(judging.answers[i])) open.push_back(i);
  if (open.size() < judging.answers.size())
    std::fprintf(stderr, "%zu of %zu answers have a verdict already\n", judging.answers.size() - open.size(),
                 judging.answers.size());
  std::atomic<std::size_t> done{0};
  sandbox::for_each_in_sandboxes(open.size(), jobs, judging.sandbox, [&](sandbox::Sandbox& sandbox, std::size_t i) {
    const GivenAnswer& answer = judging.answers[open[i]];
    const proto::Task& task = judging.tasks.at(answer.task);
    proto::Verdict verdict;
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      verdict = judged(sandbox, task, answer, judging.rules);
      if (verdict.sandbox_error().empty()) break;
    }
    results.add(answer, task, verdict);
    const std::size_t now = ++done;
    if (now % 50 == 0 || now == open.size()) std::fprintf(stderr, "judged %zu of %zu\n", now, open.size());
  });
}

int run_eval_answers(int argc, const char* const* argv) {
  std::string answers_path, data_name = "ascend_cot.h5", out, label, html, against, preset = "staged",
                            language = "ascendc", checkout;
  dataset::benchmarks::WorkerOptions worker;
  int jobs = 2;
  bool json = false, allow_less_isolation = false;
  Options options("kgtrain eval --answers",
                  "Judges answers that any model gave, and prints the rates of docs/metrics.md. Start it again to go "
                  "on where it was "
                  "stopped. (kgtrain eval without --answers samples a model first.)");
  options
      .add("answers", answers_path,
           "JSON lines {\"task\", and one of \"answer\", \"kernel\", \"project\"}, or a folder: <task id>/<name>.cpp, "
           ".txt, .md, .py, or a project's folder")
      .required()
      .add("data", data_name, "data set that holds the tasks")
      .add("out", out, "file of results, JSON lines; default: beside the answers, NAME.results.jsonl")
      .add("label", label, "what the tables call it; default: the answers' name")
      .add("html", html, "write the tables as a page")
      .add("against", against, "file of results of another evaluation to compare with")
      .add("jobs", jobs, "sandboxes at once")
      .range(1, 256)
      .add("language", language, "language of the kernels")
      .choices({"ascendc", "dsl"})
      .add("reward", preset, "reward preset")
      .choices(reward::reward_presets())
      .add("json", json, "print the tables as JSON")
      .add("checkout", checkout,
           "imported tasks: checkout of the benchmark, if it is no longer where it was imported from")
      .add("python", worker.python,
           "imported tasks: Python that makes large cases again, and runs answers that are PyTorch modules")
      .add("allow-less-isolation", allow_less_isolation, "go on where the host forbids namespaces");
  if (!options.parse(argc, argv)) return 0;
  while (answers_path.size() > 1 && answers_path.back() == '/') answers_path.pop_back();
  const std::vector<GivenAnswer> answers = read_answers(answers_path);
  const fs::path data_path = dataset::find_dataset(data_name);
  const auto data = dataset::Dataset::open(data_path, dataset::OpenMode::kRead);
  std::map<std::string, proto::Task> tasks;
  for (const GivenAnswer& answer : answers) {
    if (tasks.contains(answer.task)) continue;
    const auto task = data->task(answer.task);
    if (!task)
      throw Error("no task \"" + answer.task + "\" in " + data_path.string(), answers_path,
                  "kgtrain tasks list prints the ids");
    tasks.emplace(answer.task, *task);
  }
  std::vector<proto::Task> asked;
  for (const auto& [id, task] : tasks) asked.push_back(task);
  if (label.empty()) label = fs::path(answers_path).stem().string();
  if (out.empty()) out = answers_path + ".results.jsonl";
  reward::JudgeOptions rules{.reward = reward::reward_preset(preset)};
  rules.language = proto::language_from_name(language);
  worker.checkout = checkout;
  dataset::benchmarks::StoredCases imported(*data, worker);
  rules.benchmark_cases = [&imported](const proto::Task& task, int index) { return imported.get(task, index); };
  sandbox::SandboxOptions sandbox{.allow_less_isolation = allow_less_isolation};
  for (const auto& [id, task] : tasks) prepare_for_module(task, *data, worker, sandbox, rules);

  EvalResults results(out);
  judge_all({tasks, answers, rules, sandbox}, jobs, results);
  evaluation::EvalTables tables = evaluation::make_eval_tables(label, results.judged(answers));
  if (!against.empty())
    tables.against =
        evaluation::compare(fs::path(against).filename().string(), results.judged(answers), read_results(against));
  nlohmann::json record = {{"version", KG_VERSION},
                           {"answers", fs::absolute(answers_path).string()},
                           {"results", fs::absolute(out).string()},
                           {"data", data_path.string()},
                           {"tasks_hash", evaluation::hash_of(asked)},
                           {"reward", reward::to_json(rules.reward)},
                           {"language", language}};
  if (nlohmann::json audit = evaluation::audit_of(data_path); !audit.is_null()) record["audit"] = std::move(audit);
  const nlohmann::json whole = {{"record", record}, {"tables", json_of(tables)}};
  write_file_durably(out + ".summary.json", whole.dump(1) + "\n");
  if (!html.empty()) write_file_atomically(html, html_of(tables, record));
  if (json)
    std::printf("%s\n", whole.dump().c_str());
  else
    std::fputs(text_of(tables).c_str(), stdout);
  return tables.all.sandbox_faults > 0 ? static_cast<int>(Error::Kind::kEnvironment) : 0;
}

}  // namespace

int run_eval(int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i) {
    if (std::strncmp(argv[i], "--answers", 9) == 0) return run_eval_answers(argc, argv);
    if (std::strncmp(argv[i], "--show", 6) == 0) return run_eval_show(argc, argv);
  }
  return run_learner(argc, argv);
}

}  // namespace kg::cli
