#pragma once

#include "reward/case_source.h"

namespace kg::reward {

// Cases of a task that has a graph: inputs are drawn from the case's seed, the expected outputs come from the graph in
// fp64, the tolerance is the task's. All cases run in one request, which stops at the first one that fails to finish.
class GraphCases : public CaseSource {
 public:
  GraphCases(const proto::Task& task, std::vector<int> cases);  // keeps a reference to the task

  std::vector<std::vector<int>> requests() const override;
  void fill(const std::vector<int>& cases, proto::ExecutionRequest& request) override;
  bool compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) override;
  std::uint64_t baseline(int index) const override;
  Roofline roofline(int index) const override;
  Doubt look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) override;

 private:
  const proto::Task& task_;
  std::vector<int> cases_;
};

}  // namespace kg::reward
