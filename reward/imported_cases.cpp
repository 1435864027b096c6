#include "reward/imported_cases.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/error.h"
#include "operators/number_format.h"
#include "proto/dtype.h"
#include "proto/fault.h"
#include "reward/baseline.h"
#include "reward/check_width.h"
#include "reward/imported_look.h"
#include "reward/own_cases.h"
#include "reward/published_check.h"
#include "reward/run_case.h"
#include "reward/time_limits.h"
#include "reward/tolerance.h"
#include "reward/verdict.h"

namespace kg::reward {
namespace {

constexpr std::uint64_t kLargestCase = 0x7f000000;  // limit of a protobuf message
// Cases of so many bytes together are looked at a second time, the smallest first; of a task whose smallest is larger,
// that one, up to a bound.
constexpr std::uint64_t kMostLookedAt = 4 << 20, kLargestLookedAt = 256 << 20;

bool passes_strictly(const std::vector<proto::Tensor>& found, const BenchmarkCase& data, proto::Verdict& verdict) {
  const std::vector<operators::GoldenTensor>& wanted = data.golden64;
  bool pass = true;
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    const double floor = i < data.golden.size() ? noise_floor(data.golden[i], wanted[i]) : 0;
    const Comparison comparison = compare(real_pairs(found[i]), wanted[i], floor);
    note_error(verdict, comparison.max_abs_error);
    pass = pass && comparison.equal;
  }
  return pass;
}

bool same_counts(const std::vector<proto::Tensor>& found, const std::vector<operators::GoldenTensor>& wanted) {
  for (std::size_t i = 0; i < wanted.size(); ++i)
    if (static_cast<std::size_t>(proto::element_count(found[i].shape())) *
            (found[i].dtype() == proto::COMPLEX64 ? 2 : 1) !=
        wanted[i].values.size())
      return false;
  return true;
}

bool is_complete(const proto::Tensor& tensor) {
  return tensor.data().size() ==
         static_cast<std::size_t>(proto::element_count(tensor.shape())) * proto::element_size(tensor.dtype());
}

// Why what a kernel gave cannot be compared at all. Empty: it can.
std::string misshapen(const proto::TaskCase& task_case, const BenchmarkCase& data, const proto::CaseResult& given,
                      const std::vector<proto::Tensor>& found) {
  if (given.result_form() != task_case.result_form() ||
      (!task_case.call().empty() && found.size() != data.golden.size()))
    return "the module returns " + given.result_form().substr(0, 200) + ", the reference " +
           task_case.result_form().substr(0, 200);
  for (std::size_t i = 0; i < std::min(found.size(), data.golden.size()); ++i)
    if (!is_complete(found[i])) return "checked tensor " + std::to_string(i) + " is missing";
  return "";
}

std::vector<proto::Tensor> in_type_of(const std::vector<proto::Tensor>& golden,
                                      const std::vector<operators::GoldenTensor>& golden64) {
  std::vector<proto::Tensor> made = golden;
  for (std::size_t i = 0; i < made.size() && i < golden64.size(); ++i) {
    const proto::DType part = made[i].dtype() == proto::COMPLEX64 ? proto::FLOAT32 : made[i].dtype();
    if (made[i].data().size() != golden64[i].values.size() * proto::element_size(part)) continue;
    for (std::size_t n = 0; n < golden64[i].values.size(); ++n)
      operators::write_element(part, made[i].mutable_data()->data(), n, golden64[i].values[n]);
  }
  return made;
}

// Is fp64's result right by the benchmark's rule?
bool reference_passes(const proto::TaskCase& task_case, const BenchmarkCase& expected) {
  return expected.golden64.empty() ||
         check_as_published(task_case.check(), expected.golden, in_type_of(expected.golden, expected.golden64)).pass;
}

// On the second look a kernel may also be nearer to fp64 than the reference is. What the checker cannot judge is judged
// by its scale.
bool passes_again(const proto::TaskCase& task_case, const BenchmarkCase& expected, const proto::CaseResult& given,
                  const std::vector<JudgedBy>& judged) {
  const std::vector<proto::Tensor> found = checked_tensors(task_case, given);
  if (given.result_form() != task_case.result_form() || found.size() < expected.golden.size()) return false;
  for (std::size_t i = 0; i < expected.golden.size(); ++i)
    if (!is_complete(found[i]) || (judged[i] != JudgedBy::kChecker && !passes_by_scale(expected, i, found[i])))
      return false;
  if (check_as_published(task_case.check(), expected.golden, found).pass) return true;
  return !expected.golden64.empty() &&
         check_as_published(task_case.check(), in_type_of(expected.golden, expected.golden64), found).pass;
}

// True if the case passes as published.
bool compare_case(const proto::TaskCase& task_case, int index, const BenchmarkCase& data,
                  const proto::CaseResult& given, proto::Verdict& verdict) {
  const std::string prefix = "case " + std::to_string(index) + ": ";
  const std::vector<proto::Tensor> found = checked_tensors(task_case, given);
  if (const std::string why = misshapen(task_case, data, given, found); !why.empty()) {
    add_fault(verdict, proto::FaultClass::kNumbers, prefix + why);
    return false;
  }
  const PublishedResult published = check_as_published(task_case.check(), data.golden, found);
  if (published.pass) {
    verdict.mutable_published()->set_cases_passed(verdict.published().cases_passed() + 1);
    verdict.set_cases_passed(verdict.cases_passed() + 1);
  } else {
    add_fault(verdict, proto::FaultClass::kNumbers,
              prefix + "wrong by the benchmark's checker (" + task_case.check().name() + "): " + published.why);
  }
  if (data.golden64.empty() || data.golden64.size() > found.size())
    note_skipped(*verdict.mutable_strict(), index, data.no_golden64.empty() ? "no fp64 outputs" : data.no_golden64);
  else if (same_counts(found, data.golden64) && passes_strictly(found, data, verdict))
    verdict.mutable_strict()->set_cases_passed(verdict.strict().cases_passed() + 1);
  return published.pass;
}

}  // namespace

ImportedCases::ImportedCases(const proto::Task& task, std::vector<int> cases, const JudgeOptions& options)
    : task_(task), options_(options), cases_(std::move(cases)) {}

std::vector<std::vector<int>> ImportedCases::requests() const {
  std::vector<std::vector<int>> alone;
  for (const int index : cases_) alone.push_back({index});
  return alone;
}

bool ImportedCases::counts(int index, proto::Verdict& verdict) {
  const proto::TaskCase& task_case = task_.cases(index);
  const std::uint64_t bytes = proto::byte_size(task_case);
  std::string why;
  if (is_for_sizes_alone(task_case)) return false;
  if (task_case.checked().empty())
    why = task_case.notes().empty() ? "left out" : task_case.notes(0);
  else if (bytes > kLargestCase)
    why = std::to_string(bytes) + " bytes are more than a sandbox takes";
  else
    return true;
  if (cases_.size() == 1)
    throw Error("the case cannot be judged: " + why, task_.id() + " case " + std::to_string(index),
                "choose another --case");
  note_skipped(*verdict.mutable_published(), index, why);
  note_skipped(*verdict.mutable_strict(), index, why);
  return false;
}

void ImportedCases::fill(const std::vector<int>& cases, proto::ExecutionRequest& request) {
  for (const int index : cases) {  // one
    const proto::TaskCase& task_case = task_.cases(index);
    present_ = options_.benchmark_cases.get(task_, index);
    *request.add_cases() = run_case_of(task_case, std::move(present_.inputs));
    if (options_.limits.run_seconds() <= 0) request.mutable_limits()->set_run_seconds(imported_run_seconds(task_case));
  }
}

bool ImportedCases::compare(int index, proto::RunCase& asked, proto::CaseResult& given, proto::Verdict& verdict) {
  const proto::TaskCase& task_case = task_.cases(index);
  const bool passed = compare_case(task_case, index, present_, given, verdict);
  cycles_ += given.cycles();
  if (const std::uint64_t bytes = proto::byte_size(task_case); passed && bytes <= kLargestLookedAt) {
    Kept one{.index = index, .asked = {}, .given = {}, .expected = std::move(present_)};
    one.asked.Swap(&asked);
    one.given.Swap(&given);
    keep(bytes, std::move(one));
  }
  return passed;
}

void ImportedCases::keep(std::uint64_t bytes, Kept one) {
  kept_.emplace(bytes, std::move(one));
  std::uint64_t together = 0;
  for (auto at = kept_.begin(); at != kept_.end();) {
    together += at->first;
    at = at != kept_.begin() && together > kMostLookedAt ? kept_.erase(at) : std::next(at);
  }
}

std::uint64_t ImportedCases::baseline(int index) const { return memory_baseline_cycles(task_.cases(index)); }

Roofline ImportedCases::roofline(int index) const {
  return {benchmark_roofline_cycles(task_.cases(index)), "the bytes it writes alone take"};
}

void ImportedCases::conclude(proto::Verdict& verdict) {
  for (proto::NumbersVerdict* numbers : {verdict.mutable_published(), verdict.mutable_strict()})
    numbers->set_correct(verdict.ran() && verdict.cases_total() > 0 &&
                         numbers->cases_passed() == verdict.cases_total());
}

// The verdict of the benchmark's checker stays in `published` and `strict`, whatever happens here.
Doubt ImportedCases::look_again(sandbox::Sandbox& sandbox, proto::ExecutionRequest request) {
  Doubt all;
  double slower = 1;
  for (const auto& [bytes, kept] : kept_) {
    const Doubt doubt = look_at(kept, sandbox, request, /*large=*/bytes > kMostLookedAt);
    if (!doubt.sandbox_error.empty()) return doubt;
    const std::string where = "case " + std::to_string(kept.index) + " ";
    if (!doubt.reason.empty()) return {where + doubt.reason, ""};
    if (!doubt.no_result.empty()) all.no_result = where + "of " + task_.id() + ": " + doubt.no_result;
    if (kept.given.cycles() > 0)
      slower = std::max(slower, static_cast<double>(doubt.cycles) / static_cast<double>(kept.given.cycles()));
  }
  // The cycles on other inputs, since the program may know the task's own by heart.
  all.cycles = static_cast<std::uint64_t>(slower * static_cast<double>(cycles_));
  return all;
}

Doubt ImportedCases::look_at(const Kept& kept, sandbox::Sandbox& sandbox, const proto::ExecutionRequest& request,
                             bool large) const {
  const proto::TaskCase& task_case = task_.cases(kept.index);
  const auto& other = options_.benchmark_cases.other;
  const ImportedCase one{
      .check = task_case.check(),
      .asked = kept.asked,
      .given = kept.given,
      .passes = [&](const proto::CaseResult& found, const BenchmarkCase& expected,
                    const std::vector<JudgedBy>& judged) { return passes_again(task_case, expected, found, judged); },
      .expected = kept.expected,
      .other = [&](const OtherInputs& inputs) -> std::optional<BenchmarkCase> {
        if (!other) return std::nullopt;
        auto made = other(task_, kept.index, inputs);
        // If the reference itself fails the benchmark's rule in fp64, no kernel can pass it.
        if (made && !reference_passes(task_case, *made)) return std::nullopt;
        return made;
      },
      .large = large};
  return second_look_imported(sandbox, one, request);
}

}  // namespace kg::reward
