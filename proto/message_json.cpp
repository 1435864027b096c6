#include "proto/message_json.h"

#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"

namespace kg::proto {
namespace {

constexpr std::array<const char*, 7> kStageNames{"unspecified", "rejected", "compile", "run",
                                                 "compare",     "check",    "correct"};

constexpr std::array<const char*, 7> kStageSentences{
    "Nothing was judged, as after a failure of the sandbox.",
    "The program was refused before compilation: it breaks a rule of the language, or the answer contains no kernel.",
    "The program does not compile.",
    "The program compiled, but not every case finished.",
    "Every case finished, but not every case has the right outputs.",
    "All outputs are right, but a fault of severity `error` was found.",
    "All outputs are right, no fault has severity `error`, and the second look agrees."};

nlohmann::json number(double value) { return std::isfinite(value) ? nlohmann::json(value) : nlohmann::json(nullptr); }

nlohmann::json numbers(const NumbersVerdict& verdict) {
  return {{"correct", verdict.correct()},
          {"cases_passed", verdict.cases_passed()},
          {"skipped", verdict.skipped().empty() ? nlohmann::json(nullptr) : nlohmann::json(verdict.skipped())}};
}

}  // namespace

std::string stage_name(Stage stage) { return kStageNames.at(static_cast<std::size_t>(stage)); }

const char* stage_sentence(Stage stage) { return kStageSentences.at(static_cast<std::size_t>(stage)); }

Stage stage_from_name(const std::string& name) {
  for (std::size_t i = 0; i < kStageNames.size(); ++i)
    if (name == kStageNames[i]) return static_cast<Stage>(i);
  throw Error("unknown stage \"" + name + "\"", "verdict", "use rejected, compile, run, compare, check or correct");
}

nlohmann::json to_json(const Fault& fault) {
  return {{"class", fault.fault_class()},
          {"severity", fault.severity() == ERROR ? "error" : "warning"},
          {"message", fault.message()},
          {"line", fault.line()},
          {"core", fault.core()}};
}

nlohmann::json to_json(const Verdict& verdict) {
  nlohmann::json faults = nlohmann::json::array();
  for (const Fault& fault : verdict.faults()) faults.push_back(to_json(fault));
  nlohmann::json json;
  json["task"] = verdict.task();
  json["judge_version"] = verdict.judge_version();
  json["stage"] = stage_name(verdict.stage());
  json["compiled"] = verdict.compiled();
  json["ran"] = verdict.ran();
  json["correct"] = verdict.correct();
  json["reward"] = number(verdict.reward());
  json["reward_valid"] = verdict.reward_valid();
  json["invalid_reason"] =
      verdict.invalid_reason().empty() ? nlohmann::json(nullptr) : nlohmann::json(verdict.invalid_reason());
  json["reward_preset"] = verdict.reward_preset();
  json["cycles"] = verdict.cycles();
  json["baseline_cycles"] = verdict.baseline_cycles();
  json["speedup"] = number(verdict.speedup());
  json["max_abs_error"] = number(verdict.max_abs_error());
  json["cases_passed"] = verdict.cases_passed();
  json["cases_total"] = verdict.cases_total();
  json["faults"] = std::move(faults);
  json["compiler_output"] = verdict.compiler_output();
  json["wall_ms"] = number(verdict.wall_ms());
  json["sandbox_error"] =
      verdict.sandbox_error().empty() ? nlohmann::json(nullptr) : nlohmann::json(verdict.sandbox_error());
  if (verdict.has_published()) json["published"] = numbers(verdict.published());
  if (verdict.has_strict()) json["strict"] = numbers(verdict.strict());
  return json;
}

}  // namespace kg::proto
