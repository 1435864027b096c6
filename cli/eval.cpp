#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "base/writable.h"
#include "cli/command.h"
#include "cli/eval_page.h"
#include "cli/eval_show.h"
#include "cli/judging_options.h"
#include "cli/module_answer.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/dataset.h"
#include "evaluation/answer_results.h"
#include "evaluation/given_answers.h"
#include "evaluation/project_files.h"
#include "evaluation/provenance.h"
#include "evaluation/tables.h"
#include "proto/language.h"
#include "reward/judge.h"
#include "reward/judge_version.h"
#include "reward/verdict.h"
#include "sandbox/pool.h"

namespace kg::cli {
namespace {

constexpr int kAttempts = 3;  // at an answer that the sandbox failed on

struct Judging {
  const std::map<std::string, proto::Task>& tasks;
  const std::vector<evaluation::GivenAnswer>& answers;
  const reward::JudgeOptions& rules;
  const sandbox::SandboxOptions& sandbox;
};

proto::Verdict judged(sandbox::Sandbox& sandbox, const proto::Task& task, const evaluation::GivenAnswer& answer,
                      const reward::JudgeOptions& rules) {
  try {
    if (!answer.project.empty())
      return reward::judge_project(sandbox, task, evaluation::project_files(answer.project), rules);
    std::string reason;
    const std::string kernel = reward::is_module(task) && rules.language != proto::DSL
                                   ? module_text(answer.text)
                                   : evaluation::kernel_of(answer, rules.language, reason);
    if (kernel.empty())
      return reward::verdict_without_kernel(task, reason.empty() ? "the answer is empty" : reason, rules.reward);
    return reward::judge(sandbox, task, kernel, rules);
  } catch (const Error& error) {
    return reward::verdict_unjudged(task, error);
  }
}

// Judges what has no verdict yet, several at a time.
void judge_all(const Judging& judging, int jobs, evaluation::AnswerResults& results) {
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < judging.answers.size(); ++i)
    if (!results.has(judging.answers[i])) open.push_back(i);
  if (open.size() < judging.answers.size())
    std::fprintf(stderr, "%zu of %zu answers already have a verdict\n", judging.answers.size() - open.size(),
                 judging.answers.size());
  std::atomic<std::size_t> done{0};
  sandbox::for_each_in_sandboxes(open.size(), jobs, judging.sandbox, [&](sandbox::Sandbox& sandbox, std::size_t i) {
    const evaluation::GivenAnswer& answer = judging.answers[open[i]];
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

struct AnswersCommand : JudgingOptions {
  std::string answers, data = "ascend_cot.h5", out, label, html, against, language = "ascendc";
  bool json = false;
};

Options declare(AnswersCommand& values) {
  Options options("kgtrain eval --answers",
                  "Judges answers from any model, and prints the rates of docs/guide/metrics.md. Start it again to "
                  "continue where it was stopped. (kgtrain eval without --answers samples a model first.)");
  options
      .add("answers", values.answers,
           "JSON lines {\"task\", and one of \"answer\", \"kernel\", \"project\"}, or a folder: <task id>/<name>.cpp, "
           ".txt, .md, .py, or a project's folder")
      .required()
      .add("data", values.data, "data set that holds the tasks")
      .add("out", values.out, "file of results, JSON lines; default: beside the answers, NAME.results.jsonl")
      .add("label", values.label, "name in the tables; default: the name of the answers file or folder")
      .add("html", values.html, "write the tables as an HTML page")
      .add("against", values.against, "file of results of another evaluation to compare with")
      .add("language", values.language, "language of the kernels")
      .choices({"ascendc", "dsl"})
      .add("json", values.json, "print the tables as JSON");
  declare_judging(options, values);
  return options;
}

// The tasks that the answers name, by id.
std::map<std::string, proto::Task> tasks_of(const std::vector<evaluation::GivenAnswer>& answers,
                                            const dataset::Dataset& data, const std::string& data_path,
                                            const std::string& answers_path) {
  std::map<std::string, proto::Task> tasks;
  for (const evaluation::GivenAnswer& answer : answers) {
    if (tasks.contains(answer.task)) continue;
    const auto task = data.task(answer.task);
    if (!task)
      throw Error("no task \"" + answer.task + "\" in " + data_path, answers_path, "kgtrain tasks list prints the ids");
    tasks.emplace(answer.task, *task);
  }
  return tasks;
}

// Records what was evaluated and how.
nlohmann::json record_of(const AnswersCommand& command, const fs::path& data, const reward::RewardConfig& reward,
                         const std::map<std::string, proto::Task>& tasks) {
  std::vector<proto::Task> asked;
  for (const auto& [id, task] : tasks) asked.push_back(task);
  nlohmann::json record = {{"version", KG_VERSION},
                           {"answers", fs::absolute(command.answers).string()},
                           {"results", fs::absolute(command.out).string()},
                           {"data", data.string()},
                           {"tasks_hash", evaluation::hash_of(asked)},
                           {"reward", reward::to_json(reward)},
                           {"judge_version", reward::judge_version()},
                           {"language", command.language}};
  if (nlohmann::json audit = evaluation::audit_of(data); !audit.is_null()) record["audit"] = std::move(audit);
  return record;
}

int run_eval_answers(int argc, const char* const* argv) {
  AnswersCommand command;
  if (!declare(command).parse(argc, argv)) return 0;
  while (command.answers.size() > 1 && command.answers.back() == '/') command.answers.pop_back();
  require_writable(command.html, "--html");
  require_writable(command.out, "--out");
  if (!command.against.empty()) evaluation::read_results(command.against);  // before anything is judged
  const std::vector<evaluation::GivenAnswer> answers = evaluation::read_answers(command.answers);
  const fs::path data_path = dataset::find_dataset(command.data);
  const auto data = dataset::Dataset::open(data_path, dataset::OpenMode::kRead);
  const std::map<std::string, proto::Task> tasks = tasks_of(answers, *data, data_path.string(), command.answers);
  if (command.label.empty()) command.label = fs::path(command.answers).stem().string();
  if (command.out.empty()) command.out = command.answers + ".results.jsonl";
  reward::JudgeOptions rules{.reward = reward::reward_preset(command.reward)};
  rules.language = proto::language_from_name(command.language);
  dataset::benchmarks::StoredCases imported(*data, command.worker);
  rules.benchmark_cases = imported.source();
  for (const auto& [id, task] : tasks) prepare_for_module(task, *data, command.worker, command.sandbox, rules);

  evaluation::AnswerResults results(command.out);
  judge_all({tasks, answers, rules, command.sandbox}, command.jobs, results);
  evaluation::Tables tables = evaluation::make_tables(command.label, results.judged(answers));
  if (!command.against.empty())
    tables.against = evaluation::compare(fs::path(command.against).filename().string(), results.judged(answers),
                                         evaluation::read_results(command.against));
  const nlohmann::json record = record_of(command, data_path, rules.reward, tasks);
  const nlohmann::json whole = {{"record", record}, {"tables", json_of(tables)}};
  write_file_durably(command.out + ".summary.json", whole.dump(1) + "\n");
  if (!command.html.empty()) write_file_atomically(command.html, html_of(tables, record));
  if (command.json)
    std::printf("%s\n", whole.dump().c_str());
  else
    std::fputs(text_of(tables).c_str(), stdout);
  return tables.all.sandbox_faults > 0 ? static_cast<int>(Error::Kind::kEnvironment) : 0;
}

}  // namespace

int run_eval(int argc, const char* const* argv) {
  const auto has = [&](const char* word, std::size_t length) {
    return std::any_of(argv + 1, argv + argc, [&](const char* one) { return std::strncmp(one, word, length) == 0; });
  };
  const char* const help[] = {argv[0], "--help"};
  const bool helped = has("--help", 7) || has("-h", 3);
  if (has("--answers", 9)) return helped ? run_eval_answers(2, help) : run_eval_answers(argc, argv);
  if (has("--show", 6)) return helped ? run_eval_show(2, help) : run_eval_show(argc, argv);
  if (has("--reference", 12)) return run_learner(argc, argv) + run_eval_answers(argc, argv) + run_eval_show(argc, argv);
  const int status = run_learner(argc, argv);  // becomes another program, unless it printed its help
  for (const auto& other : {&run_eval_answers, &run_eval_show}) {
    std::puts("");
    other(2, help);
  }
  return status;
}

}  // namespace kg::cli
