#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "proto/sandbox.pb.h"
#include "proto/task.pb.h"
#include "proto/verdict.pb.h"
#include "reward/judge.h"
#include "reward/second_look.h"
#include "sandbox/sandbox.h"

namespace kg::reward {

// A time that no honest kernel can beat, and a description of the bytes it counts.
struct Roofline {
  std::uint64_t cycles = 0;
  std::string bytes;
};

// The cases that a kernel is judged on: what the sandbox gets, and what must come out. There are two kinds:
// GraphCases draws inputs from a seed and computes the outputs itself; ImportedCases holds a benchmark's tensors.
// One object serves one verdict. Cases are named by their index in the task.
class CaseSource {
 public:
  virtual ~CaseSource() = default;

  // All cases, in the order in which they run; each group shares one request.
  virtual std::vector<std::vector<int>> requests() const = 0;
  // False: the case cannot be judged, and the verdict has the reason.
  virtual bool counts(int /*index*/, proto::Verdict&) { return true; }
  // Appends the cases to the request.
  virtual void fill(const std::vector<int>& cases, proto::ExecutionRequest& request) = 0;
  // Compares the outputs of a case that ran and counts the right ones in the verdict; true if all of them pass. The
  // source may keep the case's request and its results.
  virtual bool compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) = 0;
  virtual std::uint64_t baseline(int index) const = 0;  // cycles
  virtual Roofline roofline(int index) const = 0;
  // After the last case, before the second look.
  virtual void conclude(proto::Verdict&) {}
  // Judges a kernel once more whose every case passed. `request` holds everything but the cases.
  virtual Doubt look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) = 0;
};

// `verdict` is the one that the source will fill in.
std::unique_ptr<CaseSource> case_source(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options,
                                        proto::Verdict& verdict);

}  // namespace kg::reward
