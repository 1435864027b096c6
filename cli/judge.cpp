#include "reward/judge.h"

#include <cstdio>
#include <iostream>
#include <nlohmann/json.hpp>
#include <string>

#include "base/error.h"
#include "base/file.h"
#include "base/options.h"
#include "cli/command.h"
#include "cli/judge_batch.h"
#include "cli/judge_report.h"
#include "cli/module_answer.h"
#include "cli/project_files.h"
#include "dataset/benchmarks/case_source.h"
#include "dataset/store/answer.h"
#include "dataset/store/dataset.h"
#include "proto/message_json.h"

namespace kg::cli {
namespace {

std::string skipped_text(const proto::NumbersVerdict& numbers) {
  return numbers.skipped().empty() ? "" : " (not applied to " + numbers.skipped() + ")";
}

void print_verdict(const proto::Verdict& verdict) {
  std::printf("task      %s\nstage     %s\n", verdict.task().c_str(), proto::stage_name(verdict.stage()).c_str());
  if (!verdict.sandbox_error().empty()) std::printf("sandbox   %s\n", verdict.sandbox_error().c_str());
  std::printf("cases     %u of %u passed, largest absolute error %.3g\n", verdict.cases_passed(), verdict.cases_total(),
              verdict.max_abs_error());
  if (verdict.cycles() > 0)
    std::printf("cycles    %llu, baseline %llu, speed-up %.2f\n", static_cast<unsigned long long>(verdict.cycles()),
                static_cast<unsigned long long>(verdict.baseline_cycles()), verdict.speedup());
  std::printf(
      "reward    %.4g (%s)%s%s\n", verdict.reward(), verdict.reward_preset().c_str(),
      verdict.reward_valid() ? "" : ", not valid: ", verdict.reward_valid() ? "" : verdict.invalid_reason().c_str());
  if (verdict.has_published())
    std::printf("numbers   as published: %u of %u cases%s; strict: %u of %u cases%s\n",
                verdict.published().cases_passed(), verdict.cases_total(), skipped_text(verdict.published()).c_str(),
                verdict.strict().cases_passed(), verdict.cases_total(), skipped_text(verdict.strict()).c_str());
  for (const proto::Fault& fault : verdict.faults())
    std::printf("%-9s [%s] line %d%s: %s\n", fault.severity() == proto::ERROR ? "error" : "warning",
                fault.fault_class().c_str(), fault.line(),
                fault.core() >= 0 ? (" core " + std::to_string(fault.core())).c_str() : "", fault.message().c_str());
  if (!verdict.compiler_output().empty()) std::printf("\n%s\n", verdict.compiler_output().c_str());
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
    throw Error("no rollout \"" + id + "\"", "--rollout", "the form is RUN:WORK:SAMPLE, for example rl-1:12:0");
  if (found.kernel.empty())
    throw Error("rollout \"" + id + "\" holds no kernel", "--rollout", "its answer had no code block");
  return found;
}

}  // namespace

int run_judge(int argc, const char* const* argv) {
  std::string data_name = "ascend_cot.h5", task_id, kernel_file, project, rollout, batch, timeline_file, report_file,
              preset = "staged", language;
  dataset::benchmarks::WorkerOptions worker;
  std::string checkout;
  int only_case = -1, jobs = 2;
  bool json = false, allow_less_isolation = false;
  Options options("kgtrain judge",
                  "Judges a kernel on a task: compiles it, runs it on the emulated NPU, compares, rewards.");
  options.add("data", data_name, "data set that holds the task")
      .add("task", task_id, "id of the task; kgtrain tasks list prints them")
      .add("kernel", kernel_file,
           "file with the kernel, or with an answer that holds one in a code block; - reads standard input")
      .add("project", project, "folder of an operator project (op_host, op_kernel)")
      .add("rollout", rollout, "judge a stored rollout again: RUN:WORK:SAMPLE")
      .add("batch", batch,
           "JSON lines {\"task\": ..., \"kernel\": ...}, or a \"project\" (folder) in place of the kernel, \"case\": N "
           "for one case; prints "
           "one record a line, in order")
      .add("jobs", jobs, "sandboxes at once, with --batch")
      .range(1, 256)
      .add("case", only_case, "only this case of the task, from 0")
      .add("timeline", timeline_file,
           "write what each pipe did in the first case as a Chrome trace (opens in Perfetto)")
      .add("report", report_file, "write a page with verdict, faults and timeline")
      .add("language", language, "language of the kernels; empty: dsl for a file FILE.dsl, else ascendc")
      .choices({"", "ascendc", "dsl"})
      .add("json", json, "print the record as JSON")
      .add("reward", preset, "reward preset")
      .choices(reward::reward_presets())
      .add("checkout", checkout,
           "imported tasks: checkout of the benchmark, if it is no longer where it was imported from")
      .add("python", worker.python,
           "imported tasks: Python that makes large cases again, and runs answers that are PyTorch modules")
      .add("allow-less-isolation", allow_less_isolation, "go on where the host forbids namespaces");
  if (!options.parse(argc, argv)) return 0;

  const auto data = dataset::Dataset::open(dataset::find_dataset(data_name), dataset::OpenMode::kRead);
  reward::JudgeOptions judge_options{.reward = reward::reward_preset(preset)};
  if (only_case >= 0) judge_options.only_case = only_case;
  const bool is_dsl = language == "dsl" || (language.empty() && kernel_file.ends_with(".dsl"));
  judge_options.language = is_dsl ? proto::DSL : proto::ASCENDC;
  worker.checkout = checkout;
  dataset::benchmarks::CaseSource imported(*data, worker);
  judge_options.benchmark_cases = [&imported](const proto::Task& task, int index) { return imported.get(task, index); };
  sandbox::SandboxOptions sandbox_options{.allow_less_isolation = allow_less_isolation};
  if (!batch.empty()) return judge_batch(*data, batch, jobs, worker, sandbox_options, judge_options);

  std::string kernel;
  if (!rollout.empty()) {
    const StoredRollout stored = find_rollout(*data, rollout);
    task_id = stored.task;
    kernel = stored.kernel;
  } else {
    if (task_id.empty() || kernel_file.empty() == project.empty())
      throw Error("--task and one of --kernel and --project are wanted (or --rollout, or --batch)", "kgtrain judge",
                  "kgtrain judge --help");
  }
  const std::optional<proto::Task> task = data->task(task_id);
  if (!task)
    throw Error("no task \"" + task_id + "\" in " + data_name, "--task", "kgtrain tasks list --data " + data_name);
  if (!kernel_file.empty()) {
    kernel = kernel_file == "-" ? std::string(std::istreambuf_iterator<char>(std::cin), {}) : read_file(kernel_file);
    if (reward::is_module(*task)) {
      kernel = module_text(kernel);
    } else if (kernel.find("```") != std::string::npos) {
      const dataset::Answer answer = dataset::extract_kernel(kernel, judge_options.language);
      if (answer.kernel.empty())
        throw Error("the answer holds no kernel: " + answer.reason, kernel_file,
                    is_dsl ? "put it in a ```dsl block" : "put it in a ```cpp block");
      kernel = answer.kernel;
    }
  }
  prepare_for_module(*task, *data, worker, sandbox_options, judge_options);
  const auto sandbox = sandbox::start_sandbox(sandbox_options);
  std::string timeline;
  if (!timeline_file.empty() || !report_file.empty()) judge_options.timeline = &timeline;
  const proto::Verdict verdict = project.empty()
                                     ? reward::judge(*sandbox, *task, kernel, judge_options)
                                     : reward::judge_project(*sandbox, *task, project_files(project), judge_options);
  if (!timeline_file.empty()) {
    if (timeline.empty())
      std::fprintf(stderr, "kgtrain judge: no timeline: the kernel did not run\n");
    else
      write_file_atomically(timeline_file, timeline);
  }
  if (!report_file.empty()) write_file_atomically(report_file, judge_report(verdict, kernel, timeline));
  if (json)
    std::printf("%s\n", proto::to_json(verdict).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  else
    print_verdict(verdict);
  if (!verdict.sandbox_error().empty()) return static_cast<int>(Error::Kind::kEnvironment);
  return verdict.correct() ? 0 : 1;
}

}  // namespace kg::cli
