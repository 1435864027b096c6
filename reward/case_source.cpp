#include "reward/case_source.h"

#include <utility>

#include "base/error.h"
#include "reward/graph_cases.h"
#include "reward/imported_cases.h"
#include "reward/own_cases.h"

namespace kg::reward {

std::unique_ptr<CaseSource> case_source(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options,
                                        proto::Verdict& verdict) {
  if (!is_imported(task) && !is_own(task)) return std::make_unique<GraphCases>(task, std::move(cases));
  if (!options.benchmark_cases.get)
    throw Error("the task's tensors are missing", task.id(),
                "judge it with kgtrain judge, or start the worker with --cases DATA");
  if (is_own(task)) return std::make_unique<OwnCases>(task, std::move(cases), options);
  verdict.mutable_published();
  verdict.mutable_strict();
  return std::make_unique<ImportedCases>(task, std::move(cases), options);
}

}  // namespace kg::reward
