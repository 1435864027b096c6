#include "cli/served_judge.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "cli/module_answer.h"
#include "dataset/store/answer.h"
#include "dataset/store/dsl_prompt.h"
#include "reward/verdict.h"

namespace kg::cli {
namespace {

constexpr std::size_t kMostTasksHeld = 4096;

void require_usable(const proto::Task& task, const service::JudgeRequest& request) {
  if (request.only_case && *request.only_case >= task.cases_size())
    throw service::Refusal{400,
                           "case " + std::to_string(*request.only_case) + " does not exist, the task has 0 to " +
                               std::to_string(task.cases_size() - 1),
                           "leave \"case\" out for all of them", 0};
  if (!request.project.empty() && reward::is_module(task))
    throw service::Refusal{400, "an operator project alone cannot answer " + task.id() + ": it needs a module",
                           "give its six texts as the kernel", 0};
}

}  // namespace

ServedJudge::ServedJudge(const dataset::Dataset& data, const JudgingOptions& judging, ServedModules::Options modules)
    : data_(data),
      sandbox_(judging.sandbox),
      reward_(reward::reward_preset(judging.reward)),
      cases_(data, judging.worker),
      modules_(std::move(modules)) {}

service::Judge ServedJudge::make_judge() {
  std::shared_ptr<sandbox::Sandbox> sandbox = sandbox::start_sandbox(sandbox_);
  return [this, sandbox](const service::JudgeRequest& request) { return judge(*sandbox, request); };
}

std::optional<proto::Task> ServedJudge::find_task(const std::string& id) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = tasks_.find(id); found != tasks_.end()) return found->second;
  }
  std::optional<proto::Task> task = data_.task(id);
  if (!task) return task;
  const std::lock_guard lock(mutex_);
  if (tasks_.size() >= kMostTasksHeld) tasks_.clear();
  tasks_[id] = *task;
  return task;
}

proto::Verdict ServedJudge::judge(sandbox::Sandbox& sandbox, const service::JudgeRequest& request) {
  reward::JudgeOptions rules{.reward = reward_, .language = request.language};
  if (request.only_case) rules.only_case = *request.only_case;
  if (!request.module.empty()) {
    const ServedModules::Made made = modules_.get(request);
    rules.benchmark_cases.get = [made](const proto::Task&, int index) { return made->get(index); };
    return judge_answer(sandbox, made->task, request, std::move(rules));
  }
  const std::optional<proto::Task> task = find_task(request.task);
  if (!task)
    throw service::Refusal{404, "no task \"" + request.task + "\" in the service's data set",
                           "GET /v1/tasks lists them", 0};
  rules.benchmark_cases = cases_.source();
  if (reward::is_module(*task)) rules.module_rules = data_.meta(task->suite() + ".cheating_detection").value_or("");
  return judge_answer(sandbox, *task, request, std::move(rules));
}

proto::Verdict ServedJudge::judge_answer(sandbox::Sandbox& sandbox, const proto::Task& task,
                                         const service::JudgeRequest& request, reward::JudgeOptions rules) const {
  require_usable(task, request);
  if (!request.project.empty()) return reward::judge_project(sandbox, task, request.project, rules);
  if (!request.kernel.empty()) return reward::judge(sandbox, task, request.kernel, rules);
  if (reward::is_module(task) && request.language != proto::DSL)
    return reward::judge(sandbox, task, module_text(request.answer), rules);
  const dataset::Answer found = dataset::extract_kernel(request.answer, request.language);
  if (found.kernel.empty()) return reward::verdict_without_kernel(task, found.reason, rules.reward);
  return reward::judge(sandbox, task, found.kernel, rules);
}

service::TaskList ServedJudge::task_list() {
  return {.list =
              [this](const std::string& split, const std::string& after, int most) {
                std::vector<std::string> ids = data_.task_ids(split);
                std::ranges::sort(ids);
                nlohmann::json list = nlohmann::json::array();
                for (auto id = std::ranges::upper_bound(ids, after);
                     id != ids.end() && static_cast<int>(list.size()) < most; ++id)
                  list.push_back(*id);
                return list;
              },
          .describe = [this](const std::string& id) -> std::optional<nlohmann::json> {
            const std::optional<proto::Task> task = find_task(id);
            if (!task) return {};
            return nlohmann::json{{"id", task->id()},
                                  {"suite", task->suite()},
                                  {"category", task->category()},
                                  {"split", task->split()},
                                  {"cases", task->cases_size()},
                                  {"entry_point", task->entry_point()},
                                  {"prompt", task->prompt_short()},
                                  {"prompt_dsl", dataset::dsl_prompt(*task, "short")}};
          }};
}

}  // namespace kg::cli
