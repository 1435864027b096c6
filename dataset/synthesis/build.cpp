#include "dataset/synthesis/build.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <unordered_set>

#include "base/clock.h"
#include "base/error.h"
#include "dataset/store/dataset.h"
#include "dataset/synthesis/builtin_tasks.h"
#include "dataset/synthesis/hyper_connections.h"
#include "dataset/synthesis/judging_pool.h"
#include "dataset/synthesis/kernel.h"
#include "dataset/synthesis/plan.h"
#include "proto/message_json.h"

namespace kg::dataset {
namespace {

constexpr std::size_t kBatch = 64;  // records of one append: one fsync
constexpr int kGenerator = 1;       // version of what the generator makes from the same options

std::string kernel_of(const Variant& variant, Style style) {
  return style == Style::kCompact ? compact_kernel(variant) : full_kernel(variant);
}

proto::JournalRecord task_record(proto::Task task) {
  proto::JournalRecord record;
  *record.mutable_task() = std::move(task);
  return record;
}

proto::JournalRecord sample_record(const PlannedSample& planned, std::size_t index, std::uint64_t seed,
                                   const proto::Verdict& verdict) {
  proto::JournalRecord record;
  proto::Sample& sample = *record.mutable_sample();
  sample.set_id(sample_id(planned));
  sample.set_task(task_id(planned.variant));
  sample.set_kind("kernel");
  sample.set_split(planned.variant.structure->split);
  sample.set_style(style_name(planned.style));
  sample.set_prompt_form(prompt_form_name(planned.form));
  sample.set_instruction(planned.form == PromptForm::kShort ? short_prompt(planned.variant, planned.style)
                                                            : npukernelbench_prompt(planned.variant));
  sample.set_output(
      answer_text(reasoning(planned.variant, planned.style), kernel_of(planned.variant, planned.style), planned.form));
  sample.set_cycles(verdict.cycles());
  sample.set_provenance("synthesis seed=" + std::to_string(seed) + " index=" + std::to_string(index));
  return record;
}

std::string failure_text(const std::string& task, Style style, const proto::Verdict& verdict) {
  std::string why = proto::stage_name(verdict.stage());
  if (!verdict.invalid_reason().empty())
    why += ": " + verdict.invalid_reason();
  else if (!verdict.compiled())
    why += ": " + verdict.compiler_output().substr(0, 400);
  else if (verdict.faults_size() > 0)
    why += ": " + verdict.faults(0).fault_class() + ", " + verdict.faults(0).message();
  return task + " " + style_name(style) + ": " + why;
}

// One line on a terminal; elsewhere a line now and then.
class Progress {
 public:
  Progress(std::size_t total, bool quiet)
      : total_(total),
        quiet_(quiet),
        terminal_(::isatty(STDERR_FILENO) != 0),
        started_(monotonic_seconds()),
        shown_(started_) {}
  void step(std::size_t failures) {
    ++done_;
    const double now = monotonic_seconds();
    if (quiet_ || (now - shown_ < (terminal_ ? 0.2 : 10.0) && done_ < total_)) return;
    shown_ = now;
    const double rate = static_cast<double>(done_) / std::max(now - started_, 1e-3);
    std::fprintf(stderr, "%s%zu of %zu kernels judged, %.1f/s, %zu not correct, %.0f s to go%s", terminal_ ? "\r" : "",
                 done_, total_, rate, failures, static_cast<double>(total_ - done_) / rate,
                 terminal_ && done_ < total_ ? "\033[K" : "\n");
  }

 private:
  std::size_t total_, done_ = 0;
  bool quiet_, terminal_;
  double started_, shown_;
};

// What is judged and, if correct, stored: a held-out task, or a sample of a training task.
struct Work {
  const Variant* variant = nullptr;
  Style style = Style::kCompact;
  const PlannedSample* sample = nullptr;  // null: a held-out task
  std::size_t index = 0;                  // of the sample in the plan
};

std::string meta_text(const BuildOptions& options, const Plan& plan) {
  return nlohmann::json{{"generator", kGenerator},  {"samples", options.samples},
                        {"seed", options.seed},     {"style", options.style},
                        {"prompt", options.prompt}, {"families", options.families},
                        {"shapes", plan.shapes},    {"mix", "styles and forms of prompt in turn, in equal parts"}}
      .dump();
}

}  // namespace

BuildReport run_build(const BuildOptions& options) {
  const std::vector<Style> styles = styles_named(options.style);
  const Plan plan =
      plan_build(options.samples, options.seed, styles, prompt_forms_named(options.prompt), options.families);
  const auto data = Dataset::open(options.out, OpenMode::kAppendOrCreate);
  std::unordered_set<std::string> known;  // ids of tasks and samples that stand
  for (const std::string& id : data->task_ids()) known.insert(id);
  data->for_each_sample([&](const proto::Sample& sample) {
    known.insert(sample.id());
    return true;
  });

  std::vector<proto::JournalRecord> batch;
  const auto flush = [&] {
    if (!batch.empty()) data->append(batch);
    batch.clear();
  };
  const auto store = [&](proto::JournalRecord record) {
    batch.push_back(std::move(record));
    if (batch.size() >= kBatch) flush();
  };
  BuildReport report;
  if (const std::string meta = meta_text(options, plan); data->meta("synthesis") != meta) {
    proto::JournalRecord record;
    record.mutable_meta()->set_key("synthesis");
    record.mutable_meta()->set_value(meta);
    store(std::move(record));
  }
  std::vector<Work> work;
  for (const Variant& variant : plan.variants) {
    const bool stands = known.contains(task_id(variant));
    if (variant.structure->split == "heldout") {
      // Its kernel is judged and thrown away: it proves that the task can be solved.
      if (!stands)
        work.push_back({.variant = &variant, .style = styles.front()});
      else
        ++report.heldout_tasks;
    } else if (!stands) {
      store(task_record(make_task(variant, options.seed)));
    }
    report.tasks += variant.structure->split != "heldout" || stands;
  }
  if (options.families.empty())
    for (proto::Task& task : hyper_connection_tasks(options.seed)) {
      ++report.tasks;
      if (!known.contains(task.id())) store(task_record(std::move(task)));
    }
  for (std::size_t i = 0; i < plan.samples.size(); ++i) {
    const PlannedSample& planned = plan.samples[i];
    if (known.contains(sample_id(planned)))
      ++report.samples;
    else
      work.push_back({.variant = &planned.variant, .style = planned.style, .sample = &planned, .index = i});
  }
  flush();

  std::vector<JudgingJob> jobs;
  for (const Work& item : work)
    jobs.push_back({[&options, variant = item.variant] { return make_task(*variant, options.seed); },
                    kernel_of(*item.variant, item.style)});
  Progress progress(jobs.size(), options.quiet);
  judge_all(jobs, options.jobs, options.sandbox, [&](std::size_t index, const proto::Verdict& verdict) {
    const Work& item = work[index];
    ++report.judged;
    if (!verdict.correct() || !verdict.reward_valid()) {
      report.failures.push_back(failure_text(task_id(*item.variant), item.style, verdict));
    } else if (item.sample) {
      store(sample_record(*item.sample, item.index, options.seed, verdict));
      ++report.samples;
    } else {
      store(task_record(make_task(*item.variant, options.seed)));
      ++report.tasks;
      ++report.heldout_tasks;
    }
    progress.step(report.failures.size());
  });
  flush();
  data->fold();
  return report;
}

}  // namespace kg::dataset
