#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "sandbox/sandbox.h"

namespace kg::dataset::cot {

// A question on calls, limits or costs, with an answer obtained by running the emulated NPU.
struct Question {
  std::string topic;  // "cost", "types", ...
  std::string question, answer;
  std::string provenance;  // the runs behind it
};

using Answer = std::optional<Question>;

// Question `index` of `count` of a family, with the runs that answer it. Nothing if the runs prove nothing.
struct QuestionFamily {
  Answer (*ask)(std::uint64_t index, sandbox::Sandbox& sandbox);
  std::uint64_t count;
};

}  // namespace kg::dataset::cot
