#pragma once

#include <map>
#include <string>

#include "reward/case_source.h"

namespace kg::reward {

// Cases of an operator that the user wrote: tensors and fp64 results come from its file, each result has its own
// bounds. All cases run in one request, with two kinds of inputs; the second look is another order of the cores. A case
// that is too large to run is used only for its sizes: a program in the DSL has to be lowered for them.
class OwnCases : public CaseSource {
 public:
  // Keeps references to the task and the options.
  OwnCases(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options);

  std::vector<std::vector<int>> requests() const override;
  bool counts(int index, proto::Verdict& verdict) override;
  void fill(const std::vector<int>& cases, proto::ExecutionRequest& request) override;
  bool compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) override;
  std::uint64_t baseline(int index) const override;
  Roofline roofline(int index) const override;
  Doubt look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) override;

 private:
  // The reason why the outputs are wrong; empty: they are right.
  std::string wrong(int index, const proto::CaseResult& given, double& max_error) const;

  const proto::Task& task_;
  const JudgeOptions& options_;
  std::vector<int> cases_;
  std::map<int, BenchmarkCase> data_;
  std::map<int, proto::RunCase> asked_;  // the cases that passed, for the second look
};

// A case that has sizes but nothing to compare.
inline bool is_for_sizes_alone(const proto::TaskCase& task_case) {
  return task_case.checked().empty() && !task_case.inputs().empty();
}

// The sizes that a program in the DSL must be lowered for although no case runs at them.
void add_sizes_to_lower(const proto::Task& task, proto::ExecutionRequest& request);

}  // namespace kg::reward
