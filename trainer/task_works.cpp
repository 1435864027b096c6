#include "trainer/task_works.h"

#include <algorithm>
#include <map>
#include <unordered_map>

#include "base/error.h"
#include "base/random.h"
#include "dataset/store/dsl_prompt.h"
#include "dataset/store/id_filter.h"
#include "reward/benchmark_case.h"
#include "trainer/packing.h"

namespace kg::trainer {
namespace {

constexpr std::uint64_t kSamplingStream = 0x5a3c;  // stream of the run's seed; the data's order uses those from 0

// The case of an imported task that its kernel-only prompt for fixed shapes is of; -1: it has no such prompt.
int static_case(const proto::Task& task) {
  for (int i = 0; i < task.cases_size(); ++i)
    if (!task.cases(i).checked().empty()) return task.cases(i).prompt_kernel_only().empty() ? -1 : i;
  return -1;
}

std::string prompt_of(const proto::Task& task, const std::string& form, proto::SourceLanguage language) {
  if (language == proto::DSL) return dataset::dsl_prompt(task, form);
  if (form != "npukernelbench") return task.prompt_short();
  return reward::is_imported(task) && wants_kernel(task) ? task.cases(static_case(task)).prompt_kernel_only()
                                                         : task.prompt_npukernelbench();
}

}  // namespace

rollout::Work make_work(const proto::Task& task, std::uint64_t work_id, const std::string& prompt_form,
                        std::uint32_t samples, proto::SamplingParameters sampling, std::uint64_t seed,
                        const std::string& purpose, proto::SourceLanguage language) {
  rollout::Work work;
  work.work_id = work_id;
  work.task = task;
  proto::ChatMessage message;
  message.set_role("user");
  message.set_content(prompt_of(task, prompt_form, language));
  if (message.content().empty())
    throw Error("the task has no prompt of the form " + prompt_form, task.id(), "choose another --prompt-form");
  work.messages.push_back(message);
  // Cases keep their numbers, by which their tensors are found.
  if (const int last = reward::is_imported(task) ? static_case(task) : -1; last >= 0)
    work.task.mutable_cases()->DeleteSubrange(last + 1, task.cases_size() - last - 1);
  work.samples = samples;
  const auto block = Philox(seed, kSamplingStream).block(work_id);
  sampling.set_seed(static_cast<std::uint64_t>(block[0]) << 32 | block[1]);
  work.sampling = std::move(sampling);
  work.purpose = purpose;
  return work;
}

std::vector<std::string> tasks_of_draws(const std::vector<std::string>& ids, std::uint64_t seed, std::uint64_t first,
                                        std::int64_t count) {
  std::vector<std::string> chosen;
  std::vector<std::size_t> order;
  std::uint64_t order_epoch = ~0ULL;
  for (std::uint64_t draw = first; draw < first + static_cast<std::uint64_t>(count); ++draw) {
    if (const std::uint64_t epoch = draw / ids.size(); epoch != order_epoch) {
      order = shuffled_order(ids.size(), seed, epoch);
      order_epoch = epoch;
    }
    chosen.push_back(ids[order[draw % ids.size()]]);
  }
  return chosen;
}

bool wants_kernel(const proto::Task& task, proto::SourceLanguage language) {
  return !reward::is_imported(task) || static_case(task) >= 0 ||
         (language == proto::DSL && !dataset::dsl_prompt(task, "short").empty());
}

ChosenTasks tasks_by_structure(const dataset::Dataset& data, const TaskFilter& filter) {
  const dataset::IdFilter only(filter.only);
  std::unordered_map<std::string, std::size_t> seen;       // tasks of a structure so far
  std::map<std::size_t, std::vector<std::string>> rounds;  // the n-th task of each structure
  ChosenTasks chosen;
  data.for_each_task([&](const proto::Task& task) {
    if (task.split() != filter.split || !only.takes(task.id())) return true;
    if (wants_kernel(task, filter.language))
      rounds[seen[task.structure()]++].push_back(task.id());
    else
      ++chosen.without_kernel;
    return true;
  });
  for (const auto& [round, members] : rounds)
    for (const std::string& id : members)
      if (filter.limit == 0 || chosen.ids.size() < filter.limit) chosen.ids.push_back(id);
  return chosen;
}

}  // namespace kg::trainer
