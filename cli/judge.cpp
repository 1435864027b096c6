#include "reward/judge.h"

#include <cstdio>
#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/join.h"
#include "base/options.h"
#include "base/writable.h"
#include "cli/command.h"
#include "cli/cycle_summary.h"
#include "cli/judge_batch.h"
#include "cli/judge_report.h"
#include "cli/judging_options.h"
#include "cli/module_answer.h"
#include "cli/own_operator.h"
#include "cli/read_input.h"
#include "cli/unknown_task.h"
#include "cli/verdict_text.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/answer.h"
#include "dataset/store/dataset.h"
#include "evaluation/project_files.h"
#include "proto/message_json.h"

namespace kg::cli {
namespace {

struct JudgeCommand : JudgingOptions {
  OwnOperatorOptions module;
  std::string data_name = "ascend_cot.h5", task_id, kernel_file, project, rollout, batch, timeline_file, report_file,
              language;
  int only_case = -1;
  bool json = false;

  bool is_dsl() const { return language == "dsl" || (language.empty() && kernel_file.ends_with(".dsl")); }
};

// Nothing where the help text was asked for.
std::optional<JudgeCommand> parse(int argc, const char* const* argv) {
  JudgeCommand asked;
  Options options("kgtrain judge",
                  "Judges a kernel on a task: compiles it, runs it on the emulated NPU, compares its outputs, and "
                  "computes its reward.");
  options.add("data", asked.data_name, "data set that holds the task")
      .add("task", asked.task_id, "id of the task; kgtrain tasks list prints them")
      .add("module", asked.module.own.file,
           "instead of a task: Python file with a PyTorch module or function (docs/guide/own-operators.md); its Python "
           "runs with your rights")
      .add("kernel", asked.kernel_file,
           "file with the kernel, or with an answer that has it in a code block; - reads standard input")
      .add("project", asked.project, "folder of an operator project (op_host, op_kernel)")
      .add("rollout", asked.rollout, "judge a stored rollout again: RUN:WORK:SAMPLE")
      .add("batch", asked.batch,
           "JSON lines {\"task\": ..., \"kernel\": ...}, or \"project\" (a folder) instead of the kernel, and "
           "\"case\": N for one case; - reads standard input; prints one record per line, in order")
      .add("case", asked.only_case, "only this case of the task, counted from 0")
      .add("timeline", asked.timeline_file,
           "write what each pipe did in the first case as a Chrome trace (can be opened in Perfetto)")
      .add("report", asked.report_file, "write an HTML page with verdict, faults and timeline")
      .add("language", asked.language, "language of the kernels; empty: dsl for a file FILE.dsl, else ascendc")
      .choices({"", "ascendc", "dsl"})
      .add("json", asked.json, "print the record as JSON");
  declare_own_operator(options, asked.module);
  declare_judging(options, asked);
  if (!options.parse(argc, argv)) return {};
  return asked;
}

struct StoredRollout {
  std::string task;
  std::string kernel;
};

// `id` is RUN:WORK:SAMPLE as `kgtrain report` prints it.
StoredRollout find_rollout(const dataset::Dataset& data, const std::string& id) {
  StoredRollout found;
  bool seen = false;
  data.for_each_rollout([&](const proto::Rollout& rollout) {
    if (rollout.run() + ":" + std::to_string(rollout.work_id()) + ":" + std::to_string(rollout.sample()) != id)
      return true;
    found = {rollout.task(), rollout.kernel()};
    seen = true;
    return false;
  });
  if (!seen)
    throw Error("no rollout \"" + id + "\" in the data set", "--rollout",
                "the form is RUN:WORK:SAMPLE, for example rl-1:12:0; kgtrain data info lists the runs");
  if (found.kernel.empty())
    throw Error("rollout \"" + id + "\" holds no kernel", "--rollout", "its answer had no code block");
  return found;
}

// The text of --kernel: the kernel itself, or the answer that holds it.
std::string kernel_of_file(const std::string& file, const proto::Task& task, proto::SourceLanguage language) {
  std::string text = read_input(file);
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw Error("expected a kernel, found an empty file", input_name(file),
                "write the kernel into it; kgtrain tasks show prints what the task asks for");
  if (reward::is_module(task) && language != proto::DSL) return module_text(text);
  if (text.find("```") == std::string::npos) return text;
  dataset::Answer answer = dataset::extract_kernel(text, language);
  if (answer.kernel.empty())
    throw Error("the answer holds no kernel: " + answer.reason, file,
                language == proto::DSL ? "put it in a ```dsl block" : "put it in a ```cpp block");
  return std::move(answer.kernel);
}

// The subject of a judgement: a task, and a kernel or an operator project.
struct Work {
  proto::Task task;
  std::string kernel;
};

void require_one_answer(const JudgeCommand& asked, const char* what) {
  if (asked.kernel_file.empty() == asked.project.empty())
    throw Error(std::string(what) + " and one of --kernel and --project are needed, got " +
                    (asked.kernel_file.empty() ? "neither" : "both"),
                "kgtrain judge", "add --kernel FILE or --project DIR, one of the two");
}

Work find_work(const dataset::Dataset& data, const JudgeCommand& asked, proto::SourceLanguage language) {
  StoredRollout stored{.task = asked.task_id, .kernel = ""};
  if (!asked.rollout.empty())
    stored = find_rollout(data, asked.rollout);
  else if (asked.task_id.empty())
    throw Error("--task or --module is needed (or --rollout, or --batch)", "kgtrain judge", "kgtrain judge --help");
  else
    require_one_answer(asked, "--task");
  const std::optional<proto::Task> task = data.task(stored.task);
  if (!task) refuse_task(data, stored.task, asked.data_name, "--task");
  if (!asked.kernel_file.empty()) stored.kernel = kernel_of_file(asked.kernel_file, *task, language);
  return {*task, stored.kernel};
}

// A kernel's text without what a terminal would act on.
std::string harmless(std::string text) {
  for (char& c : text)
    if ((c >= 0 && c < ' ' && c != '\n' && c != '\t') || c == '\x7f') c = '?';
  return text;
}

// What the judge reports of the first case beside the verdict.
struct FirstCase {
  std::string timeline, printed;
  reward::CycleReport cycles;
};

void print(const JudgeCommand& asked, const proto::Verdict& verdict, const std::string& kernel,
           const FirstCase& first) {
  const auto& [timeline, printed, cycles] = first;
  if (!asked.timeline_file.empty()) {
    if (timeline.empty())
      std::fprintf(stderr, "kgtrain judge: no timeline: the kernel did not run\n");
    else
      write_file_atomically(asked.timeline_file, timeline);
  }
  const bool ran = cycles.index >= 0;
  const CycleSummary summary = ran ? summarise(cycles, kernel) : CycleSummary{};
  if (!asked.report_file.empty())
    write_file_atomically(asked.report_file, judge_report(verdict, kernel, timeline, ran ? &summary : nullptr));
  if (asked.json) {
    nlohmann::json record = proto::to_json(verdict);
    record["where_cycles_go"] = ran ? json_of(summary) : nlohmann::json();
    if (!printed.empty()) record["printed"] = printed;
    std::printf("%s\n", record.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
    return;
  }
  print_verdict(verdict, kernel, asked.kernel_file == "-" ? "" : asked.kernel_file);
  if (!printed.empty()) std::printf("\nprinted by the kernel in its first case\n%s", harmless(printed).c_str());
  if (ran) std::fputs(text_of(summary).c_str(), stdout);
}

reward::JudgeOptions rules_of(const JudgeCommand& asked) {
  reward::JudgeOptions rules{.reward = reward::reward_preset(asked.reward),
                             .language = asked.is_dsl() ? proto::DSL : proto::ASCENDC};
  if (asked.only_case >= 0) rules.only_case = asked.only_case;
  return rules;
}

// Judges one answer and prints the result.
int judge_one(const JudgeCommand& asked, const Work& work, sandbox::Sandbox& sandbox, reward::JudgeOptions rules) {
  FirstCase first;
  if (!asked.timeline_file.empty() || !asked.report_file.empty()) rules.timeline = &first.timeline;
  rules.cycle_report = &first.cycles;
  rules.printed = &first.printed;
  const proto::Verdict verdict =
      asked.project.empty()
          ? reward::judge(sandbox, work.task, work.kernel, rules)
          : reward::judge_project(sandbox, work.task, evaluation::project_files(asked.project), rules);
  print(asked, verdict, work.kernel, first);
  if (!verdict.sandbox_error().empty()) return static_cast<int>(Error::Kind::kEnvironment);
  return verdict.correct() ? 0 : 1;
}

// Without a data set: the task is made of the file. Its Python and the compiler start side by side, each for seconds;
// the sandbox in this thread, since its cells end with the thread that started them.
int judge_module(const JudgeCommand& asked) {
  require_one_answer(asked, "--module");
  if (!asked.kernel_file.empty() && asked.kernel_file != "-") read_file(asked.kernel_file);  // before Python starts
  reward::JudgeOptions rules = rules_of(asked);
  auto reading = std::async(std::launch::async, [&] { return read_own_operator(asked.module, asked.worker); });
  const auto sandbox = sandbox::start_sandbox(asked.sandbox);
  sandbox->start();
  const dataset::benchmarks::OwnOperator made = reading.get();
  rules.benchmark_cases.get = [&made](const proto::Task&, int index) { return made.get(index); };
  Work work{.task = made.task, .kernel = ""};
  if (!asked.kernel_file.empty()) work.kernel = kernel_of_file(asked.kernel_file, work.task, rules.language);
  return judge_one(asked, work, *sandbox, rules);
}

}  // namespace

namespace {

// Exactly one of the four inputs; a batch or a stored rollout excludes a separate answer.
void refuse_contradictions(const JudgeCommand& asked) {
  std::vector<std::string> given;
  for (const auto& [name, value] : {std::pair{"--task", asked.task_id}, std::pair{"--module", asked.module.own.file},
                                    std::pair{"--rollout", asked.rollout}, std::pair{"--batch", asked.batch}})
    if (!value.empty()) given.emplace_back(name);
  const bool answered = !asked.rollout.empty() || !asked.batch.empty();
  if (answered && !asked.kernel_file.empty()) given.emplace_back("--kernel");
  if (answered && !asked.project.empty()) given.emplace_back("--project");
  if (given.size() > 1)
    throw Error(join(given, " and ") + " cannot be used together", "kgtrain judge", "leave out all but one of them");
  require_writable(asked.report_file, "--report");
  require_writable(asked.timeline_file, "--timeline");
}

}  // namespace

int run_judge(int argc, const char* const* argv) {
  const std::optional<JudgeCommand> asked = parse(argc, argv);
  if (!asked) return 0;
  refuse_contradictions(*asked);
  if (!asked->module.own.file.empty()) return judge_module(*asked);
  const auto data = dataset::Dataset::open(dataset::find_dataset(asked->data_name), dataset::OpenMode::kRead);
  dataset::benchmarks::StoredCases imported(*data, asked->worker);
  reward::JudgeOptions rules = rules_of(*asked);
  rules.benchmark_cases = imported.source();
  sandbox::SandboxOptions isolation = asked->sandbox;
  if (!asked->batch.empty()) return judge_batch(*data, asked->batch, asked->jobs, asked->worker, isolation, rules);
  const Work work = find_work(*data, *asked, rules.language);
  prepare_for_module(work.task, *data, asked->worker, isolation, rules);
  return judge_one(*asked, work, *sandbox::start_sandbox(isolation), rules);
}

}  // namespace kg::cli
