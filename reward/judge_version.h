#pragma once

#include <string>
#include <vector>

namespace kg::reward {

// Something that influences a verdict, and its present state: a room's code, the headers that kernels include, the
// compiler.
struct JudgePart {
  std::string name;
  std::string state;
};

// For this build on this host. Throws Error if the headers are missing; a missing compiler is a state, too.
std::vector<JudgePart> judge_parts();

// 16 hex digits: equal only if names and states are equal.
std::string version_of(const std::vector<JudgePart>& parts);

// version_of(judge_parts()), computed once per process. Every verdict has it: verdicts of different versions may differ
// for the same kernel (docs/guide/metrics.md says where that matters).
const std::string& judge_version();

}  // namespace kg::reward
