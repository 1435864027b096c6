#include "reward/second_look.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "base/hash.h"
#include "operators/golden.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "reward/run_case.h"
#include "reward/tolerance.h"

namespace kg::reward {
namespace {

constexpr double kSlack = 10;            // on all bounds
constexpr double kFailingShare = 0.001;  // of elements that may be beyond them even so
constexpr double kScale = 0.75;          // exact in every floating type, leaves the range where it was
constexpr int kFewNumbers = 16;          // an input of fewer is a parameter rather than data

std::uint64_t seed_of(const proto::ExecutionRequest& request, const std::string& salt) {
  std::string text = request.source() + request.module().text() + '\n' + salt;
  for (const proto::ProjectFile& file : request.project()) text += file.path() + '\n' + file.content();
  return hash64(text) | 1;  // 0 would mean the usual order of the cores
}

bool is_data(const proto::TensorSpec& spec) {
  return operators::is_floating(spec.dtype()) && (spec.distribution().kind() == proto::Distribution::UNIFORM ||
                                                  spec.distribution().kind() == proto::Distribution::NORMAL);
}

std::vector<proto::Tensor> other_inputs(proto::TaskCase task_case, std::uint64_t seed) {
  task_case.set_seed(seed);
  std::vector<proto::Tensor> inputs = operators::make_inputs(task_case);
  for (int i = 0; i < task_case.inputs_size(); ++i) {
    proto::Tensor& tensor = inputs[static_cast<std::size_t>(i)];
    if (!is_data(task_case.inputs(i))) continue;
    for (std::size_t n = 0; n < tensor.data().size() / proto::element_size(tensor.dtype()); ++n)
      operators::write_element(tensor.dtype(), tensor.mutable_data()->data(), n,
                               kScale * operators::read_element(tensor.dtype(), tensor.data().data(), n));
  }
  return inputs;
}

std::string end_of(const proto::ExecutionResult& result, std::size_t index) {
  if (!result.compiled()) return "it did not compile again";
  if (static_cast<int>(index) >= result.cases_size()) return "it was not run";
  for (const proto::Fault& fault : result.cases(static_cast<int>(index)).faults())
    if (fault.severity() == proto::ERROR) return fault.message();
  return result.cases(static_cast<int>(index)).ran() ? "" : "it did not come to its end";
}

bool all_alike(const proto::Tensor& tensor) {
  const std::size_t size = proto::element_size(tensor.dtype());
  for (std::size_t at = size; at < tensor.data().size(); at += size)
    if (std::memcmp(tensor.data().data(), tensor.data().data() + at, size) != 0) return false;
  return true;
}

std::int64_t count_of(const proto::Tensor& tensor) {
  return static_cast<std::int64_t>(tensor.data().size() / proto::element_size(tensor.dtype()));
}

}  // namespace

Doubt second_look(sandbox::Sandbox& sandbox, const proto::Task& task, const std::vector<int>& cases,
                  proto::ExecutionRequest request) {
  request.clear_cases();
  request.set_want_timeline(false);
  std::vector<std::vector<proto::Tensor>> inputs;
  for (const int index : cases) {
    const std::uint64_t seed = seed_of(request, task.id() + '\n' + std::to_string(index));
    inputs.push_back(other_inputs(task.cases(index), seed));
  }
  request.set_core_order_seed(seed_of(request, "order"));
  for (std::size_t i = 0; i < cases.size(); ++i) *request.add_cases() = run_case_of(task.cases(cases[i]), inputs[i]);
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return {"", result.sandbox_error()};
  std::uint64_t cycles = 0;
  for (std::size_t i = 0; i < cases.size(); ++i) {
    const std::string where =
        "case " + std::to_string(cases[i]) + " with other inputs and another order of the cores: ";
    if (const std::string end = end_of(result, i); !end.empty()) return {where + end, ""};
    const std::vector<operators::GoldenTensor> golden = operators::golden_outputs(task.graph(), inputs[i]);
    const proto::CaseResult& found = result.cases(static_cast<int>(i));
    cycles += found.cycles();
    for (std::size_t o = 0; o < golden.size(); ++o) {
      const Comparison comparison =
          compare(found.outputs(static_cast<int>(o)), golden[o], kSlack * task.absolute_bound(), kSlack);
      if (static_cast<double>(comparison.failing) > kFailingShare * static_cast<double>(comparison.count))
        return {where + std::to_string(comparison.failing) + " of " + std::to_string(comparison.count) +
                    " elements are wrong, which were right with the inputs of the task",
                ""};
    }
  }
  return {"", "", cycles};
}

proto::Tensor turned(proto::Tensor tensor) {
  const std::size_t size = proto::element_size(tensor.dtype());
  std::string& bytes = *tensor.mutable_data();
  const std::size_t count = bytes.size() / size;
  std::string reversed(bytes.size(), '\0');
  for (std::size_t i = 0; i < count; ++i)
    std::memcpy(reversed.data() + i * size, bytes.data() + (count - 1 - i) * size, size);
  bytes = std::move(reversed);
  if (operators::is_floating(tensor.dtype()))
    for (std::size_t i = 0; i < count; ++i)
      operators::write_element(tensor.dtype(), bytes.data(), i,
                               kScale * operators::read_element(tensor.dtype(), bytes.data(), i));
  return tensor;
}

Doubt second_look_imported(sandbox::Sandbox& sandbox, const proto::RunCase& run_case, const proto::CaseResult& first,
                           proto::ExecutionRequest request,
                           const std::function<bool(const proto::CaseResult&)>& passes) {
  request.clear_cases();
  request.set_want_timeline(false);
  request.set_core_order_seed(seed_of(request, "order"));
  *request.add_cases() = run_case;
  // Numbers that stand for something else (indices, lengths) stay; what is left must decide about the outputs. Outputs
  // that are all alike may well be so for other inputs, too.
  proto::RunCase other = run_case;
  bool differs = false;
  for (proto::Tensor& input : *other.mutable_inputs()) {
    if (input.absent() || !operators::is_floating(input.dtype()) || count_of(input) < kFewNumbers) continue;
    const proto::Tensor changed = turned(input);
    differs = differs || changed.data() != input.data();
    input = changed;
  }
  const bool says_something =
      std::any_of(first.outputs().begin(), first.outputs().end(), [](const proto::Tensor& output) {
        return !output.absent() && count_of(output) >= kFewNumbers && !all_alike(output);
      });
  const bool turns = differs && says_something;
  if (turns) *request.add_cases() = other;
  const proto::ExecutionResult result = sandbox.execute(request);
  if (!result.sandbox_error().empty()) return {"", result.sandbox_error()};
  if (const std::string end = end_of(result, 0); !end.empty()) return {"in another order of the cores: " + end, ""};
  if (!passes(result.cases(0))) return {"in another order of the cores its outputs are wrong", ""};
  // Other inputs may break what an operator asks of them: only a run that ended says anything.
  if (!turns || result.cases_size() < 2 || !result.cases(1).ran()) return {};
  if (result.cases(1).outputs_size() != first.outputs_size()) return {};
  for (int o = 0; o < first.outputs_size(); ++o)
    if (result.cases(1).outputs(o).data() != first.outputs(o).data()) return {};
  return {"with other inputs it leaves the same outputs, bit by bit; they do not hang on the inputs", ""};
}

}  // namespace kg::reward
