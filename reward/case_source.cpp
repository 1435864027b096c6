#include "reward/case_source.h"

#include <utility>

#include "base/error.h"
#include "reward/graph_cases.h"
#include "reward/imported_cases.h"

namespace kg::reward {

std::unique_ptr<CaseSource> case_source(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options,
                                        proto::Verdict& verdict) {
  if (!is_imported(task)) return std::make_unique<GraphCases>(task, std::move(cases));
  if (!options.benchmark_cases.get)
    throw Error("the cases of an imported task are not at hand", task.id(),
                "judge it with kgtrain judge, or start the worker with --cases DATA");
  verdict.mutable_published();
  verdict.mutable_strict();
  return std::make_unique<ImportedCases>(task, std::move(cases), options);
}

}  // namespace kg::reward
