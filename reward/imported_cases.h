#pragma once

#include "reward/case_source.h"

namespace kg::reward {

// Cases of an imported task, whose tensors its benchmark made. They are large, so each runs in a request of its own.
// The benchmark's own checker decides (`published`); what fp64 outputs say stands beside it (`strict`).
class ImportedCases : public CaseSource {
 public:
  // Keeps references to the task and the options.
  ImportedCases(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options);

  std::vector<std::vector<int>> requests() const override;
  bool counts(int index, proto::Verdict& verdict) override;
  void fill(const std::vector<int>& cases, proto::ExecutionRequest& request) override;
  bool compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) override;
  std::uint64_t baseline(int index) const override;
  Roofline roofline(int index) const override;
  void conclude(proto::Verdict& verdict) override;
  Doubt look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) override;

 private:
  // The smallest case that passed, for the second look.
  struct Kept {
    std::uint64_t bytes = 0;
    int index = -1;
    proto::RunCase asked;
    proto::CaseResult given;
    BenchmarkCase expected;  // without inputs
  };

  const proto::Task& task_;
  const JudgeOptions& options_;
  std::vector<int> cases_;
  BenchmarkCase present_;  // of the last request
  Kept kept_;
};

}  // namespace kg::reward
