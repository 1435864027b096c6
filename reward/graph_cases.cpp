#include "reward/graph_cases.h"

#include <cstdio>
#include <iterator>
#include <string>
#include <utility>

#include "base/error.h"
#include "operators/golden.h"
#include "proto/fault.h"
#include "reward/baseline.h"
#include "reward/run_case.h"
#include "reward/tolerance.h"
#include "reward/verdict.h"

namespace kg::reward {
namespace {

std::string mismatch_message(const std::string& tensor, const Comparison& comparison, int case_index) {
  char text[256];
  std::snprintf(
      text, sizeof(text),
      "case %d: %llu of %llu elements of output %s are wrong; the first is element %lld: found %.9g, wanted %.9g",
      case_index, static_cast<unsigned long long>(comparison.failing),
      static_cast<unsigned long long>(comparison.count), tensor.c_str(),
      static_cast<long long>(comparison.first_failing), comparison.first_found, comparison.first_wanted);
  return text;
}

}  // namespace

GraphCases::GraphCases(const proto::Task& task, std::vector<int> cases) : task_(task), cases_(std::move(cases)) {}

std::vector<std::vector<int>> GraphCases::requests() const { return {cases_}; }

void GraphCases::fill(const std::vector<int>& cases, proto::ExecutionRequest& request) {
  for (const int index : cases)
    *request.add_cases() = run_case_of(task_.cases(index), operators::make_inputs(task_.cases(index)));
}

bool GraphCases::compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) {
  const proto::TaskCase& task_case = task_.cases(index);
  const std::vector<proto::Tensor> inputs(std::make_move_iterator(asked.mutable_inputs()->begin()),
                                          std::make_move_iterator(asked.mutable_inputs()->end()));
  const std::vector<operators::GoldenTensor> golden = operators::golden_outputs(task_.graph(), inputs);
  if (static_cast<int>(golden.size()) != task_case.outputs_size())
    throw Error("the graph has " + std::to_string(golden.size()) + " outputs, the case " +
                    std::to_string(task_case.outputs_size()),
                task_.id(), "build or import the task again");
  bool equal = true;
  for (int i = 0; i < task_case.outputs_size(); ++i) {
    const std::string& name = task_case.outputs(i).name();
    if (i >= given.outputs_size()) {
      add_fault(verdict, proto::FaultClass::kNumbers, "output " + name + " is missing");
      equal = false;
      continue;
    }
    const Comparison comparison =
        reward::compare(given.outputs(i), golden[static_cast<std::size_t>(i)], task_.absolute_bound());
    note_error(verdict, comparison.max_abs_error);
    if (comparison.equal) continue;
    add_fault(verdict, proto::FaultClass::kNumbers, mismatch_message(name, comparison, index));
    equal = false;
  }
  if (equal) verdict.set_cases_passed(verdict.cases_passed() + 1);
  return equal;
}

std::uint64_t GraphCases::baseline(int index) const { return baseline_cycles(task_.graph(), task_.cases(index)); }

Roofline GraphCases::roofline(int index) const { return {roofline_cycles(task_.cases(index)), "its bytes alone take"}; }

Doubt GraphCases::look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) {
  return second_look(sandbox, task_, cases_, std::move(request));
}

}  // namespace kg::reward
