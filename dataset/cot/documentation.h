#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// A question on calls, limits or costs, and its answer, which was obtained by running the emulated NPU.
struct Question {
  std::string topic;  // "cost", "types", ...
  std::string question, answer;
  std::string provenance;  // what was run
};

// How many there are.
std::uint64_t question_count();
// Question `index`, with what was run to answer it. Nothing where the run says nothing (a sandbox fault throws Error).
std::optional<Question> ask(std::uint64_t index, sandbox::Sandbox& sandbox);

}  // namespace kg::dataset::cot
