#pragma once

#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "cli/judging_options.h"
#include "cli/served_modules.h"
#include "dataset/benchmarks/stored_cases.h"
#include "dataset/store/dataset.h"
#include "reward/judge.h"
#include "service/http_api.h"
#include "service/judge_service.h"

namespace kg::cli {

// What the judge service knows: the tasks of a data set, and modules sent by clients. Thread-safe.
class ServedJudge {
 public:
  ServedJudge(const dataset::Dataset& data, const JudgingOptions& judging, ServedModules::Options modules);

  service::Judge make_judge();  // has its own sandbox
  service::TaskList task_list();

 private:
  proto::Verdict judge(sandbox::Sandbox& sandbox, const service::JudgeRequest& request);
  std::optional<proto::Task> find_task(const std::string& id);
  proto::Verdict judge_answer(sandbox::Sandbox& sandbox, const proto::Task& task, const service::JudgeRequest& request,
                              reward::JudgeOptions rules) const;

  const dataset::Dataset& data_;
  sandbox::SandboxOptions sandbox_;
  reward::RewardConfig reward_;
  dataset::benchmarks::StoredCases cases_;
  ServedModules modules_;
  std::mutex mutex_;
  std::map<std::string, proto::Task> tasks_;  // tasks that were asked for
};

}  // namespace kg::cli
