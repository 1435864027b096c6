#include "cli/verdict_text.h"

#include <cstdio>
#include <string>

#include "proto/message_json.h"

namespace kg::cli {
namespace {

std::string skipped_text(const proto::NumbersVerdict& numbers) {
  return numbers.skipped().empty() ? "" : " (not applied to " + numbers.skipped() + ")";
}

}  // namespace

void print_verdict(const proto::Verdict& verdict) {
  std::printf("task      %s\nstage     %s\n", verdict.task().c_str(), proto::stage_name(verdict.stage()).c_str());
  if (!verdict.sandbox_error().empty()) std::printf("sandbox   %s\n", verdict.sandbox_error().c_str());
  std::printf("cases     %u of %u passed, largest absolute error %.3g\n", verdict.cases_passed(), verdict.cases_total(),
              verdict.max_abs_error());
  if (verdict.cycles() > 0)
    std::printf("cycles    %llu, baseline %llu, speed-up %.2f\n", static_cast<unsigned long long>(verdict.cycles()),
                static_cast<unsigned long long>(verdict.baseline_cycles()), verdict.speedup());
  std::printf(
      "reward    %.4g (%s)%s%s\n", verdict.reward(), verdict.reward_preset().c_str(),
      verdict.reward_valid() ? "" : ", not valid: ", verdict.reward_valid() ? "" : verdict.invalid_reason().c_str());
  if (verdict.has_published())
    std::printf("numbers   as published: %u of %u cases%s; strict: %u of %u cases%s\n",
                verdict.published().cases_passed(), verdict.cases_total(), skipped_text(verdict.published()).c_str(),
                verdict.strict().cases_passed(), verdict.cases_total(), skipped_text(verdict.strict()).c_str());
  for (const proto::Fault& fault : verdict.faults())
    std::printf("%-9s [%s] line %d%s: %s\n", fault.severity() == proto::ERROR ? "error" : "warning",
                fault.fault_class().c_str(), fault.line(),
                fault.core() >= 0 ? (" core " + std::to_string(fault.core())).c_str() : "", fault.message().c_str());
  if (!verdict.compiler_output().empty()) std::printf("\n%s\n", verdict.compiler_output().c_str());
}

}  // namespace kg::cli
