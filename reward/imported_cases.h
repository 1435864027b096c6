#pragma once

#include <map>

#include "reward/case_source.h"

namespace kg::reward {

// Cases of an imported task, whose tensors its benchmark made. They are large, so each runs in its own request.
// The benchmark's own checker decides (`published`); the comparison with fp64 outputs is reported too (`strict`).
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
  // A case that passed, kept for the second look.
  struct Kept {
    int index = 0;
    proto::RunCase asked;
    proto::CaseResult given;
    BenchmarkCase expected;  // without inputs
  };

  void keep(std::uint64_t bytes, Kept one);
  Doubt look_at(const Kept& kept, sandbox::Sandbox& sandbox, const proto::ExecutionRequest& request, bool large) const;

  const proto::Task& task_;
  const JudgeOptions& options_;
  std::vector<int> cases_;
  BenchmarkCase present_;                    // case of the last request
  std::multimap<std::uint64_t, Kept> kept_;  // by bytes: the smallest ones, as many as may be looked at again
  std::uint64_t cycles_ = 0;                 // sum over all cases
};

}  // namespace kg::reward
